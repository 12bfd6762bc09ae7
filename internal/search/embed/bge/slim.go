//go:build slim

package bge

// weights is empty: this build has no weights.
var weights string
