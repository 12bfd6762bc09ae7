package lsp

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
)

func TestPositions(t *testing.T) {
	t.Parallel()
	const text = "a😀b\r\nzwö\rlast"
	tests := []struct {
		units  encoding
		at     position
		offset int
		back   position
	}{
		{utf16Units, position{0, 0}, 0, position{0, 0}},
		{utf16Units, position{0, 1}, 1, position{0, 1}},
		{utf16Units, position{0, 2}, 1, position{0, 1}}, // within a surrogate pair
		{utf16Units, position{0, 3}, 5, position{0, 3}},
		{utf16Units, position{0, 4}, 6, position{0, 4}},
		{utf16Units, position{0, 99}, 6, position{0, 4}}, // beyond the line
		{utf16Units, position{1, 3}, 12, position{1, 3}},
		{utf16Units, position{2, 0}, 13, position{2, 0}}, // CR alone ends a line
		{utf16Units, position{9, 9}, 17, position{2, 4}},
		{utf16Units, position{-1, 5}, 0, position{0, 0}},
		{utf16Units, position{1, -5}, 8, position{1, 0}},
		{utf8Units, position{0, 5}, 5, position{0, 5}},
		{utf8Units, position{0, 3}, 1, position{0, 1}}, // within a character
		{utf32Units, position{0, 2}, 5, position{0, 2}},
	}
	for _, tc := range tests {
		m := newTextMap([]byte(text), tc.units)
		if got := m.offset(tc.at); got != tc.offset {
			t.Errorf("%s %v: offset %d, want %d", tc.units, tc.at, got, tc.offset)
		}
		if got := m.position(tc.offset); got != tc.back {
			t.Errorf("%s %d: position %v, want %v", tc.units, tc.offset, got, tc.back)
		}
	}
	m := newTextMap([]byte("ab"), utf16Units)
	m.bom = 1
	if got := m.offset(position{0, 2}); got != 1 {
		t.Errorf("after a byte order mark: %d", got)
	}
	if got := m.position(1); got != (position{0, 2}) {
		t.Errorf("after a byte order mark: %v", got)
	}
}

func FuzzPositions(f *testing.F) {
	f.Add("a😀b\r\nx", 0, 2)
	f.Add("\xff\xfe\r", 1, 1)
	f.Fuzz(func(t *testing.T, text string, line, character int) {
		for _, units := range []encoding{utf8Units, utf16Units, utf32Units} {
			m := newTextMap([]byte(text), units)
			at := m.offset(position{line, character})
			if at < 0 || at > len(text) {
				t.Fatalf("offset %d of %d", at, len(text))
			}
			if again := m.offset(m.position(at)); again != at {
				t.Fatalf("%d becomes %d", at, again)
			}
		}
	})
}

// The lines of a changed text are those of the text, and positions in long lines are counted
// from marks as from the start.
func TestLinesAfterChanges(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"", "a", "\n", "\r", "\r\n", "x\ny", "😀", "é\r", "\nz", strings.Repeat("é😀", 700)}
	for range 200 {
		m := linesOf([]byte("one\r\ntwo\rthree\n😀 four"), utf16Units)
		for range 40 {
			start := m.offset(m.position(r.IntN(len(m.text) + 1)))
			end := m.offset(m.position(start + r.IntN(min(6, len(m.text)-start+1))))
			m.replace(doc.Span{Start: start, End: max(start, end)}, pieces[r.IntN(len(pieces))])
			fresh := linesOf(m.text, m.units)
			if !slices.Equal(m.starts, fresh.starts) {
				t.Fatalf("%q: lines %d, want %d", m.text, m.starts, fresh.starts)
			}
		}
		marked := newTextMap(m.text, m.units)
		for at := 0; at <= len(m.text); at += 1 + r.IntN(300) {
			p := m.position(at)
			if got := marked.position(at); got != p {
				t.Fatalf("position of %d is %v, want %v", at, got, p)
			}
			for _, p := range []position{p, {p.Line, p.Character + 1}, {p.Line, p.Character + 5000}} {
				if got, want := marked.offset(p), m.offset(p); got != want {
					t.Fatalf("offset of %v is %d, want %d", p, got, want)
				}
			}
		}
	}
}

// Work in proportion to the text for each link or change would take minutes here.
func TestPositionsAndChangesOfLargeTexts(t *testing.T) {
	t.Parallel()
	long := newTextMap([]byte(strings.Repeat("😀 [[Ada]] ", 200_000)), utf16Units)
	for at := 0; at < len(long.text); at += 12 {
		long.position(at)
	}
	d := &document{text: []byte(strings.Repeat("A line of text.\n", 60_000)), units: utf16Units}
	var changes []contentChange
	for n := range 3000 {
		at := position{Line: 60_000 - 20*n, Character: 2}
		changes = append(changes, contentChange{Range: &span{at, at}, Text: "long\n"})
	}
	if got := len(d.changed(2, changes).text); got != 60_000*16+3000*5 {
		t.Errorf("%d bytes", got)
	}
}
