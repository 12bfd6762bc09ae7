package git

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/cairn-kb/cairn/internal/files/fsys"
)

// Where the fields of an entry of an index are.
const (
	statMode  = 24 // after times, device and inode
	statSize  = 40
	extended  = 0x4000 // in the flags: more flags follow
	indexHead = 12
	namePad   = 8
)

// readIndex returns the entries of an index, in the bytes of its file, with wanted names in
// the work tree. ok is false for an index that only git can read.
func (r *Repo) readIndex(text []byte, wanted map[string]bool) (out map[string]Entry, ok bool) {
	out = map[string]Entry{}
	ok = r.eachEntry(text, func(name, mode, id []byte) {
		if wanted[string(name)] {
			out[string(name)] = Entry{Mode: fmt.Sprintf("%06o", binary.BigEndian.Uint32(mode)), ID: hex.EncodeToString(id)}
		}
	})
	return out, ok
}

// readIndexFile returns the bytes of an index in the directory of git, nil where they cannot
// be read.
func (r *Repo) readIndexFile(name string) []byte {
	text, err := fsys.ReadRegular(filepath.Join(r.Dir, filepath.FromSlash(name)), mostIndex)
	if err != nil {
		return nil
	}
	return text
}

// othersDiffer reports whether two states of the index differ in files that are not at the
// paths, and are known to.
func (r *Repo) othersDiffer(a, b []byte, paths []string) bool {
	if bytes.Equal(a, b) {
		return false
	}
	ours := map[string]bool{}
	for _, p := range paths {
		ours[r.Prefix+p] = true
	}
	sum := func(text []byte) (all [sha256.Size]byte, ok bool) {
		h := sha256.New()
		ok = r.eachEntry(text, func(name, mode, id []byte) {
			if !ours[string(name)] {
				for _, part := range [][]byte{name, {0}, mode, id} {
					_, _ = h.Write(part) // a hash never fails
				}
			}
		})
		return [sha256.Size]byte(h.Sum(nil)), ok
	}
	was, known := sum(a)
	is, still := sum(b)
	return known && still && was != is
}

// eachEntry reads the entries of an index: their names in the work tree, modes and ids. It
// reports false for an index that only git can read: a split or sparse one, one of a later
// version, a damaged one.
func (r *Repo) eachEntry(text []byte, f func(name, mode, id []byte)) bool {
	id := len(r.None) / 2
	if len(text) < indexHead+id || string(text[:4]) != "DIRC" {
		return false
	}
	version, count := binary.BigEndian.Uint32(text[4:]), binary.BigEndian.Uint32(text[8:])
	if version < 2 || version > 4 {
		return false
	}
	at, end := indexHead, len(text)-id
	var name []byte // of the entry before
	for range count {
		start := at
		if at += statSize + id + 2; at > end {
			return false
		}
		if binary.BigEndian.Uint16(text[at-2:])&extended != 0 && version > 2 {
			at += 2
		}
		if version == 4 {
			strip, n := stripped(text[min(at, end):end])
			if n == 0 || strip > len(name) {
				return false
			}
			at += n
			name = name[:len(name)-strip]
		} else {
			name = name[:0]
		}
		n := bytes.IndexByte(text[min(at, end):end], 0)
		if n < 0 {
			return false
		}
		name = append(name, text[at:at+n]...)
		at += n + 1
		if version < 4 { // padded with one to eight zeros
			at = start + (at-1-start+namePad)/namePad*namePad
		}
		f(name, text[start+statMode:start+statMode+4], text[start+statSize:start+statSize+id])
	}
	for at < end {
		if at+namePad > end || strings.Contains("link sdir", string(text[at:at+4])) {
			return false
		}
		at += namePad + int(binary.BigEndian.Uint32(text[at+4:]))
	}
	return at == end
}

// stripped reads how many bytes of the name before are not in the next one, in n bytes.
func stripped(text []byte) (value, n int) {
	for n < len(text) && n < 5 {
		b := text[n]
		n++
		value = value<<7 | int(b&0x7f)
		if b&0x80 == 0 {
			return value, n
		}
		value++
	}
	return 0, 0
}
