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

// Racy reports whether a file that was indexed then, with this modification
// time, may have been changed since without a trace.
func Racy(modTime, indexed time.Time) bool { return modTime.After(indexed.Add(-RacyWindow)) }

// The constants of FNV-1a with 64 bits.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// PathSum is a path being summed, from its beginning on. Paths of one directory
// have their beginning in common.
type PathSum uint64

// NewPathSum begins a path.
func NewPathSum() PathSum { return fnvOffset }

// Add returns the sum of the path with more of it.
func (s PathSum) Add(text string) PathSum {
	for i := range len(text) {
		s = (s ^ PathSum(text[i])) * fnvPrime
	}
	return s
}

// File returns a sum of the path, size and modification time in nanoseconds,
// which identify a state of a file without reading it. Sums are stored, so the
// function must never change. Two different states have the same sum with a
// probability of 2^-64.
func (s PathSum) File(size, modTime int64) int64 {
	return int64(mix(mix(uint64(s)+uint64(size)*0x9e3779b97f4a7c15) + uint64(modTime)*0xd1342543de82ef95))
}

// WithSidecar combines the sum of a document's file with that of its sidecar.
// The sidecar's path follows from the document's and is not part of it.
func WithSidecar(sum, size, modTime int64) int64 {
	return PathSum(sum+1).File(size, modTime)
}

// mix spreads each bit over all (the finalizer of SplitMix64).
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

// Add counts a file.
func (t *FileSums) Add(sum int64) {
	t.Files++
	t.Low += int64(uint32(sum))
	t.High += int64(uint32(bits.RotateLeft64(uint64(sum), 32)))
}
