package git

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
)

// Where the fields of an entry of an index are.
const (
	statMode  = 24 // after times, device and inode
	statSize  = 40
	extended  = 0x4000 // in the flags: more flags follow
	stages    = 0x3000 // in the flags: the file has a conflict
	statTime  = 8      // of the last change, in seconds
	statBytes = 36
	indexHead = 12
	namePad   = 8
	longName  = 0xfff // the length of a name that is as long, or longer
)

// readIndex returns the entries of an index, in the bytes of its file, with wanted names in
// the work tree. ok is false for an index that only git can read.
func (r *Repo) readIndex(text []byte, wanted map[string]bool) (out map[string]Entry, ok bool) {
	out = map[string]Entry{}
	ok = r.eachEntry(text, func(e indexEntry) {
		if wanted[string(e.name)] {
			out[string(e.name)] = e.entry()
		}
	})
	return out, ok
}

// indexEntry is an entry of an index, in the bytes of its file.
type indexEntry struct {
	name, mode, id []byte
	flags          uint16
	raw            []byte // all of it, with its padding
}

func (e indexEntry) entry() Entry {
	return Entry{Mode: fmt.Sprintf("%06o", binary.BigEndian.Uint32(e.mode)), ID: hex.EncodeToString(e.id)}
}

// readIndexFile returns the bytes of an index in the directory of git, nil where they cannot
// be read.
func (r *Repo) readIndexFile(name string) []byte {
	text, err := fsys.ReadRegular(filepath.Join(r.Dir, filepath.FromSlash(name)), maxIndex)
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
		ok = r.eachEntry(text, func(e indexEntry) {
			if !ours[string(e.name)] {
				for _, part := range [][]byte{e.name, {0}, e.mode, e.id} {
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

// eachEntry reads the entries of an index, whose names are those in the work tree. It reports
// false for an index that only git can read: a split or sparse one, one of a later version, a
// damaged one.
func (r *Repo) eachEntry(text []byte, f func(indexEntry)) bool {
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
		flags := binary.BigEndian.Uint16(text[at-2:])
		if flags&extended != 0 && version > 2 {
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
		f(indexEntry{name, text[start+statMode : start+statMode+4], text[start+statSize : start+statSize+id], flags, text[start:min(at, end)]})
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

// withoutSizes returns an index that was written at a time without the sizes of files that changed
// then or later: they may have changed after they were added. Git sees that from the time of the
// index, and in a later one from entries without a size.
func (r *Repo) withoutSizes(text []byte, written time.Time) []byte {
	out, any := bytes.Clone(text), false
	if !r.eachEntry(out, func(e indexEntry) {
		if int64(binary.BigEndian.Uint32(e.raw[statTime:])) >= written.Unix() {
			clear(e.raw[statBytes:statSize])
			any = true
		}
	}) || !any {
		return text
	}
	end := len(out) - len(r.None)/2
	return append(out[:end], r.sum(out[:end])...)
}

// reviseIndex returns the bytes of an index with these files at paths of the Tree, and no others
// there, as "git update-index --index-info" makes it. It reports false where that is left to git.
func (r *Repo) reviseIndex(text []byte, paths []string, files map[string]Entry) ([]byte, bool) {
	if !r.writesObjects() || len(text) < indexHead || binary.BigEndian.Uint32(text[4:]) != 2 {
		return nil, false
	}
	names, next := r.Paths(paths), 0
	slices.Sort(names)
	names = slices.Compact(names)
	dirs := map[string]bool{"": true} // in which they are
	for _, name := range names {
		for dir := above(name); !dirs[dir]; dir = above(dir) {
			dirs[dir] = true
		}
	}
	var out []byte
	count, odd, last := uint32(0), false, indexHead
	add := func() { // the file at the next path
		e, there := files[strings.TrimPrefix(names[next], r.Prefix)]
		if there {
			added, ok := newEntry(names[next], e)
			out, odd = append(out, added...), odd || !ok
			count++
		}
		next++
	}
	out = append(out, text[:indexHead]...)
	ok := r.eachEntry(text, func(e indexEntry) {
		last += len(e.raw)
		for next < len(names) && names[next] < string(e.name) {
			add()
		}
		// A file that takes the place of a directory, or the other way round.
		odd = odd || e.flags&stages != 0 || dirs[string(e.name)]
		for dir := above(string(e.name)); dir != "" && !odd; dir = above(dir) {
			_, odd = slices.BinarySearch(names, dir)
		}
		if next == len(names) || names[next] != string(e.name) {
			out = append(out, e.raw...)
			count++
		}
	})
	for next < len(names) {
		add()
	}
	if !ok || odd {
		return nil, false
	}
	binary.BigEndian.PutUint32(out[8:], count)
	for at, end := last, len(text)-len(r.None)/2; at < end; {
		size := namePad + int(binary.BigEndian.Uint32(text[at+4:]))
		switch kind := string(text[at : at+4]); kind {
		case "TREE":
			tree, ok := r.invalidate(text[at+namePad:at+size], dirs)
			if !ok {
				return nil, false
			}
			out = binary.BigEndian.AppendUint32(append(out, kind...), uint32(len(tree)))
			out = append(out, tree...)
		case "UNTR", "FSMN", "REUC": // caches that are kept in step with the entries, and conflicts that were resolved
			return nil, false
		}
		at += size
	}
	return append(out, r.sum(out)...), true
}

// newEntry is the entry of a file of which no times are known.
func newEntry(name string, e Entry) (out []byte, ok bool) {
	mode, err := strconv.ParseUint(e.Mode, 8, 32)
	id, notHex := hex.DecodeString(e.ID)
	out = make([]byte, statSize, statSize+len(id)+len(name)+2*namePad)
	binary.BigEndian.PutUint32(out[statMode:], uint32(mode))
	out = append(out, id...)
	out = binary.BigEndian.AppendUint16(out, uint16(min(len(name), longName)))
	out = append(out, name...)
	return append(out, make([]byte, namePad-len(out)%namePad)...), err == nil && notHex == nil && e.Mode != ""
}

// invalidate returns the cached trees of an index without the ids of these directories.
func (r *Repo) invalidate(trees []byte, dirs map[string]bool) (out []byte, ok bool) {
	var read func(above string) bool
	read = func(above string) bool {
		name, rest, named := bytes.Cut(trees, []byte{0})
		line, rest, ended := bytes.Cut(rest, []byte("\n"))
		var entries, below int
		if _, err := fmt.Sscanf(string(line), "%d %d", &entries, &below); err != nil || !named || !ended {
			return false
		}
		id := 0
		if entries >= 0 {
			id = len(r.None) / 2
		}
		if len(rest) < id {
			return false
		}
		dir := path.Join(above, string(name))
		out = append(append(out, name...), 0)
		if dirs[dir] {
			out = fmt.Appendf(out, "-1 %d\n", below)
		} else {
			out = append(append(append(out, line...), '\n'), rest[:id]...)
		}
		trees = rest[id:]
		for range below {
			if !read(dir) {
				return false
			}
		}
		return true
	}
	ok = read("") && len(trees) == 0
	return out, ok
}
