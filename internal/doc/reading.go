package doc

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MarkKind is the visibility of a part of the text that is not words.
type MarkKind uint8

// The kinds of mark.
const (
	Unseen  MarkKind = iota // link destinations, comments, HTML tags, badges: invisible to readers
	Address                 // a URL in the text: visible, but not words
	Between                 // a separator of unrelated texts: read as a line end
	Escape                  // a JSON escape: read as its character
	Echoed                  // text that a program added to repeat the text, or archived text: neither shown nor searched
)

// Mark is a part of the text that is markup rather than words.
type Mark struct {
	Span
	Kind MarkKind
}

// SettleMarks sorts marks and removes overlaps: marks within a comment are dropped. It
// reuses the memory of marks.
func SettleMarks(marks []Mark) []Mark {
	slices.SortFunc(marks, func(a, b Mark) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return b.End - a.End
	})
	out := marks[:0]
	for _, m := range marks {
		if n := len(out); n > 0 && m.Start < out[n-1].End {
			if m.End <= out[n-1].End {
				continue
			}
			m.Start = out[n-1].End
		}
		if m.Len() > 0 {
			out = append(out, m)
		}
	}
	return out
}

// eachPart calls f for the parts of a span in order: with their mark, or nil
// for text between marks.
func (d *Document) eachPart(s Span, f func(part Span, m *Mark)) {
	at := s.Start
	for i := sort.Search(len(d.Marks), func(i int) bool { return d.Marks[i].End > s.Start }); i < len(d.Marks) && d.Marks[i].Start < s.End; i++ {
		m := &d.Marks[i]
		if m.Start > at {
			f(Span{at, m.Start}, nil)
		}
		at = min(m.End, s.End)
		f(Span{max(m.Start, s.Start), at}, m)
	}
	if at < s.End {
		f(Span{at, s.End}, nil)
	}
}

// Reading returns spans of the text, in the given order, as a reader sees them: a link is
// its text, and comments, HTML tags and badges are left out. Lines without remaining text
// are dropped, and so are repeated blank lines and those at the ends.
func (d *Document) Reading(spans ...Span) string {
	w := reading{}
	for _, s := range spans {
		d.eachPart(s, func(part Span, m *Mark) { w.write(d.Text[part.Start:part.End], m) })
	}
	w.endLine()
	return strings.TrimSpace(w.out.String())
}

// ReadingLines is Reading of a span with all of its line ends, so that lines keep their
// numbers within the span.
func (d *Document) ReadingLines(s Span) []byte {
	w := reading{allLines: true}
	w.out.Grow(s.Len())
	d.eachPart(s, func(part Span, m *Mark) { w.write(d.Text[part.Start:part.End], m) })
	w.out.Write(w.line)
	return w.out.Bytes()
}

// UncommentedLines returns a span as written, with its line ends but without comments.
func (d *Document) UncommentedLines(s Span) []byte {
	out := make([]byte, 0, s.Len())
	d.eachPart(s, func(part Span, m *Mark) {
		text := d.Text[part.Start:part.End]
		if m != nil && m.Kind == Unseen && isRemark(d.Text[m.Start:]) {
			text = bytes.Repeat([]byte("\n"), bytes.Count(text, []byte("\n")))
		}
		out = append(out, text...)
	})
	return out
}

// isRemark reports whether invisible text starts with a comment of HTML, Obsidian or Org.
func isRemark(text []byte) bool {
	text = bytes.TrimLeft(text, " \t")
	return bytes.HasPrefix(text, []byte("<!--")) || bytes.HasPrefix(text, []byte("%%")) || bytes.HasPrefix(text, []byte("#"))
}

// reading writes text as a reader sees it, line by line.
type reading struct {
	out      bytes.Buffer
	allLines bool
	line     []byte
	hidden   bool // a part of the line was left out
	blank    bool // the last written line is blank
}

func (w *reading) write(text []byte, m *Mark) {
	unseen := m != nil && m.Kind != Address
	switch {
	case unseen && m.Kind == Between && !w.allLines:
		w.hidden = true
		w.endLine()
		return
	case unseen && m.Kind == Escape:
		w.escaped(text)
		return
	case unseen && (m.Kind == Between || isBreak(text)):
		w.line = append(w.line, ' ')
	}
	for len(text) > 0 {
		n := bytes.IndexByte(text, '\n')
		part := text
		if n >= 0 {
			part = text[:n]
		}
		if unseen {
			w.hidden = true
		} else {
			w.line = append(w.line, part...)
		}
		if n < 0 {
			return
		}
		w.endLine()
		text = text[n+1:]
	}
}

// escaped writes the character of an escape.
func (w *reading) escaped(text []byte) {
	c, _ := Unescape(text)
	switch {
	case c != "\n":
		w.line = append(w.line, c...)
	case w.allLines:
		w.line = append(w.line, ' ')
	default:
		w.endLine()
	}
}

// Unescape returns the character of the JSON escape at the start of a text, and
// the escape's length: 12 for a surrogate pair, 0 for none.
func Unescape(text []byte) (c string, n int) {
	for _, n = range []int{12, 6, 2} {
		if len(text) < n || text[0] != '\\' || (text[1] == 'u') != (n > 2) || n == 12 && text[6] != '\\' {
			continue
		}
		err := json.Unmarshal(slices.Concat([]byte{'"'}, text[:n], []byte{'"'}), &c)
		if err == nil && (n < 12 || utf8.RuneCountInString(c) == 1) {
			return c, n
		}
	}
	return "", 0
}

// isBreak reports whether markup is an HTML line break.
func isBreak(markup []byte) bool {
	return len(markup) > 3 && markup[0] == '<' && bytes.EqualFold(markup[1:3], []byte("br"))
}

func (w *reading) endLine() {
	line := w.line
	if w.hidden {
		if line = bytes.TrimRight(line, " \t\r"); !hasWords(line) {
			line = nil
		}
	}
	empty := len(bytes.TrimSpace(line)) == 0
	switch {
	case w.allLines:
		w.out.Write(line)
		w.out.WriteByte('\n')
	case w.hidden && empty:
	case empty && w.blank:
	default:
		w.out.Write(line)
		w.out.WriteByte('\n')
		w.blank = empty
	}
	w.line, w.hidden = w.line[:0], false
}

// hasWords reports whether a line contains anything other than signs.
func hasWords(line []byte) bool {
	for len(line) > 0 {
		r, n := utf8.DecodeRune(line)
		if r > unicode.MaxASCII && !unicode.IsSpace(r) || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return true
		}
		line = line[n:]
	}
	return false
}

// Parts cuts a span after blanks and line ends outside of marks into parts of about the
// given size. The words of the parts are those of the span.
func (d *Document) Parts(s Span, size int) iter.Seq[Span] {
	return func(yield func(Span) bool) {
		for s.Len() > size {
			end := d.cutAfter(Span{s.Start + size, s.End})
			if !yield(Span{s.Start, end}) {
				return
			}
			s.Start = end
		}
		if s.Len() > 0 {
			yield(s)
		}
	}
}

// cutAfter returns the end of the first blank or line end in a span that is not in a
// mark, or the end of the span.
func (d *Document) cutAfter(s Span) int {
	next := sort.Search(len(d.Marks), func(i int) bool { return d.Marks[i].End > s.Start })
	for s.Len() > 0 {
		n := bytes.IndexAny(d.Text[s.Start:s.End], " \n")
		if n < 0 {
			break
		}
		at := s.Start + n
		for next < len(d.Marks) && d.Marks[next].End <= at {
			next++
		}
		if next == len(d.Marks) || at < d.Marks[next].Start {
			return at + 1
		}
		s.Start = d.Marks[next].End
	}
	return s.End
}

// Words returns the words of a span and, separately, the markup: invisible text and
// addresses.
func (d *Document) Words(s Span) (words, markup string) {
	var w, m strings.Builder
	w.Grow(s.End - s.Start)
	d.eachPart(s, func(part Span, mark *Mark) {
		text := d.Text[part.Start:part.End]
		if mark == nil {
			w.Write(text)
			return
		}
		if mark.Kind == Escape {
			c, _ := Unescape(text)
			w.WriteString(c)
			return
		}
		if isBreak(text) || mark.Kind == Address || mark.Kind == Between {
			w.WriteByte(' ')
		}
		if mark.Kind != Echoed && mark.Kind != Between && hasWords(text) {
			m.Write(text)
			m.WriteByte('\n')
		}
	})
	return w.String(), m.String()
}
