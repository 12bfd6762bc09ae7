package kb

import (
	"math/bits"
	"time"
)

// RacyWindow is the minimum age that a modification time needs, when the file
// is indexed, to prove that the file is unchanged. A second change within the
// resolution of the file system's clock (2 s on FAT) does not change the time.
// Git calls such entries racily clean.
const RacyWindow = 2 * time.Second

// Racy reports whether a file indexed at that time, with this modification time,
// may have changed since without a visible difference.
func Racy(modTime, indexed time.Time) bool { return modTime.After(indexed.Add(-RacyWindow)) }

// Constants of 64-bit FNV-1a.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// PathSum is the running sum of a path, from its start. Paths in one directory
// share the sum of their common prefix.
type PathSum uint64

// NewPathSum starts a path.
func NewPathSum() PathSum { return fnvOffset }

// Add returns the sum of the path extended by more.
func (s PathSum) Add(text string) PathSum {
	for i := range len(text) {
		s = (s ^ PathSum(text[i])) * fnvPrime
	}
	return s
}

// File returns a sum of the path, size and modification time in nanoseconds, which
// identify a state of a file without its content. Sums are stored, so the function
// must never change. Two different states have the same sum with a probability of
// 2^-64.
func (s PathSum) File(size, modTime int64) int64 {
	return int64(mix(mix(uint64(s)+uint64(size)*0x9e3779b97f4a7c15) + uint64(modTime)*0xd1342543de82ef95))
}

// WithSidecar combines the sum of a document's file with that of its sidecar. The
// path of the sidecar is derived from the document's, and is not included.
func WithSidecar(sum, size, modTime int64) int64 {
	return PathSum(sum+1).File(size, modTime)
}

// mix spreads each bit over all bits (the finalizer of SplitMix64).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// FileSums is the sum over a set of files, independent of their order.
type FileSums struct {
	Files     int
	Low, High int64 // of the lower and the upper halves of their sums
}

// Add adds the sum of a file.
func (t *FileSums) Add(sum int64) {
	t.Files++
	t.Low += int64(uint32(sum))
	t.High += int64(uint32(bits.RotateLeft64(uint64(sum), 32)))
}
