package fsys

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// Network returns the type of the network file system of path, "" for a local
// one.
func Network(path string) (string, error) {
	root, err := windows.UTF16PtrFromString(filepath.VolumeName(path) + `\`)
	if err != nil {
		return "", err
	}
	if windows.GetDriveType(root) == windows.DRIVE_REMOTE {
		return "a network drive", nil
	}
	return "", nil
}
