//go:build unix

package model

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cairn-kb/cairn/internal/kb"
)

// MapFile maps a file into memory: the system reads pages on use, and shares them
// between all processes. The file must not be changed in place. The bytes stay
// mapped until the process ends.
func MapFile(path string) (data string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // only read, and the mapping stays
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	size := int(info.Size())
	if !info.Mode().IsRegular() || size == 0 {
		return "", kb.Errorf(kb.Damaged, "%s is not a packed embedding model", path)
	}
	b, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return "", err
	}
	return unsafe.String(unsafe.SliceData(b), len(b)), nil
}
