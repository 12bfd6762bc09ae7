//go:build !linux && !darwin && !windows

package fsys

// Network is not supported on this system.
func Network(string) (string, error) { return "", nil }
