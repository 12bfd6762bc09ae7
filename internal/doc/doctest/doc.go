// Package doctest is the contract suite for doc.Codec: the behaviour that all formats share,
// as tests that a codec's package runs with its own fixtures.
//
// It is imported by tests only.
package doctest
