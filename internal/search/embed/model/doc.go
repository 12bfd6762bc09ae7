// Package model runs BERT-family sentence encoders in process: it reads packed weights,
// quantises float ones, and converts token ids to unit vectors.
//
// Invariants: packed weights are used in place, so that opening a model costs almost
// nothing, and are shared by all goroutines. Other memory is bounded by one workspace per
// thread, for any number of texts. The vector of a text depends on that text alone, not on
// other texts of the call. Nothing here reads files or the environment.
//
// Package embed/tokenizer converts text to ids.
package model
