//go:build !linux

package postgres

import "syscall"

// boundUnacknowledged does nothing: other systems have bounds of their own.
func boundUnacknowledged(string, string, syscall.RawConn) error { return nil }
