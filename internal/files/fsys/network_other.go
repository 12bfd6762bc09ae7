//go:build !linux && !darwin && !windows

package fsys

// Network cannot tell here.
func Network(string) (string, error) { return "", nil }
