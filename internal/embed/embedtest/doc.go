// Package embedtest is the contract of embed.Embedder as tests. Each
// implementation runs it over its own constructor.
//
// It imports embed and kb, nothing else of ours.
package embedtest
