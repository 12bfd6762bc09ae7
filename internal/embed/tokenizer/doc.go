// Package tokenizer turns text into the token ids of uncased BERT models:
// clean, split, fold case and accents, then WordPiece.
//
// Invariants: ids are those of the reference tokenizer (Hugging Face
// tokenizers with BertNormalizer and BertPreTokenizer) for every text, valid
// UTF-8 or not. Nothing is ever cut off; how long is too long is for the
// caller to say. A Tokenizer is read-only once made and may be shared.
//
// It imports nothing of ours but kb.
package tokenizer
