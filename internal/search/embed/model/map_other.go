//go:build !unix

package model

import (
	"os"
	"unsafe"
)

// MapFile returns the bytes of a file.
func MapFile(path string) (string, error) {
	b, err := os.ReadFile(path)
	return unsafe.String(unsafe.SliceData(b), len(b)), err
}
