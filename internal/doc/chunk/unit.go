package chunk

import (
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/doc"
)

// unit is never cut: a sentence, a list item, a code block, or a part of one
// that is longer than a chunk.
type unit struct {
	span    doc.Span
	text    string
	tokens  int
	glue    byte   // separates it from the previous unit: a line end, or a blank within a paragraph
	item    int    // number of the list item in its section from 1 on, 0 for other text
	starts  bool   // the first unit of its list item
	heading string // the path of the heading that it is, "" for text
	alone   bool   // a heading without text of its own
}

// units cuts the text under a heading. Text without words has none.
func (s *splitter) units(body doc.Span, budget int) []unit {
	var out []unit
	item := 0
	for _, b := range blocks(s.d.Text, body, s.d.Format == doc.Org) {
		from := len(out)
		switch b.kind {
		case hidden:
			continue
		case listItem:
			out = s.append(out, s.whole(b.span, budget)...)
		case verbatim:
			out = s.append(out, s.code(b.span, budget)...)
		case prose:
			for _, p := range s.sentences(b.span) {
				out = s.append(out, s.sentence(p, budget)...)
			}
		}
		if from == len(out) {
			continue
		}
		out[from].glue = '\n'
		if b.kind == listItem {
			item++
			out[from].starts = true
			for i := from; i < len(out); i++ {
				out[i].item = item
			}
		}
	}
	return out
}

// append leaves out units without text.
func (s *splitter) append(out []unit, more ...unit) []unit {
	for _, u := range more {
		if u.text != "" {
			out = append(out, u)
		}
	}
	return out
}

// whole keeps a span in one unit, or cuts it into sentences when it is longer
// than a chunk.
func (s *splitter) whole(span doc.Span, budget int) []unit {
	u := s.unit(span, true)
	if u.tokens <= budget {
		return s.append(nil, u)
	}
	var out []unit
	for _, p := range s.sentences(span) {
		out = s.append(out, s.sentence(p, budget)...)
	}
	return out
}

// sentence returns one unit, or runs of words when it is longer than a chunk.
func (s *splitter) sentence(span doc.Span, budget int) []unit {
	u := s.unit(span, true)
	if u.tokens > budget {
		return s.words(span, budget, true)
	}
	if span.Start == 0 || s.d.Text[span.Start-1] != '\n' {
		u.glue = ' '
	}
	return []unit{u}
}

// code keeps a block of code in one unit, or cuts it into lines when it is
// longer than a chunk.
func (s *splitter) code(span doc.Span, budget int) []unit {
	u := s.unit(span, false)
	if u.tokens <= budget {
		return []unit{u}
	}
	var out []unit
	for at := span.Start; at < span.End; {
		end := min(doc.LineEnd(s.d.Text, at), span.End)
		if u := s.unit(doc.Span{Start: at, End: end}, false); u.tokens > budget {
			out = s.append(out, s.words(u.span, budget, false)...)
		} else {
			out = append(out, u)
		}
		at = end
	}
	return out
}

// Text in scripts without blanks is cut into parts with about as many tokens as
// characters.
const (
	maxWord  = 100 // in characters; BERT's tokenizers read no longer ones
	wordPart = 16
)

// words cuts a span into runs of words that fit a chunk.
func (s *splitter) words(span doc.Span, budget int, markup bool) []unit {
	var out []unit
	start, sum := span.Start, 0
	for at := span.Start; at < span.End; {
		end := s.word(at, span.End)
		tokens := s.o.Count(s.text.render(doc.Span{Start: at, End: end}, markup))
		if tokens > budget {
			end = pastRunes(s.d.Text, at, end, wordPart)
			tokens = s.o.Count(s.text.render(doc.Span{Start: at, End: end}, markup))
		}
		if at > start && sum+tokens > budget {
			out = append(out, s.unit(doc.Span{Start: start, End: at}, markup))
			start, sum = at, 0
		}
		sum += tokens
		at = end
	}
	out = append(out, s.unit(doc.Span{Start: start, End: span.End}, markup))
	for i := 1; i < len(out); i++ {
		out[i].glue = ' '
	}
	return out
}

// word returns the end of the word at at, with the blanks after it. A long one
// that is not in ASCII ends early; one that is gets cut when it is rendered.
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

// pastRunes returns the end of the n characters at at, all of them before end.
func pastRunes(text []byte, at, end, n int) int {
	for ; n > 0 && at < end; n-- {
		_, size := utf8.DecodeRune(text[at:end])
		at += size
	}
	return at
}

func (s *splitter) unit(span doc.Span, markup bool) unit {
	u := unit{span: span, text: s.text.render(span, markup), glue: '\n'}
	u.tokens = s.o.Count(u.text)
	return u
}

// headingUnits returns the line of a heading. It is left out of the text where
// the heading path travels along, and always out of the count of chunks.
func (s *splitter) headingUnits(p piece, alone bool, budget int) []unit {
	h := s.n.Headings[p.heading]
	u := unit{span: p.line, text: h.Text, glue: '\n', heading: h.Path, alone: alone}
	u.tokens = s.o.Count(u.text)
	if u.tokens > budget/2 {
		return s.append(nil, s.words(p.line, budget, true)...)
	}
	if u.text == "" {
		return nil
	}
	return []unit{u}
}
