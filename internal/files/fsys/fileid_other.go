//go:build !unix

package fsys

import "io/fs"

// FileID names no file here: one that is open can be neither moved nor replaced.
func FileID(fs.FileInfo) (id string, ok bool) { return "", false }
