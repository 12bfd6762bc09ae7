//go:build !linux

package model

// Evict does nothing: only Linux is known to let a process drop unmodified pages of its
// program.
func Evict(string) {}
