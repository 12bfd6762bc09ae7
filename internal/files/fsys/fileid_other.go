//go:build !unix

package fsys

import "io/fs"

// FileID identifies no file on this system, where open files can be neither moved nor
// replaced.
func FileID(fs.FileInfo) (id string, ok bool) { return "", false }
