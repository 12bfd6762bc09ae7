// Package doctest is the contract suite for doc.Codec: what every format must
// do alike, as tests that a codec's own package runs with its own fixtures.
//
// It is imported by tests only.
package doctest
