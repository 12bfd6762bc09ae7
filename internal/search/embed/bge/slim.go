//go:build slim

package bge

// packed is empty: this build has no weights.
var packed string
