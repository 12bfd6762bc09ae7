package chunk

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/doc"
)

// sentences cuts a block into its sentences. A list marker, a table row and a
// blank line begin a new one, too. A sentence does not end within a link. The
// spans cover the block.
func (s *splitter) sentences(b doc.Span) []doc.Span {
	var out []doc.Span
	text := s.d.Text
	start := b.Start
	cut := func(at int) {
		if at > start && at < b.End {
			out = append(out, doc.Span{Start: start, End: at})
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
		switch c := text[i]; {
		case c == '\n':
			i++
			if i < b.End && (s.breaks(i, b.End) || startsRow(text[doc.LineStart(text[:i], i-1):i])) {
				cut(i)
			}
		case c == '.' || c == '!' || c == '?':
			end := pastClosing(text, i+1, b.End)
			if next := pastBlank(text, end, b.End); next > end && s.ends(i, start, next, b.End) {
				cut(next)
			}
			i = end
		case c == 0xE3 || c == 0xEF: // the first bytes of 。！？
			r, n := utf8.DecodeRune(text[i:b.End])
			i += n
			if r == '。' || r == '！' || r == '？' {
				i = pastClosing(text, i, b.End)
				cut(i)
			}
		default:
			i++
		}
	}
	return append(out, doc.Span{Start: start, End: b.End})
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

// maxLead bounds how far into a line is looked for what begins there.
const maxLead = 200

func startsRow(line []byte) bool {
	_, rest := indentation(line[:min(len(line), maxLead)])
	return len(rest) > 0 && rest[0] == '|'
}

// ends reports whether the mark at i ends the sentence that begins at start. A
// full stop does not end it after an abbreviation, an initial or a list number,
// nor before a small letter.
func (s *splitter) ends(i, start, next, end int) bool {
	text := s.d.Text
	if text[i] != '.' {
		return true
	}
	if r, _ := utf8.DecodeRune(text[next:end]); unicode.IsLower(r) {
		return false
	}
	from := max(start, i-12)
	word := text[from:i]
	if n := bytes.LastIndexAny(word, " \t\r\n([\"'*_"); n >= 0 {
		word = word[n+1:]
	}
	if utf8.RuneCount(word) <= 1 {
		return len(word) == 0 || unicode.IsDigit(rune(word[0]))
	}
	return !abbreviations[strings.ToLower(string(word))]
}

// abbreviations precede a capital letter without ending a sentence.
var abbreviations = map[string]bool{
	"mr": true, "mrs": true, "ms": true, "dr": true, "prof": true, "st": true, "jr": true,
	"vs": true, "no": true, "fig": true, "e.g": true, "i.e": true, "cf": true, "al": true,
}

// pastClosing returns the end of the marks that may follow the end of a
// sentence.
func pastClosing(text []byte, i, end int) int {
	for i < end {
		r, n := utf8.DecodeRune(text[i:end])
		if !strings.ContainsRune(".!?。！？\"')]}*_`~”’»」』）", r) {
			break
		}
		i += n
	}
	return i
}

func pastBlank(text []byte, i, end int) int {
	for i < end && isSpace(text[i]) {
		i++
	}
	return i
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
