//go:build !linux

package model

// Evict does nothing: only Linux is known to let a process give up pages of its
// program without losing them.
func Evict(string) {}
