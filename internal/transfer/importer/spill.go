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
	rows []spilled // in order of the keys, once it is sealed
	out  fsys.File
	buf  *bufio.Writer
	in   *os.File
	end  int64
	err  error
}

type spilled struct {
	key      uint64
	at, size int64
}

// newSpill makes a spill in a directory, in a file that has no name any more where a system
// can read such.
func newSpill(dir *fsys.Dir) (_ *spill, err error) {
	const name = "spill"
	s := &spill{seed: maphash.MakeSeed()}
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
	s.rows = append(s.rows, spilled{s.key(key), s.end, int64(len(value))})
	s.end += int64(len(value))
	_, err := s.buf.Write(value)
	return err
}

// seal ends adding.
func (s *spill) seal() error {
	slices.SortStableFunc(s.rows, func(x, y spilled) int { return cmp.Compare(x.key, y.key) })
	err := errors.Join(s.buf.Flush(), s.out.Close())
	s.out, s.buf = nil, nil
	return err
}

// of yields the values of some keys, in the order in which they were added.
func (s *spill) of(keys ...string) iter.Seq[[]byte] {
	var rows []spilled
	for _, key := range keys {
		h := s.key(key)
		i, _ := slices.BinarySearchFunc(s.rows, h, func(x spilled, h uint64) int { return cmp.Compare(x.key, h) })
		for ; i < len(s.rows) && s.rows[i].key == h; i++ {
			rows = append(rows, s.rows[i])
		}
	}
	slices.SortFunc(rows, func(x, y spilled) int { return cmp.Compare(x.at, y.at) })
	rows = slices.Compact(rows)
	return func(yield func([]byte) bool) {
		for _, x := range rows {
			value := make([]byte, x.size)
			if _, err := s.in.ReadAt(value, x.at); err != nil {
				s.err = cmp.Or(s.err, err)
				return
			}
			if !yield(value) {
				return
			}
		}
	}
}

// last is the value of a key that was added last; nil for none.
func (s *spill) last(key string) (value []byte) {
	for value = range s.of(key) {
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
