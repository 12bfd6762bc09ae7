package tokenizer

import (
	"encoding/binary"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"

	"github.com/cairn-kb/cairn/internal/kb"
)

const (
	// maxReplacement is the maximum length of the replacement of one character, in bytes.
	// The longest of NFKC has 33.
	maxReplacement = 256
	// maxCluster is the length below which the reference looks up a whole grapheme cluster,
	// in bytes.
	maxCluster = 6
)

// charsMap replaces characters by a table compiled by SentencePiece: a double array in the
// format of darts-clone, from the bytes of a character to the position of its replacement.
type charsMap struct {
	units []uint32
	text  string // replacements, each with a zero byte after it
}

// newCharsMap reads a precompiled map: the size of the array in bytes as
// uint32, the array, the replacements; all numbers little-endian.
func newCharsMap(b []byte) (*charsMap, error) {
	if len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)-4) {
		return nil, kb.Errorf(kb.Damaged, "the map of characters in tokenizer.json ends within its table")
	}
	size := int(binary.LittleEndian.Uint32(b))
	m := &charsMap{units: make([]uint32, size/4), text: string(b[4+size:])}
	for i := range m.units {
		m.units[i] = binary.LittleEndian.Uint32(b[4+4*i:])
	}
	if len(m.units) == 0 || !utf8.ValidString(m.text) {
		return nil, kb.Errorf(kb.Damaged, "the map of characters in tokenizer.json cannot be read")
	}
	for part := range strings.SplitSeq(m.text, "\x00") {
		if len(part) > maxReplacement {
			return nil, kb.Errorf(kb.Damaged, "the map of characters in tokenizer.json has a replacement of %d bytes", len(part))
		}
	}
	return m, nil
}

func (m *charsMap) normalize(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	clusters := graphemes.FromString(text)
	for clusters.Next() {
		cluster := clusters.Value()
		if len(cluster) < maxCluster {
			// The replacement of a prefix replaces the whole cluster: models were trained
			// with this rule.
			if s, ok := m.find(cluster); ok {
				b.WriteString(s)
				continue
			}
		}
		for _, r := range cluster {
			c := string(r)
			if s, ok := m.find(c); ok {
				c = s
			}
			b.WriteString(c)
		}
	}
	return b.String()
}

// find returns the replacement of the shortest prefix of key in the map.
func (m *charsMap) find(key string) (string, bool) {
	at := offset(m.units[0])
	for i := range len(key) {
		at ^= uint32(key[i])
		if key[i] == 0 || int64(at) >= int64(len(m.units)) {
			return "", false
		}
		unit := m.units[at]
		if unit&(1<<31|0xff) != uint32(key[i]) {
			return "", false
		}
		at ^= offset(unit)
		if unit&(1<<8) == 0 { // no key ends here
			continue
		}
		if int64(at) >= int64(len(m.units)) {
			return "", false
		}
		return m.replacement(m.units[at] &^ (1 << 31))
	}
	return "", false
}

// offset returns the distance from a unit to its children.
func offset(unit uint32) uint32 { return unit >> 10 << (unit & (1 << 9) >> 6) }

// replacement returns the text that starts at a position.
func (m *charsMap) replacement(at uint32) (string, bool) {
	if int64(at) >= int64(len(m.text)) || !utf8.RuneStart(m.text[at]) {
		return "", false
	}
	s, _, _ := strings.Cut(m.text[at:], "\x00")
	return s, true
}
