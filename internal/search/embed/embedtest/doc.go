// Package embedtest is the contract of embed.Embedder as tests. Each
// implementation runs it over its own constructor.
package embedtest
