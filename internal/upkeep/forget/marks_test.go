package forget

import (
	"regexp"
	"testing"
)

// A mark has 16 bits of the rolling hash: more of them could be solved for the piece.
func TestMarksHideTheRollingHash(t *testing.T) {
	t.Parallel()
	m := newMarks([]byte("0123456789abcdef"))
	text := []byte("A sentence about the harbour of Trondheim.\nand sixteen bytes\nCard 4111111111111111\npin 482913570264\n")
	m.add(text)
	all := m.list()
	if len(all) != 2 {
		t.Errorf("the marks are %v: numbers that can be guessed have none", all)
	}
	for _, mark := range all {
		if !regexp.MustCompile(`^(16|32)\.[0-9a-f]{4}\.[0-9a-f]{32}$`).MatchString(mark) {
			t.Errorf("the mark %s", mark)
		}
	}
	read := newMarks(m.salt)
	for _, mark := range all {
		if err := read.read(mark); err != nil {
			t.Fatal(err)
		}
	}
	found := 0
	read.find(text, func(int, []byte) bool { found++; return true })
	if found != 2 {
		t.Errorf("%d pieces are found", found)
	}
	read.find(text, func(_ int, piece []byte) bool { read.drop(piece); return true })
	if left := read.list(); len(left) != 0 {
		t.Errorf("after they were dropped: %v", left)
	}
}
