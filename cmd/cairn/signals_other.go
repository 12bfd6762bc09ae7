//go:build !unix

package main

import (
	"os"
	"syscall"
)

var (
	endings = []os.Signal{syscall.SIGTERM}
	keys    = []os.Signal{os.Interrupt}
)

// Elsewhere a write that nobody reads fails anyway, and a process ends with a
// code alone.

func keepWriting() {}

func raise(syscall.Signal) {}
