package markdown

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/doc"
)

// tagReader finds the #tags in running text by the rules of Obsidian 1.13: see
// docs/formats.md. The rules were determined by experiment and follow no grammar.
type tagReader struct {
	text   []byte
	hidden []doc.Span // spans that are not running text, in order
	start  int
	end    int
	dotted bool // a name may contain dots
	marks  underscores
}

// tags adds the tags of a paragraph or heading after its links have been read.
func (s *scanner) tags(at doc.Span) {
	if bytes.IndexByte(s.text[at.Start:at.End], '#') < 0 {
		return
	}
	r := tagReader{text: s.text, start: at.Start, end: at.End, dotted: s.links.syntax.Dotted}
	if r.hidden = slices.DeleteFunc(slices.Clone(s.links.hiddenSpans()), r.isProse); !r.hasSign() {
		return
	}
	if bytes.IndexByte(s.text[at.Start:at.End], '_') >= 0 {
		r.marks = pairUnderscores(&r)
	}
	r.read(s.n)
}

// isProse reports whether something that looks like an HTML tag is not one, as in "<see
// #tag>": an attribute's name does not start with "#".
func (r *tagReader) isProse(h doc.Span) bool {
	s := r.text[h.Start:h.End]
	return s[0] == '<' && bytes.Contains(s, []byte(" #")) && !bytes.ContainsAny(s, `"'`) && !bytes.HasPrefix(s, []byte("<!--"))
}

// hasSign reports whether running text contains a "#". Most are in the addresses of links.
func (r *tagReader) hasSign() bool {
	rest := r.hidden
	for at := r.start; at < r.end; {
		next := bytes.IndexByte(r.text[at:r.end], '#')
		if next < 0 {
			return false
		}
		at += next
		until := at
		for ; len(rest) > 0 && rest[0].Start <= at; rest = rest[1:] {
			until = max(until, rest[0].End)
		}
		if until == at {
			return true
		}
		at = until
	}
	return false
}

func (r *tagReader) byteAt(i int) byte {
	if i < r.end {
		return r.text[i]
	}
	return 0
}

// read walks over the text and adds each tag. A tag may start at the start of a line, after
// a blank, another tag, a hidden span, or markup.
func (r *tagReader) read(n *doc.Node) {
	begins := true // a tag may start here
	open := -1     // position of the open bracket
	var line tagLine
	rows := tableRows{leading: -1}
	rest := r.hidden
	for at := r.start; at < r.end; {
		if at >= line.End {
			line = r.line(at, &rows)
		}
		if len(rest) > 0 && rest[0].Start <= at {
			at, rest, begins = max(at, rest[0].End), rest[1:], true
			open = -1
			continue
		}
		if name, ok := r.wide(at, begins, rest); ok {
			n.InlineTags = append(n.InlineTags, doc.InlineTag{Name: name, Span: doc.Span{Start: at, End: rest[0].End}})
			at, rest = rest[0].End, rest[1:]
			continue
		}
		if end := r.marks.at(at); end > 0 {
			at, begins = end, true
			continue
		}
		c := r.text[at]
		line.quoted = line.quoted && (c == '>' || c == ' ' || c == '\t')
		next := at + 1
		switch {
		case c == '#' && begins:
			if end := r.tagEnd(next); end > next && !digitsOnly(r.text[next:end]) {
				n.InlineTags = append(n.InlineTags, doc.InlineTag{
					Name: string(r.text[next:end]), Span: doc.Span{Start: at, End: end},
				})
				at = end
				continue
			}
			begins = false
		case c == '\\' && next < r.end && isPunct(r.text[next]):
			begins = true
			next++
		case c == '[':
			begins = r.closes(at)
			open = at
			if r.byteAt(next) == '^' {
				open = -1
			}
		case c == ']':
			begins = open >= 0 && at > open+1 && r.byteAt(next) != ']'
			open = -1
		case c == '*' || c == '=' || c == '~':
			next = at + runLength(r.text[at:r.end])
			begins = r.byteAt(next) == '#' && r.paired(at, next, line.Span)
		case c == '>':
			begins = line.quoted
		case c == '|':
			begins = line.row
		case c < utf8.RuneSelf:
			begins = unicode.IsSpace(rune(c))
		default:
			ru, size := utf8.DecodeRune(r.text[at:r.end])
			begins = unicode.IsSpace(ru)
			next = at + size
		}
		at = next
	}
}

// wide returns the tag "#[[two words]]" at at, in the syntax of Logseq. Its brackets are the
// next hidden span, since they are also a link.
func (r *tagReader) wide(at int, begins bool, hidden []doc.Span) (string, bool) {
	if !begins || r.text[at] != '#' || len(hidden) == 0 || hidden[0].Start != at+1 || !bytes.HasPrefix(r.text[at+1:r.end], []byte("[[")) {
		return "", false
	}
	name := doc.NormalizeTag(string(r.text[at+3 : max(at+3, hidden[0].End-2)]))
	return name, name != "" && !strings.ContainsAny(name, "[]|\n")
}

// tagLine is the line being searched for tags.
type tagLine struct {
	doc.Span
	quoted bool // only quotation marks and blanks so far
	row    bool // it is a table row: its bars start cells
}

// line returns the line that holds at.
func (r *tagReader) line(at int, rows *tableRows) tagLine {
	start := max(doc.LineStart(r.text, at), r.start)
	end := min(doc.LineEnd(r.text, at), r.end)
	return tagLine{
		Span: doc.Span{Start: start, End: end}, quoted: start == at,
		row: rows.next(r.text[start:end], r.text[end:r.end]),
	}
}

// closes reports whether the bracket at at, which is followed by a "#", is closed before
// another opens.
func (r *tagReader) closes(at int) bool {
	if r.byteAt(at+1) != '#' {
		return false
	}
	i := bytes.IndexAny(r.text[at+1:r.end], "[]")
	return i >= 0 && r.text[at+1+i] == ']'
}

// paired reports whether the run of emphasis from at to end has a partner on its line: a
// single star, or two of the other signs.
func (r *tagReader) paired(at, end int, line doc.Span) bool {
	mark := r.text[at : at+1]
	if mark[0] != '*' {
		if end-at != 2 {
			return false
		}
		mark = r.text[at:end]
	}
	return bytes.LastIndex(r.text[line.Start:at], mark) >= 0 || bytes.Contains(r.text[end:line.End], mark)
}

// tagEnd returns the end of the tag with a name that begins at at.
func (r *tagReader) tagEnd(at int) int {
	for at < r.end {
		ru, size := utf8.DecodeRune(r.text[at:r.end])
		if dot := r.dotted && ru == '.' && at+1 < r.end && (isLetter(r.text[at+1]) || isDigit(r.text[at+1]) || r.text[at+1] >= utf8.RuneSelf); !dot && (!inTag(ru) || ru == '_' && r.marks.at(at) > 0) {
			break
		}
		at += size
	}
	return at
}

// inTag reports whether a tag's name may contain r: letters, digits and marks of any script,
// symbols, emoji, "_", "-" and "/". In scripts without blanks a sentence continues directly
// after a tag, so its punctuation ends the tag, although Obsidian continues.
func inTag(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return isLetter(byte(r)) || isDigit(byte(r)) || r == '_' || r == '-' || r == '/'
	case 0x2000 <= r && r <= 0x206F, 0x2E00 <= r && r <= 0x2E7F: // general and supplemental punctuation
		return false
	case r >= 0x0370 && unicode.Is(unicode.Terminal_Punctuation, r):
		return false
	case 0x3000 <= r && r <= 0x303F, 0xFE10 <= r && r <= 0xFE6F, 0xFF00 <= r && r <= 0xFF64: // CJK punctuation, full width
		if unicode.In(r, unicode.P, unicode.Sm, unicode.Sk, unicode.Sc) {
			return false
		}
	}
	return !unicode.IsSpace(r) && r != utf8.RuneError && r != 0xFEFF
}

func digitsOnly(name []byte) bool {
	return bytes.IndexFunc(name, func(r rune) bool { return r < '0' || '9' < r }) < 0
}

// tableRows finds the table rows of a paragraph: lines with bars that start with a bar if
// and only if the first line does.
type tableRows struct {
	leading int // 1 if the rows start with a bar, 0 if not, -1 outside a table
	ended   bool
}

// next reports whether the next line, followed by the text after, is a row.
func (t *tableRows) next(line, after []byte) bool {
	bar := 0
	if len(line) > 0 && line[0] == '|' {
		bar = 1
	}
	has := bytes.IndexByte(line, '|') >= 0
	if t.leading < 0 && !t.ended {
		second, _, _ := bytes.Cut(after, []byte("\n"))
		t.ended = true // a table must start with the paragraph
		if has && isDelimiterRow(second) && (len(second) > 0 && second[0] == '|') == (bar == 1) {
			t.ended, t.leading = false, bar
		}
	}
	if t.ended || !has || bar != t.leading {
		t.ended = true
		return false
	}
	return true
}

// isDelimiterRow reports whether a line is the one below a table's header: hyphens and bars.
func isDelimiterRow(line []byte) bool {
	return bytes.IndexByte(line, '-') >= 0 && bytes.IndexByte(line, '|') >= 0 &&
		len(bytes.Trim(bytes.TrimRight(line, "\r"), "|-: \t")) == 0
}
