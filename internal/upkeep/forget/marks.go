package forget

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
)

// A mark is the keyed hash of a piece of a removed text. With marks a text can be
// found in a file although the receipt does not contain it. Long pieces come from
// lines of prose, short ones from shorter lines.
const (
	longMark  = 32
	shortMark = 16

	// minBits is the minimum entropy of a piece in bits, estimated from its digits
	// and other bytes.
	minBits = 64

	// marksPerText limits the marks of one text, which are spread over it.
	marksPerText = 256
)

// marks finds pieces of texts by their hashes. The rolling hash is a filter: a mark
// stores only 16 bits of it, since with more bits and the key the piece could be
// reconstructed. The keyed hash decides.
type marks struct {
	salt []byte
	base uint64
	mac  hash.Hash
	by   map[int]map[uint16]map[string]bool // marks by length and filter
}

func newMarks(salt []byte) *marks {
	sum := sha256.Sum256(append([]byte("rolling"), salt...))
	return &marks{salt: salt, base: binary.LittleEndian.Uint64(sum[:]) | 1, mac: hmac.New(sha256.New, salt), by: map[int]map[uint16]map[string]bool{}}
}

// sum returns the keyed hash of a value, 16 bytes long.
func (m *marks) sum(kind string, value []byte) string {
	m.mac.Reset()
	m.mac.Write([]byte(kind + "\x00"))
	m.mac.Write(value)
	return hex.EncodeToString(m.mac.Sum(nil)[:16])
}

// mark returns the mark of a piece with a filter.
func (m *marks) mark(filter uint16, piece []byte) string {
	return fmt.Sprintf("%d.%04x.%s", len(piece), filter, m.sum("piece", piece))
}

// filter returns the part of a rolling hash that marks store.
func filter(hash uint64) uint16 { return uint16(hash >> 48) }

// add marks the pieces of a text.
func (m *marks) add(text []byte) {
	all := pieces(text)
	for i, p := range all {
		if len(all) > marksPerText && i*marksPerText/len(all) == (i-1)*marksPerText/len(all) && i > 0 {
			continue
		}
		m.addPiece(p)
	}
}

func (m *marks) addPiece(p []byte) {
	f := filter(m.roll(p))
	m.put(len(p), f, m.mark(f, p))
}

func (m *marks) put(size int, filter uint16, mark string) {
	if m.by[size] == nil {
		m.by[size] = map[uint16]map[string]bool{}
	}
	if m.by[size][filter] == nil {
		m.by[size][filter] = map[string]bool{}
	}
	m.by[size][filter][mark] = true
}

// read adds a mark of a receipt.
func (m *marks) read(mark string) error {
	parts := strings.Split(mark, ".")
	if len(parts) != 3 {
		return kb.Errorf(kb.Invalid, "a mark of the receipt cannot be read")
	}
	size, err := strconv.Atoi(parts[0])
	f, hashErr := strconv.ParseUint(parts[1], 16, 16)
	if err != nil || hashErr != nil || size != longMark && size != shortMark {
		return kb.Errorf(kb.Invalid, "a mark of the receipt cannot be read")
	}
	m.put(size, uint16(f), mark)
	return nil
}

// list returns all marks.
func (m *marks) list() []string {
	out := []string{}
	for _, by := range m.by {
		for _, all := range by {
			out = slices.AppendSeq(out, maps.Keys(all))
		}
	}
	slices.Sort(out)
	return out
}

// drop removes the mark of a piece.
func (m *marks) drop(piece []byte) {
	f := filter(m.roll(piece))
	delete(m.by[len(piece)][f], m.mark(f, piece))
}

func (m *marks) roll(b []byte) (h uint64) {
	for _, c := range b {
		h = h*m.base + uint64(c) + 1
	}
	return h
}

// find calls f with the position of each marked piece in b and the piece, until f
// returns false.
func (m *marks) find(b []byte, f func(at int, piece []byte) bool) {
	for size, by := range m.by {
		if len(by) == 0 || len(b) < size {
			continue
		}
		power := uint64(1)
		var seen [1 << 10]uint64
		for top := range by {
			seen[top>>6] |= 1 << (top & 63)
		}
		for range size - 1 {
			power *= m.base
		}
		h := m.roll(b[:size])
		for at := 0; ; at++ {
			if top := filter(h); seen[top>>6]&(1<<(top&63)) != 0 && varied(b[at:at+size]) {
				if piece := b[at : at+size]; by[top][m.mark(top, piece)] && !f(at, piece) {
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

// unreadable lists the first bytes of compressed and encrypted files.
var unreadable = []struct{ begin, what string }{
	{"age-encryption.org/", "age"}, {"-----BEGIN AGE ENCRYPTED", "age"}, {"-----BEGIN PGP MESSAGE", "PGP"},
	{"\x1f\x8b", "gzip"}, {"\x28\xb5\x2f\xfd", "zstd"}, {"PK\x03\x04", "zip"},
	{"\xfd7zXZ\x00", "xz"}, {"BZh", "bzip2"}, {"7z\xbc\xaf\x27\x1c", "7z"}, {"\x04\x22\x4d\x18", "lz4"},
}

// scanned is the result of findIn for a file.
type scanned struct {
	at     int64   // of the first piece, -1 for none
	sum    kb.Hash // of the whole file, if it contains no piece
	format string  // compression or encryption of the file, "" for none
}

// findIn is find for a file.
func (m *marks) findIn(ctx context.Context, name string) (out scanned, err error) {
	out.at = -1
	f, err := fsys.OpenRegular(name)
	if err != nil {
		return out, fsys.Explain(err, "read %s", name)
	}
	whole := sha256.New()
	defer f.Close() // opened for reading only
	const chunk = 1 << 20
	buf := make([]byte, 0, chunk+longMark)
	for offset := int64(0); ; {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		kept := len(buf)
		n, err := io.ReadFull(f, buf[kept:chunk+kept])
		buf = buf[:kept+n]
		whole.Write(buf[kept:])
		if offset == 0 && kept == 0 {
			for _, u := range unreadable {
				if bytes.HasPrefix(buf, []byte(u.begin)) {
					out.format = u.what
				}
			}
		}
		m.find(buf, func(in int, _ []byte) bool { out.at = offset + int64(in); return false })
		if out.at >= 0 {
			return out, nil
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			out.sum = kb.Hash(whole.Sum(nil))
			return out, nil
		}
		if err != nil {
			return out, fsys.Explain(err, "read %s", name)
		}
		rest := min(longMark-1, len(buf))
		offset += int64(len(buf) - rest)
		buf = append(buf[:0], buf[len(buf)-rest:]...)
	}
}

// pieces returns the pieces of a text to be marked.
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

// varied reports whether a piece is suitable for a mark. It needs enough different
// bytes, unlike a line of dashes, and enough possible values that it cannot be
// guessed from its hash, unlike a card number.
func varied(p []byte) bool {
	var has [256]bool
	n, bits := 0, 0.0
	for _, c := range p {
		if c >= '0' && c <= '9' {
			bits += 3.3
		} else {
			bits += 4.7
		}
		if !has[c] {
			has[c] = true
			n++
		}
	}
	return n >= 6 && bits >= minBits
}

// addStored marks a text in its stored form, which may be compressed: the first and
// last bytes of compressed texts are alike.
func (m *marks) addStored(b []byte) {
	for at := longMark; at+2*longMark <= len(b) && at < 64*longMark; at += longMark {
		if p := b[at : at+longMark]; varied(p) {
			m.addPiece(p)
		}
	}
}
