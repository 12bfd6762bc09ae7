package lsp

import (
	"testing"
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
