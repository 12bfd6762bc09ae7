package tokenizer

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// added is a token that the reference also recognises when it is spelled out in a text,
// regardless of the scheme.
type added struct {
	id          int32
	text        string
	left, right bool // white space on that side belongs to it
}

// spelled finds such tokens in texts.
type spelled struct {
	tokens []added   // longest first
	start  [256]bool // first bytes of the tokens
	only   int       // the only first byte, or -1
}

func newSpelled(tokens []added) *spelled {
	s := &spelled{tokens: slices.Clone(tokens), only: -1}
	slices.SortStableFunc(s.tokens, func(a, b added) int { return cmp.Compare(len(b.text), len(a.text)) })
	starts := 0
	for _, t := range s.tokens {
		if first := t.text[0]; !s.start[first] {
			s.start[first], s.only = true, int(first)
			starts++
		}
	}
	if starts > 1 {
		s.only = -1
	}
	return s
}

// cut splits a text at the first such token in it, the longest at that
// position.
func (s *spelled) cut(text string) (before string, id int32, after string, found bool) {
	for at := 0; ; at++ {
		next := s.next(text[at:])
		if next < 0 {
			return text, 0, "", false
		}
		at += next
		for _, t := range s.tokens {
			if !strings.HasPrefix(text[at:], t.text) {
				continue
			}
			before, after = text[:at], text[at+len(t.text):]
			if t.left {
				before = strings.TrimRightFunc(before, unicode.IsSpace)
			}
			if t.right {
				after = strings.TrimLeftFunc(after, unicode.IsSpace)
			}
			return before, t.id, after, true
		}
	}
}

// next returns the next position where a token may start, -1 if there is none.
func (s *spelled) next(text string) int {
	if len(s.tokens) == 0 {
		return -1
	}
	if s.only >= 0 {
		return strings.IndexByte(text, byte(s.only))
	}
	for i := range len(text) {
		if s.start[text[i]] {
			return i
		}
	}
	return -1
}
