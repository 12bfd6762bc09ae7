package chunk

import (
	"bytes"
	"slices"
	"sort"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/doc"
)

// renderer converts spans of a page to text for a model: links become their visible text;
// addresses, comments, list markers and quotation signs are removed; white space becomes one
// blank or line end. Line endings and indentation therefore change no hash.
type renderer struct {
	text  []byte
	marks []doc.Mark // ascending, apart from each other
	whole []doc.Mark // the same with links, since no sentence ends within a link
}

func newRenderer(d *doc.Document, n *doc.Node) renderer {
	whole := slices.Clone(d.Marks)
	for _, l := range n.Links {
		whole = append(whole, doc.Mark{Span: l.Target.Span})
	}
	for _, l := range n.Relations {
		whole = append(whole, doc.Mark{Span: l.Target.Span})
	}
	return renderer{d.Text, d.Marks, doc.SettleMarks(whole)}
}

// markAt returns the index of the first mark that does not end before at.
func markAt(marks []doc.Mark, at int) int {
	return sort.Search(len(marks), func(i int) bool { return marks[i].End > at })
}

// render returns the text of a span, unchanged if it has no markup.
func (r *renderer) render(span doc.Span, markup bool) string {
	out := make([]byte, 0, span.Len())
	if !markup {
		return string(bytes.TrimRight(squeeze(out, r.text[span.Start:span.End], false), " \n"))
	}
	at := span.Start
	for i := markAt(r.marks, at); i < len(r.marks) && r.marks[i].Start < span.End; i++ {
		if m := r.marks[i]; m.Start > at {
			out = squeeze(out, r.text[at:m.Start], true)
		}
		switch m := r.marks[i]; m.Kind {
		case doc.Between:
			out = squeeze(out, []byte("\n"), true)
		case doc.Escape:
			c, _ := doc.Unescape(r.text[m.Start:m.End])
			out = squeeze(out, []byte(c), true)
		}
		at = max(at, min(r.marks[i].End, span.End))
	}
	out = squeeze(out, r.text[at:span.End], true)
	return string(bytes.TrimRight(out, " \n"))
}

// maxRun bounds a run of ASCII characters without a blank. Longer ones are data: inline
// images, keys, minified code. They mean nothing to a model, and a page with one picture
// would have a thousand chunks.
const maxRun = maxWord

// squeeze appends text with each run of white space replaced by one byte and other runs of
// ASCII cut to maxRun. With markup, the markers at the start of lines are removed. The
// result starts without white space and ends with at most one.
func squeeze(out, text []byte, markup bool) []byte {
	length := 0 // of the run
	for i := 0; i < len(text); {
		if markup && (len(out) == 0 || out[len(out)-1] == '\n') {
			if n := leadLength(text[i:]); n > 0 {
				i += n
				continue
			}
		}
		c := text[i]
		i++
		if !isSpace(c) {
			if length++; c >= utf8.RuneSelf {
				length = 0
			}
			if length <= maxRun {
				out = append(out, c)
			}
			continue
		}
		length = 0
		if c != '\n' {
			c = ' '
		}
		switch n := len(out); {
		case n == 0:
		case out[n-1] == ' ' || out[n-1] == '\n':
			if c == '\n' {
				out[n-1] = c
			}
		default:
			out = append(out, c)
		}
	}
	return out
}

// leadLength returns the length of the marker of a list item, a quotation or a
// heading at the start of a line, without indentation; 0 when there is none.
func leadLength(line []byte) int {
	n := 0
	switch line[0] {
	case '>':
		return 1
	case '#', '*':
		n = run(line)
	case '-', '+':
		n = 1
	}
	if n < len(line) && n > 0 && n <= 6 && (line[n] == ' ' || line[n] == '\t') {
		return n
	}
	return 0
}
