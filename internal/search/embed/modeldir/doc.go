// Package modeldir embeds with a sentence encoder from a directory, as the
// Hugging Face hub has them: weights of BERT or one of its relatives in
// safetensors (F32, F16 or BF16, in one file or several), a tokenizer, and JSON
// files that say how it was trained.
//
// Invariants: the configuration is read when the embedder is made, tokenizer
// and weights on the first call that needs them, and shared by all. Whatever
// would be computed differently from what the files ask for is refused, with
// kb.Invalid; files that are broken give kb.Damaged. Sizes are claims until
// the tensors of that shape are there, so a file cannot ask for memory it does
// not fill.
//
// The model runs in float32: quantising well needs calibration, which takes
// longer than loading, so that is done once, by tools/pack-model.
package modeldir
