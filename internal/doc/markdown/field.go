package markdown

import (
	"bytes"

	"github.com/cairn-kb/cairn/internal/doc"
)

// fields adds the inline fields of a paragraph after its links have been read: lines "key::
// value", and "[key:: value]" or "(key:: value)" within a line. The former start with their
// key, or with a checkbox and their key.
func (s *scanner) fields(para doc.Span) {
	if !bytes.Contains(s.text[para.Start:para.End], []byte("::")) {
		return
	}
	hidden := s.links.hiddenSpans()
	for at := para.Start; at < para.End; {
		end := min(doc.LineEnd(s.text, at), para.End)
		hidden = s.lineFields(doc.Span{Start: at, End: end}, hidden)
		at = end
	}
}

// lineFields adds the fields of one line and returns the hidden spans after it.
func (s *scanner) lineFields(line doc.Span, hidden []doc.Span) []doc.Span {
	if !bytes.Contains(s.text[line.Start:line.End], []byte("::")) {
		return hidden
	}
	start := line.Start
	for start < line.End && (s.text[start] == ' ' || s.text[start] == '\t' || s.text[start] == '>') {
		start++
	}
	if _, _, rest, ok := checkbox(trimEOL(s.text[start:line.End])); ok {
		start += len(trimEOL(s.text[start:line.End])) - len(bytes.TrimLeft(rest, " \t"))
	}
	if key, value, ok := doc.CutField(string(s.text[start:line.End])); ok {
		s.field(start, start+value.End, key, value)
		return hidden
	}
	for at := start; at < line.End; at++ {
		for len(hidden) > 0 && hidden[0].End <= at {
			hidden = hidden[1:]
		}
		if len(hidden) > 0 && hidden[0].Start <= at {
			at = hidden[0].End - 1
			continue
		}
		if c := s.text[at]; c != '[' && c != '(' || !bytes.Contains(s.text[at:min(line.End, at+maxFieldStart)], []byte("::")) {
			continue
		}
		if key, value, n, ok := doc.CutBracketField(string(s.text[at:min(line.End, at+maxField)])); ok {
			s.field(at, at+n, key, value)
			at += n - 1
		}
	}
	return hidden
}

// The bounds of a field in brackets, in bytes: up to its colons, and in all.
const (
	maxFieldStart = 72
	maxField      = 1100
)

func (s *scanner) field(at, end int, key, value doc.Span) {
	if value.Len() == 0 {
		return
	}
	if s.links.syntax.Blocks {
		s.blockField(doc.Span{Start: at, End: end}, string(s.text[at+key.Start:at+key.End]), string(s.text[at+value.Start:at+value.End]))
	}
	s.n.Properties = append(s.n.Properties, doc.PropertyValue{
		Key: string(s.text[at+key.Start : at+key.End]), Value: string(s.text[at+value.Start : at+value.End]),
		Inline: true, Span: doc.Span{Start: at, End: end},
	})
}
