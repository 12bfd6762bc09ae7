package org

import (
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// blockLen is the length of a link to a block, "((UUID))".
const blockLen = 36 + 4

// block reads the link to a block at i. Its id is not a word.
func (l *linkScanner) block(i int) (end int, ok bool) {
	end = i + blockLen
	if end > len(l.s) {
		return 0, false
	}
	if _, ok := l.blockTarget(i, end); !ok {
		return 0, false
	}
	l.add(i, end, i, end, "")
	from := i
	if before, ok := strings.CutSuffix(l.s[:i], "{{embed "); ok && strings.HasPrefix(l.s[end:], "}}") {
		from, end = len(before), end+len("}}")
	}
	l.note(from, end, doc.Unseen)
	return end, true
}

// blockTarget parses [from,to) as "((UUID))".
func (l *linkScanner) blockTarget(from, to int) (doc.Target, bool) {
	s := l.s[from:to]
	if !l.blocks || len(s) != blockLen || !strings.HasPrefix(s, "((") || !strings.HasSuffix(s, "))") {
		return doc.Target{}, false
	}
	raw := s[2 : len(s)-2]
	id, ok := kb.ParseID(raw)
	return doc.Target{
		Kind: doc.BlockRef, Raw: raw, Name: string(id), Block: string(id),
		NameAt: doc.Span{Start: l.base + from + 2, End: l.base + to - 2},
	}, ok
}
