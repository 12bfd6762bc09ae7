//go:build !linux && !darwin

package fsys

import "errors"

// exchange is not to be had here.
func exchange(int, string, string) error { return errors.ErrUnsupported }
