// Package model runs BERT-family sentence encoders in process: it reads packed
// weights, quantises float ones, and turns token ids into unit vectors.
//
// Invariants: packed weights are used where they lie, so that opening a model
// costs next to nothing, and they are shared by all goroutines. Memory beside
// them is bounded by one workspace a thread, whatever the number of texts. The
// vector of a text depends on that text alone, not on what else was embedded
// with it. Nothing here reads files or the environment.
//
// Text becomes ids in embed/tokenizer.
package model
