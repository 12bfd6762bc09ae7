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

// spill keeps values on disk by key: those that an export has far from where a page needs them.
// Of keys it keeps 64 bits of a hash with a random seed.
type spill struct {
	seed maphash.Seed
	rows []spilled
	last map[uint64]int32 // by key, the number of the row that was added last
	out  fsys.File
	buf  *bufio.Writer
	in   *os.File
	end  int64
	err  error
}

type spilled struct {
	at, size int64
	before   int32 // the number of the row before with the same key, or -1
}

// newSpill makes a spill in a directory, in a file that has no name any more where a system
// can read such.
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
	_ = dir.Remove(name) // else it goes with the directory
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

// seal ends adding.
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
				continue // of a key that is named twice
			}
			if value := s.row(n); value == nil || !yield(value) {
				return
			}
		}
	}
}

// newest is the value of a key that was added last; nil for none.
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

// failed is the first error that reading met.
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
