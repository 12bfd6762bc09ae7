package importer

import (
	"bytes"
	"hash/maphash"
	"slices"
)

// pageLines finds the texts of parts in a page. A page may have 100,000 parts; if there are
// many, lines are found by their hashes.
type pageLines struct {
	text []byte // with LF, surrounded by LF
	seed maphash.Seed
	last map[uint64]int32 // by hash, the number of the last line with it; nil if there are few parts
	at   []int32          // start of each line
	same []int32          // number of the previous line with the same hash, or -1
}

// fewParts is the number of parts up to which each part is searched for in the whole page.
const fewParts = 64

func newPageLines(text []byte, parts int) *pageLines {
	l := &pageLines{text: slices.Concat([]byte("\n"), bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\n"))}
	if parts <= fewParts {
		return l
	}
	l.seed, l.last = maphash.MakeSeed(), map[uint64]int32{}
	at := int32(0)
	for line := range bytes.Lines(l.text) {
		h := maphash.Bytes(l.seed, line)
		before, there := l.last[h]
		if !there {
			before = -1
		}
		l.last[h] = int32(len(l.at))
		l.at, l.same = append(l.at, at), append(l.same, before)
		at += int32(len(line))
	}
	return l
}

// have reports whether the page contains a text.
func (l *pageLines) have(text []byte) bool {
	if l.last == nil {
		return bytes.Contains(l.text, text)
	}
	if len(text) > 0 && text[0] != '\n' { // an id, which is on its own line unless somebody edited it
		_, there := l.last[maphash.Bytes(l.seed, slices.Concat([]byte("<!-- "), text, []byte(" -->\n")))]
		return there || bytes.Contains(l.text, text)
	}
	var (
		longest   []byte // longest whole line: short lines repeat more often
		from, pos int
	)
	for line := range bytes.Lines(text) {
		if len(line) > max(1, len(longest)) && line[len(line)-1] == '\n' {
			longest, from = line, pos
		}
		pos += len(line)
	}
	if longest == nil {
		return bytes.Contains(l.text, text)
	}
	i, there := l.last[maphash.Bytes(l.seed, longest)]
	for ; there && i >= 0; i = l.same[i] {
		if start := int(l.at[i]) - from; start >= 0 && bytes.HasPrefix(l.text[start:], text) {
			return true
		}
	}
	return false
}
