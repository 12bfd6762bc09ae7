package tokenizer

import (
	"encoding/binary"
	"encoding/json"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
)

// realMap is a map that SentencePiece compiled.
func realMap(t testing.TB) []byte {
	t.Helper()
	var f struct {
		Normalizer stepFile `json:"normalizer"`
	}
	if err := json.Unmarshal(tokenizerFiles(t)["bert-unigram"], &f); err != nil || len(f.Normalizer.CharsMap) < 1000 {
		t.Fatalf("%d bytes: %v", len(f.Normalizer.CharsMap), err)
	}
	return f.Normalizer.CharsMap
}

func TestCharsMap(t *testing.T) {
	t.Parallel()
	m, err := newCharsMap(realMap(t))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"":                  "",
		"plain":             "plain",
		"e\u0301":           "é",
		"ﬁne ½ ²":           "fine 1⁄2 2",
		"a\u00a0b\tc\u3000": "a b c ",
		"a\r\nb":            "a b",  // a cluster, as its first character
		"ﬁ\u0301":           "fi",   // and this one loses its mark
		"\x00":              "\x00", // ends a key
		"ab\u0308\u0304c":   "ab\u0308\u0304c",
	} {
		if got := m.normalize(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Units far from their children, which small maps do not have, say how far in
// steps of 256.
func TestCharsMapOffset(t *testing.T) {
	t.Parallel()
	if near, far := offset(3<<10|'a'), offset(3<<10|1<<9|'a'); near != 3 || far != 3<<8 {
		t.Errorf("offsets %d and %d", near, far)
	}
}

func TestHostileCharsMaps(t *testing.T) {
	t.Parallel()
	whole := realMap(t)
	long := append(append([]byte{4, 0, 0, 0}, 0, 0, 0, 0), make([]byte, maxReplacement+1)...)
	for i := range long[8:] {
		long[8+i] = 'x'
	}
	for name, b := range map[string][]byte{
		"nothing": nil, "three bytes": whole[:3], "half the table": whole[:500], "no table": {0, 0, 0, 0, 'a', 0},
		"no text": append(append([]byte{}, whole...), 0xff), "a long replacement": long,
	} {
		if _, err := newCharsMap(b); kb.CodeOf(err) != kb.Damaged {
			t.Errorf("%s: %v, want %s", name, err, kb.Damaged)
		}
	}
}

func FuzzCharsMap(f *testing.F) {
	f.Add(realMap(f), "a\r\nb ﬁ\u0301 ½")
	// Units that lead to themselves, and out of the table.
	loop := binary.LittleEndian.AppendUint32(nil, 8)
	loop = binary.LittleEndian.AppendUint32(loop, 'a'<<10)
	loop = binary.LittleEndian.AppendUint32(loop, 0xffffffff)
	f.Add(append(loop, "x\x00"...), "aaaa\x01")
	f.Fuzz(func(t *testing.T, b []byte, text string) {
		m, err := newCharsMap(b)
		if err != nil {
			return
		}
		if got := m.normalize(text); len(got) > maxReplacement*(len(text)+1) {
			t.Fatalf("%d bytes of %d", len(got), len(text))
		}
	})
}
