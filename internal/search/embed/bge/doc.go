// Package bge is the built-in embedder: bge-small-en-v1.5, its weights packed
// in int8 and part of the binary.
//
// Invariants: nothing happens before the first call that needs the model; it
// is then made ready once and shared. The weights are used where the linker
// put them. With build tag slim the weights are left out and New says so.
package bge
