package doc

import (
	"strings"
	"unicode"

	"github.com/cairn-kb/cairn/internal/kb"
)

// A phrase before a link is a relation type up to these limits; longer ones are prose with
// an ordinary link.
const (
	maxTypeWords = 6
	maxTypeBytes = 64
)

// RelationType parses the words before a list item's first link as a relation type: letters,
// digits, blanks, "_", "-", "/", "&" and apostrophes. Emphasis around them and a final colon
// are removed.
func RelationType(phrase string) (string, bool) {
	phrase = strings.Trim(strings.TrimSpace(phrase), "*")
	phrase = strings.TrimSuffix(strings.TrimSpace(phrase), ":")
	phrase = strings.Trim(strings.TrimSpace(phrase), "*")
	if phrase == "" || len(phrase) > maxTypeBytes {
		return "", false
	}
	letter := false
	for _, r := range phrase {
		switch {
		case unicode.IsLetter(r):
			letter = true
		case unicode.IsDigit(r), unicode.IsMark(r), strings.ContainsRune(" \t_-/&'’", r):
		default:
			return "", false
		}
	}
	words := strings.Fields(phrase)
	return strings.Join(words, " "), letter && len(words) <= maxTypeWords
}

// ParseRelationTail parses the rest of the line after a relation's link: "@from..until
// (context) [Source: where]", each part optional, with any number of sources. With any other
// text the line is prose.
func ParseRelationTail(tail string) (r Relation, ok bool) {
	tail = strings.TrimSpace(tail)
	if strings.HasPrefix(tail, "@") {
		word := tail[1:]
		if i := strings.IndexAny(word, " \t(["); i >= 0 {
			word = word[:i]
		}
		if r.From, r.Until, ok = ParseInterval(word); !ok {
			return Relation{}, false
		}
		r.Dated = true
		tail = strings.TrimSpace(tail[1+len(word):])
	}
	if strings.HasPrefix(tail, "(") {
		remark, rest, ok := cutBalanced(tail, '(', ')')
		if !ok {
			return Relation{}, false
		}
		r.Context, tail = strings.TrimSpace(remark[1:len(remark)-1]), strings.TrimSpace(rest)
	}
	for tail != "" {
		cited, rest, ok := cutCitation(tail)
		if !ok {
			return Relation{}, false
		}
		r.Context, tail = strings.TrimSpace(r.Context+" "+cited), strings.TrimSpace(rest)
	}
	return r, true
}

// cutCitation cuts "[Source: where]" from the start of a text. It may be a link, with its
// target after or before its words.
func cutCitation(text string) (cited, rest string, ok bool) {
	cited, rest, ok = cutBalanced(text, '[', ']')
	if !ok || !strings.HasPrefix(cited, "[Source:") && !strings.Contains(cited, "][Source:") {
		return "", "", false
	}
	if target, after, ok := cutBalanced(rest, '(', ')'); ok {
		cited, rest = cited+target, after
	}
	return cited, rest, true
}

// cutBalanced cuts a bracketed text, including its brackets, off the start of a text.
func cutBalanced(text string, open, end byte) (inside, rest string, ok bool) {
	depth := 0
	for i, c := range []byte(text) {
		switch c {
		case open:
			depth++
		case end:
			depth--
		}
		if depth == 0 {
			return text[:i+1], text[i+1:], i > 0
		}
	}
	return "", "", false
}

// ParseInterval parses "from..until", "from..", "..until", or only "from", which is open at
// the end.
func ParseInterval(s string) (from, until string, ok bool) {
	from, until, _ = strings.Cut(s, "..")
	if from == "" && until == "" {
		return "", "", s == ".."
	}
	ok = (from == "" || IsDate(from)) && (until == "" || IsDate(until))
	return from, until, ok
}

// FormatRelation writes a relation's line without marker and line end. link
// is the whole link with its brackets.
func FormatRelation(kind, link, from, until, context string) string {
	line := kind + " " + link
	if from != "" || until != "" {
		line += " @" + from + ".." + until
	}
	if context != "" {
		line += " (" + context + ")"
	}
	return line
}

// IntervalSplice returns the splice that sets the interval of r, a relation of d.
func IntervalSplice(d *Document, r Relation, is kb.Interval) Splice {
	at := Span{r.Target.Span.End, r.Target.Span.End}
	line := d.Text[at.Start:r.Span.End]
	if !r.Dated {
		return Splice{at, " @" + is.String()}
	}
	start := strings.IndexByte(string(line), '@') + 1
	end := start
	for end < len(line) && !strings.ContainsRune(" \t\r\n([", rune(line[end])) {
		end++
	}
	return Splice{Span{at.Start + start, at.Start + end}, is.String()}
}
