package temporal

import (
	"bytes"
	"iter"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// AsOf returns the newest "As of DATE" in the truth of a node, and the newest date of its
// sources, "[Source: …, DATE]"; each as an ISO date, "" if there is none. Dates after
// latest, unless that is zero, do not count.
func (c Cues) AsOf(latest time.Time) (said, cited string) {
	keep := func(newest *string, date string) {
		at, ok := doc.ParseDate(date)
		if !ok || !latest.IsZero() && at.After(latest) {
			return
		}
		if was, ok := doc.ParseDate(*newest); !ok || !at.Before(was) {
			*newest = date
		}
	}
	n := &c.Document.Nodes[c.Node]
	truth := c.Document.Text[n.Truth.Start:n.Truth.End]
	if begin(c.asOf, n.Truth) {
		for line := range linesOf(c.Document, c.Node) {
			for rest := line; ; {
				n := asOfEnd(rest)
				if n < 0 {
					break
				}
				rest = rest[n:]
				keep(&said, firstDate(rest))
			}
		}
	}
	if bytes.Contains(truth, []byte("Source:")) {
		for _, m := range citation().FindAllSubmatch(truth, -1) {
			keep(&cited, lastDate(string(m[1])))
		}
	}
	return said, cited
}

// asOfPhrases begin a date as of which a text holds.
var asOfPhrases = []string{
	"as of ", "As of ", "Stand: vom ", "Stand: ", "Stand vom ", "Stand per ", "Stand am ", "Stand ", "État au ", "A fecha del ", "A fecha de ", "Aggiornato al ", "Situatie op ", "Atualizado em ", "По состоянию на ", "截至", "截止",
}

// hasAsOf reports whether a text has words that introduce an "as of" date. They may end its
// line.
func hasAsOf(text string) bool {
	for _, c := range cuesIn(text) {
		if c.asOf {
			return true
		}
	}
	return false
}

// asOfEnd returns the end of the first such words of a line, -1 if there are none.
func asOfEnd(line string) int {
	for at, c := range cuesIn(line) {
		if end := at + len(c.text); c.asOf && end < len(line) {
			return end
		}
	}
	return -1
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80 }

// linesOf yields the blocks of the truth of a node, each on one line, and its headings.
func linesOf(d *doc.Document, node int) iter.Seq[string] {
	return func(yield func(string) bool) {
		s := scanner{d: d, yield: func(b block) bool { return yield(join(d, b).line) }}
		for _, part := range d.Own(node, d.Nodes[node].Truth) {
			s.scan(part)
		}
		if s.stopped {
			return
		}
		for _, h := range d.Nodes[node].Headings {
			if h.InTruth && !yield(h.Text) {
				return
			}
		}
	}
}

// Citation returns the last source that a text cites, "[Source: …]", and its date; "" if
// there is none.
func Citation(text string) (source, date string) {
	all := citation().FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return "", ""
	}
	source = strings.TrimSpace(all[len(all)-1][1])
	return source, lastDate(source)
}

var citation = lazyregexp.New(`[\[(]Source: ?([^\])\n]*)[\])]`)

// Day returns the day of a time in metadata, "" for other texts.
func Day(text string) string {
	at, ok := doc.ParseDate(text)
	if !ok {
		return ""
	}
	return at.Format(time.DateOnly)
}
