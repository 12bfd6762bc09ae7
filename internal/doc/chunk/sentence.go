package chunk

import (
	"bytes"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/sentence"
)

// sentences cuts a block into sentences. A list marker, a table row and a blank line also
// start a new sentence. A sentence does not end within a link. The spans cover the block.
func (s *splitter) sentences(b doc.Span, emit func(doc.Span)) {
	text := s.d.Text
	start := b.Start
	cut := func(at int) {
		if at > start && at < b.End {
			emit(doc.Span{Start: start, End: at})
			start = at
		}
	}
	whole := s.text.whole[markAt(s.text.whole, b.Start):]
	for i := b.Start; i < b.End; {
		for len(whole) > 0 && whole[0].End <= i {
			whole = whole[1:]
		}
		if len(whole) > 0 && whole[0].Start <= i {
			i = max(i+1, whole[0].End)
			continue
		}
		switch text[i] {
		case '\n':
			i++
			if i < b.End && (s.breaks(i, b.End) || startsRow(text[doc.LineStart(text[:i], i-1):i])) {
				cut(i)
			}
		default:
			end, ends := sentence.End(text[:b.End], start, i)
			if ends {
				cut(pastBlank(text, end, b.End))
			}
			i = max(end, start)
		}
	}
	emit(doc.Span{Start: start, End: b.End})
}

// breaks reports whether the line at i begins a new unit.
func (s *splitter) breaks(i, end int) bool {
	line := s.d.Text[i:end]
	if n := bytes.IndexByte(line, '\n'); n >= 0 {
		line = line[:n]
	}
	line = line[:min(len(line), maxLead)]
	indent, rest := indentation(bytes.TrimRight(line, "\r"))
	return len(rest) == 0 || rest[0] == '|' || markerLength(rest, s.d.Format == doc.Org, indent) > 0
}

// maxLead limits how far into a line the start of a sentence is searched for.
const maxLead = 200

func startsRow(line []byte) bool {
	_, rest := indentation(line[:min(len(line), maxLead)])
	return len(rest) > 0 && rest[0] == '|'
}

func pastBlank(text []byte, i, end int) int {
	for i < end && isSpace(text[i]) {
		i++
	}
	return i
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
