package temporal

import (
	"bytes"
	"iter"
	"regexp"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
)

// AsOf returns the newest date as of which the truth of a node says that it holds, "As
// of DATE", and the newest date of its sources, "[Source: …, DATE]"; each as ISO date,
// "" without any. Dates after the latest, unless that is zero, do not count.
func AsOf(d *doc.Document, node int, latest time.Time) (said, cited string) {
	keep := func(newest *string, date string) {
		at, ok := doc.ParseDate(date)
		if !ok || !latest.IsZero() && at.After(latest) {
			return
		}
		if was, ok := doc.ParseDate(*newest); !ok || !at.Before(was) {
			*newest = date
		}
	}
	n := &d.Nodes[node]
	truth := d.Text[n.Truth.Start:n.Truth.End]
	if bytes.Contains(truth, []byte("s of")) {
		for line := range linesOf(d, node) {
			for rest := line; ; {
				i := strings.Index(rest, "s of ")
				if i < 0 {
					break
				}
				begins := i > 0 && rest[i-1]|0x20 == 'a' && (i == 1 || !isLetter(rest[i-2]))
				if rest = rest[i+len("s of "):]; begins {
					keep(&said, firstDate(rest))
				}
			}
		}
	}
	if bytes.Contains(truth, []byte("Source:")) {
		for _, c := range citation.FindAllSubmatch(truth, -1) {
			keep(&cited, lastDate(string(c[1])))
		}
	}
	return said, cited
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80 }

// linesOf are the blocks of the truth of a node, each in one line, and its headings.
func linesOf(d *doc.Document, node int) iter.Seq[string] {
	return func(yield func(string) bool) {
		s := scanner{d: d}
		for _, part := range d.Own(node, d.Nodes[node].Truth) {
			s.scan(part)
		}
		for _, b := range s.out {
			if !yield(join(d, b).line) {
				return
			}
		}
		for _, h := range d.Nodes[node].Headings {
			if h.InTruth && !yield(h.Text) {
				return
			}
		}
	}
}

// Citation returns the last source that a text cites, "[Source: …]", and its date; ""
// for none.
func Citation(text string) (source, date string) {
	all := citation.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return "", ""
	}
	source = strings.TrimSpace(all[len(all)-1][1])
	return source, lastDate(source)
}

var citation = regexp.MustCompile(`[\[(]Source: ?([^\])\n]*)[\])]`)

// Day is the day of a time as metadata writes it, "" when it is none.
func Day(text string) string {
	at, ok := doc.ParseDate(text)
	if !ok {
		return ""
	}
	return at.Format(time.DateOnly)
}
