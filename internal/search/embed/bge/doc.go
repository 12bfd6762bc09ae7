// Package bge is the built-in embedder: bge-small-en-v1.5, with its weights in
// int8 as part of the binary.
//
// Invariants: the model is prepared by the first call that needs it, and then
// shared. The weights are used at their address in the binary. The build tag
// slim leaves the weights out, and New then returns an error.
package bge
