//go:build !unix

package fsys

import "os"

const openNonblock = 0

// syncDirHandle does nothing: Windows has no flush for directories, and NTFS
// journals its names.
func syncDirHandle(*os.File) error { return nil }
