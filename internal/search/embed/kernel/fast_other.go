//go:build !amd64

package kernel

// fast lists no sets: only amd64 has assembly. Go's arm64 assembler has no
// SDOT, without which NEON gains too little over the portable set.
func fast() []Set { return nil }
