package chunk

import (
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/doc"
)

// unit is never cut: a sentence, a list item, a code block, or a part of one that is too
// long for a chunk.
type unit struct {
	span    doc.Span
	text    string
	tokens  int
	glue    byte   // separates it from the previous unit: a line end, or a blank within a paragraph
	item    int    // number of the list item in its section from 1, 0 for other text
	starts  bool   // the first unit of its list item
	heading string // path of the heading that it is, "" for text
	alone   bool   // a heading without text of its own
}

// units cuts the text under a heading. Text without words has no units. It calls emit for
// each unit, some of them without text, so that the units of a long page are not all in
// memory.
func (s *splitter) units(body doc.Span, budget int, emit func(unit)) {
	item := 0
	blocks(s.d.Text, body, s.d.Format == doc.Org, func(b block) {
		first := true
		each := func(u unit) {
			if u.text == "" {
				return
			}
			if first {
				u.glue = '\n'
			}
			if b.kind == listItem {
				if first {
					item++
				}
				u.item, u.starts = item, first
			}
			first = false
			emit(u)
		}
		switch b.kind {
		case listItem:
			s.whole(b.span, budget, each)
		case verbatim:
			s.code(b.span, budget, each)
		case prose:
			s.sentences(b.span, func(p doc.Span) { s.sentence(p, budget, each) })
		}
	})
}

// whole keeps a span in one unit, or cuts it into sentences when it is longer
// than a chunk.
func (s *splitter) whole(span doc.Span, budget int, emit func(unit)) {
	if u, ok := s.fitting(span, true, budget); ok {
		emit(u)
		return
	}
	s.sentences(span, func(p doc.Span) { s.sentence(p, budget, emit) })
}

// sentence makes one unit, or several if it is longer than a chunk.
func (s *splitter) sentence(span doc.Span, budget int, emit func(unit)) {
	u, ok := s.fitting(span, true, budget)
	if !ok {
		s.words(span, budget, true, emit)
		return
	}
	if span.Start == 0 || s.d.Text[span.Start-1] != '\n' {
		u.glue = ' '
	}
	emit(u)
}

// code keeps a block of code in one unit, or cuts it into lines when it is
// longer than a chunk.
func (s *splitter) code(span doc.Span, budget int, emit func(unit)) {
	if u, ok := s.fitting(span, false, budget); ok {
		emit(u)
		return
	}
	for at := span.Start; at < span.End; {
		end := min(doc.LineEnd(s.d.Text, at), span.End)
		line := doc.Span{Start: at, End: end}
		if u, ok := s.fitting(line, false, budget); ok {
			emit(u)
		} else {
			s.words(line, budget, false, emit)
		}
		at = end
	}
}

// Text in scripts without blanks is cut into parts with about as many tokens as characters.
const (
	maxWord  = 100 // in characters; BERT's tokenizers read no longer words
	wordPart = 16
)

// words cuts a span into runs of words that fit a chunk.
func (s *splitter) words(span doc.Span, budget int, markup bool, emit func(unit)) {
	start, sum := span.Start, 0
	run := func(end int) {
		u := s.unit(doc.Span{Start: start, End: end}, markup)
		if start > span.Start {
			u.glue = ' '
		}
		emit(u)
	}
	for at := span.Start; at < span.End; {
		end := s.word(at, span.End)
		tokens := s.o.Count(s.text.render(doc.Span{Start: at, End: end}, markup))
		if tokens > budget {
			end = pastRunes(s.d.Text, at, end, wordPart)
			tokens = s.o.Count(s.text.render(doc.Span{Start: at, End: end}, markup))
		}
		if at > start && sum+tokens > budget {
			run(at)
			start, sum = at, 0
		}
		sum += tokens
		at = end
	}
	run(span.End)
}

// word returns the end of the word at at, with the blanks after it. A long word with
// characters beyond ASCII ends early; a long ASCII word is cut when it is rendered.
func (s *splitter) word(at, end int) int {
	text := s.d.Text
	i := at
	for i < end && text[i] < utf8.RuneSelf && !isSpace(text[i]) {
		i++
	}
	if i-at > maxWord || i < end && isSpace(text[i]) {
		return pastBlank(text, i, end)
	}
	limit := pastRunes(text, at, end, maxWord)
	for i < limit && !isSpace(text[i]) {
		i++
	}
	if i == limit && limit < end {
		return pastRunes(text, at, end, wordPart)
	}
	return pastBlank(text, i, end)
}

// pastRunes returns the end of the n characters at at, at most end.
func pastRunes(text []byte, at, end, n int) int {
	for ; n > 0 && at < end; n-- {
		_, size := utf8.DecodeRune(text[at:end])
		at += size
	}
	return at
}

// fitting returns a span as one unit, if it is not longer than a chunk.
func (s *splitter) fitting(span doc.Span, markup bool, budget int) (unit, bool) {
	if span.Len() > longSpan {
		for part := range s.d.Parts(span, longSpan) { // if its start is too long, so is the whole
			if s.unit(part, markup).tokens > budget {
				return unit{}, false
			}
			break
		}
	}
	u := s.unit(span, markup)
	return u, u.tokens <= budget
}

// longSpan is the size from which a span is too long for nearly any chunk.
const longSpan = 64 << 10

func (s *splitter) unit(span doc.Span, markup bool) unit {
	u := unit{span: span, text: s.text.render(span, markup), glue: '\n'}
	u.tokens = s.o.Count(u.text)
	return u
}

// headingUnits returns the line of a heading. It is not part of the text if the context has
// the heading path, and is never counted as a chunk.
func (s *splitter) headingUnits(p piece, alone bool, budget int) []unit {
	h := s.n.Headings[p.heading]
	u := unit{span: p.line, text: h.Text, glue: '\n', heading: h.Path, alone: alone}
	u.tokens = s.o.Count(u.text)
	if u.tokens > budget/2 {
		var out []unit
		s.words(p.line, budget, true, func(u unit) {
			if u.text != "" {
				out = append(out, u)
			}
		})
		return out
	}
	if u.text == "" {
		return nil
	}
	return []unit{u}
}
