package importer

import (
	"bufio"
	"cmp"
	"errors"
	"hash/maphash"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"github.com/cairn-kb/cairn/internal/files/fsys"
)

// spill keeps values on disk by key: data of an export that is far from the place where a
// page needs it. It keeps only 64 bits of the hash of a key, with a random seed.
type spill struct {
	seed maphash.Seed
	rows []spilled
	last map[uint64]int32 // number of the row added last, by key
	out  fsys.File
	buf  *bufio.Writer
	in   *os.File
	end  int64
	err  error
}

type spilled struct {
	at, size int64
	before   int32 // number of the previous row with the same key, or -1
}

// newSpill makes a spill in a file of a directory. The file is removed at once where the
// system can still read it then.
func newSpill(dir *fsys.Dir) (_ *spill, err error) {
	const name = "spill"
	s := &spill{seed: maphash.MakeSeed(), last: map[uint64]int32{}}
	if s.out, err = dir.Create(name, 0o600); err != nil {
		return nil, err
	}
	s.buf = bufio.NewWriter(s.out)
	if s.in, err = os.Open(filepath.Join(dir.Path(), name)); err != nil {
		return nil, errors.Join(err, s.out.Close())
	}
	_ = dir.Remove(name) // else it is removed with the directory
	return s, nil
}

func (s *spill) key(key string) uint64 { return maphash.String(s.seed, key) }

func (s *spill) add(key string, value []byte) error {
	h := s.key(key)
	before, there := s.last[h]
	if !there {
		before = -1
	}
	s.last[h] = int32(len(s.rows))
	s.rows = append(s.rows, spilled{s.end, int64(len(value)), before})
	s.end += int64(len(value))
	_, err := s.buf.Write(value)
	return err
}

// seal must be called after the last value was added.
func (s *spill) seal() error {
	err := errors.Join(s.buf.Flush(), s.out.Close())
	s.out, s.buf = nil, nil
	return err
}

// of yields the values of some keys, in the order in which they were added.
func (s *spill) of(keys ...string) iter.Seq[[]byte] {
	var rows []int
	for _, key := range keys {
		if i, there := s.last[s.key(key)]; there {
			for ; i >= 0; i = s.rows[i].before {
				rows = append(rows, int(i))
			}
		}
	}
	slices.Sort(rows)
	return func(yield func([]byte) bool) {
		for i, n := range rows {
			if i > 0 && rows[i-1] == n {
				continue // the same key was given twice
			}
			if value := s.row(n); value == nil || !yield(value) {
				return
			}
		}
	}
}

// newest returns the last value added for a key; nil for none.
func (s *spill) newest(key string) []byte {
	i, there := s.last[s.key(key)]
	if !there {
		return nil
	}
	return s.row(int(i))
}

// row reads a value by its number; nil if that fails.
func (s *spill) row(n int) []byte {
	value := make([]byte, s.rows[n].size)
	if _, err := s.in.ReadAt(value, s.rows[n].at); err != nil {
		s.err = cmp.Or(s.err, err)
		return nil
	}
	return value
}

// failed returns the first read error.
func (s *spill) failed() error {
	if s == nil {
		return nil
	}
	return s.err
}

func (s *spill) close() error {
	if s == nil {
		return nil
	}
	err := s.in.Close()
	if s.out != nil {
		err = errors.Join(err, s.out.Close())
	}
	return err
}
