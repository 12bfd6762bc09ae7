// Package modeldir embeds with a sentence encoder from a directory in the layout of the
// Hugging Face hub: weights of BERT or one of its relatives in safetensors (F32, F16 or
// BF16, in one file or several), a tokenizer, and JSON files with the settings of its
// training.
//
// Invariants: the configuration is read when the embedder is made, tokenizer and weights by
// the first call that needs them, and shared by all. Settings that this package would
// compute differently are kb.Invalid; broken files are kb.Damaged. Sizes are not trusted
// until the tensors of that shape are read, so that a file cannot request more memory than
// it fills.
//
// The model runs in float32: good quantisation needs calibration, which takes longer than
// loading, so that is done once, by tools/pack-model.
package modeldir
