// Package tokenizer turns text into the token ids of encoder models: BERT's
// WordPiece, SentencePiece's Unigram and GPT-2's byte-level BPE, from a
// vocabulary or from a tokenizer.json.
//
// Invariants: ids are those of the reference (Hugging Face tokenizers) for
// every text; bytes that are not UTF-8, which the reference does not take, are
// U+FFFD. What a tokenizer.json asks for and this package does not do is
// refused with kb.Invalid, and no file makes it take more memory or time for a
// text than in proportion to the text. Nothing is ever cut off; how long is too
// long is for the caller to say. A Tokenizer is read-only once made and may be
// shared.
package tokenizer
