package render

import (
	"bytes"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// Part is the part of a large document that is shown.
type Part struct {
	First, Last   int  // its lines; 0 when the document is shown whole
	Before, After int  // first lines of the parts around it; 0 for none
	IsCut         bool // it is the beginning of one line
}

// IsWhole reports whether all of the document is shown.
func (p Part) IsWhole() bool { return p.First == 0 }

// choose tells the caller which part is shown, once.
func (s *Source) choose() {
	if told := s.Chosen; told != nil {
		s.Chosen = nil
		told(s.shown)
	}
}

// part chooses the part of a text that is shown. Starts are the offsets at which a part may
// begin, in ascending order; the parts are the same whichever of them is asked for.
func (s *Source) part(text []byte, starts []int) doc.Span {
	s.shown = Part{}
	defer s.choose()
	span := doc.Span{End: len(text)}
	begins := []int{0}
	for i, at := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		if last := begins[len(begins)-1]; at > last && end-last > s.Size {
			begins = append(begins, at)
		}
	}
	if len(begins) == 1 {
		return span
	}
	i := len(begins) - 1
	for begins[i] > s.wanted {
		i--
	}
	span.Start = begins[i]
	s.shown.First = s.lineAt(span.Start)
	if i > 0 {
		s.shown.Before = s.lineAt(begins[i-1])
	}
	if i+1 < len(begins) {
		span.End = begins[i+1]
		s.shown.After = s.lineAt(span.End)
	}
	s.shown.Last = s.lineAt(span.End - 1)
	return span
}

// want finds the place that the reader asked for.
func (s *Source) want(d *doc.Document, all []Heading) {
	line := max(1, s.First)
	switch {
	case s.At != "":
		line = s.lineOf(d.Text, all)
	case s.From > 0:
		line = s.From
	case s.Here > 0:
		line = s.Here
	}
	if n := line - max(1, s.First); n > 0 && n <= len(s.newline) {
		s.wanted = s.newline[n-1] + 1
	}
}

// lineOf is the line of the heading or block whose element has the id At; 0 for none.
func (s *Source) lineOf(text []byte, all []Heading) int {
	for _, h := range all {
		if h.ID == s.At {
			return h.Line
		}
	}
	id, ok := strings.CutPrefix(s.At, "b-")
	if !ok {
		return 0
	}
	for _, m := range markedLine().FindAllSubmatchIndex(text, -1) {
		if slug(string(text[m[2]:m[3]])) == id {
			return s.lineAt(m[2])
		}
	}
	return 0
}

var markedLine = lazyregexp.New(`(?m)(?:^|[ \t])\^([A-Za-z0-9-]+)[ \t]*\r?$`)

// asWritten is a text, or its part, as it is written.
func (s *Source) asWritten(text []byte) string {
	if s.hasParts() {
		s.newlines(text)
		starts := make([]int, 0, len(s.newline)+1)
		for _, at := range append([]int{-1}, s.newline...) {
			starts = append(starts, at+1)
		}
		span := s.part(text, starts)
		text = text[span.Start:span.End]
	}
	return plain(text)
}

// orgPart chooses the part of an Org text that is shown. It begins at a heading.
func (s *Source) orgPart(d *doc.Document) (part orgPart) {
	var starts []int
	for _, h := range headings(d) {
		starts = append(starts, h.Section.Start)
	}
	part.Span = s.part(d.Text, starts)
	part.settings = string(bytes.Join(orgSetting().FindAll(d.Text[:part.Start], -1), nil))
	return part
}

var orgSetting = lazyregexp.New(`(?mi)^#\+(?:link|macro|options):.*\n`)
