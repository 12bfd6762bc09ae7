package forget

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
)

// A mark is the keyed hash of a piece of a removed text: by marks a text is found in a file
// without the receipt holding it. Long pieces are of lines of prose, short ones of lines
// that have no more.
const (
	longMark  = 32
	shortMark = 16

	// marksPerText bounds the marks of one text, which are spread over it.
	marksPerText = 256
)

// marks finds pieces of texts by their hashes.
type marks struct {
	salt []byte
	base uint64
	by   map[int]map[uint64][]string // by length and rolling hash: the marks
	seen map[int]*[1 << 10]uint64    // of these hashes, the first 16 bits
}

func newMarks(salt []byte) *marks {
	sum := sha256.Sum256(append([]byte("rolling"), salt...))
	return &marks{salt: salt, base: binary.LittleEndian.Uint64(sum[:]) | 1, by: map[int]map[uint64][]string{}, seen: map[int]*[1 << 10]uint64{}}
}

// sum is the keyed hash of a value, of 16 bytes.
func (m *marks) sum(kind string, value []byte) string {
	h := hmac.New(sha256.New, m.salt)
	fmt.Fprintf(h, "%s\x00", kind)
	h.Write(value)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// add marks the pieces of a text.
func (m *marks) add(text []byte) {
	all := pieces(text)
	for i, p := range all {
		if len(all) > marksPerText && i*marksPerText/len(all) == (i-1)*marksPerText/len(all) && i > 0 {
			continue
		}
		hash := m.roll(p)
		m.put(len(p), hash, fmt.Sprintf("%d.%016x.%s", len(p), hash, m.sum("piece", p)))
	}
}

func (m *marks) put(size int, hash uint64, mark string) {
	if m.by[size] == nil {
		m.by[size], m.seen[size] = map[uint64][]string{}, &[1 << 10]uint64{}
	}
	if !slices.Contains(m.by[size][hash], mark) {
		m.by[size][hash] = append(m.by[size][hash], mark)
	}
	top := hash >> 48
	m.seen[size][top>>6] |= 1 << (top & 63)
}

// read puts a mark of a receipt.
func (m *marks) read(mark string) error {
	parts := strings.Split(mark, ".")
	if len(parts) != 3 {
		return kb.Errorf(kb.Invalid, "a mark of the receipt cannot be read")
	}
	size, err := strconv.Atoi(parts[0])
	hash, hashErr := strconv.ParseUint(parts[1], 16, 64)
	if err != nil || hashErr != nil || size != longMark && size != shortMark {
		return kb.Errorf(kb.Invalid, "a mark of the receipt cannot be read")
	}
	m.put(size, hash, mark)
	return nil
}

// list returns all marks.
func (m *marks) list() []string {
	out := []string{}
	for _, by := range m.by {
		for _, all := range by {
			out = append(out, all...)
		}
	}
	slices.Sort(out)
	return out
}

// drop forgets marks.
func (m *marks) drop(hash uint64, size int) { delete(m.by[size], hash) }

func (m *marks) roll(b []byte) (h uint64) {
	for _, c := range b {
		h = h*m.base + uint64(c) + 1
	}
	return h
}

// find calls f with the place of each marked piece in b, its length and its hash, until f
// returns false.
func (m *marks) find(b []byte, f func(at, size int, hash uint64) bool) {
	for size, by := range m.by {
		if len(by) == 0 || len(b) < size {
			continue
		}
		seen, power := m.seen[size], uint64(1)
		for range size - 1 {
			power *= m.base
		}
		h := m.roll(b[:size])
		for at := 0; ; at++ {
			if top := h >> 48; seen[top>>6]&(1<<(top&63)) != 0 && len(by[h]) > 0 {
				own := fmt.Sprintf("%d.%016x.%s", size, h, m.sum("piece", b[at:at+size]))
				if slices.Contains(by[h], own) && !f(at, size, h) {
					return
				}
			}
			if at+size >= len(b) {
				break
			}
			h = (h-(uint64(b[at])+1)*power)*m.base + uint64(b[at+size]) + 1
		}
	}
}

// findIn is find in a file; it returns the place of the first piece, -1 for none.
func (m *marks) findIn(ctx context.Context, name string) (at int64, err error) {
	f, err := os.Open(name)
	if err != nil {
		return -1, fsys.Explain(err, "read %s", name)
	}
	defer f.Close() // it was only read
	const chunk = 1 << 20
	buf := make([]byte, 0, chunk+longMark)
	for offset := int64(0); ; {
		if err := ctx.Err(); err != nil {
			return -1, err
		}
		kept := len(buf)
		n, err := io.ReadFull(f, buf[kept:chunk+kept])
		buf = buf[:kept+n]
		at := int64(-1)
		m.find(buf, func(in, _ int, _ uint64) bool { at = offset + int64(in); return false })
		if at >= 0 {
			return at, nil
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return -1, nil
		}
		if err != nil {
			return -1, fsys.Explain(err, "read %s", name)
		}
		rest := min(longMark-1, len(buf))
		offset += int64(len(buf) - rest)
		buf = append(buf[:0], buf[len(buf)-rest:]...)
	}
}

// pieces are the pieces of a text that are marked.
func pieces(text []byte) (out [][]byte) {
	take := func(p []byte) {
		if varied(p) {
			out = append(out, p)
		}
	}
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		for ; len(line) >= longMark; line = line[longMark:] {
			take(line[:longMark])
		}
		if len(line) >= shortMark && len(line) < longMark {
			take(line[:shortMark])
		}
	}
	return out
}

// varied reports whether a piece has enough different bytes to be found by: a line of
// dashes is in many files.
func varied(p []byte) bool {
	var has [256]bool
	n := 0
	for _, c := range p {
		if !has[c] {
			has[c] = true
			n++
		}
	}
	return n >= 6
}

// addStored marks a text as the database stored it, which may be compressed: its first and
// last bytes are like those of others.
func (m *marks) addStored(b []byte) {
	for at := longMark; at+2*longMark <= len(b) && at < 64*longMark; at += longMark {
		if p := b[at : at+longMark]; varied(p) {
			hash := m.roll(p)
			m.put(longMark, hash, fmt.Sprintf("%d.%016x.%s", longMark, hash, m.sum("piece", p)))
		}
	}
}
