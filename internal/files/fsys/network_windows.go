package fsys

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// Network names the kind of network file system that path lies on, "" for a
// local one.
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
