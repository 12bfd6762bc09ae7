// Package tokenizer converts text to the token ids of encoder models: BERT's WordPiece,
// SentencePiece's Unigram and GPT-2's byte-level BPE, from a vocabulary or from a
// tokenizer.json.
//
// Invariants: ids equal those of the reference (Hugging Face tokenizers) for every text;
// bytes that are not UTF-8, which the reference does not accept, are U+FFFD. Settings of a
// tokenizer.json that this package does not implement are kb.Invalid, and no file makes
// memory or time grow faster than the text. Text is never truncated; the caller decides on a
// maximum length. A Tokenizer is read-only and may be shared.
package tokenizer
