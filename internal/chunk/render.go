package chunk

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/doc"
)

// renderer turns spans of a page into text for a model: links as the words
// that a reader sees, list markers and quotation signs left out, white space
// as one blank or line end. Line endings and indentation thus change no hash.
type renderer struct {
	text  []byte
	links []link // ascending, apart from each other
}

// link is a link with the words that stand for it, which are part of its span.
type link struct {
	span doc.Span
	name doc.Span
}

func newRenderer(text []byte, n *doc.Node) renderer {
	r := renderer{text: text}
	add := func(t doc.Target) {
		if name, ok := visible(text, t); ok {
			r.links = append(r.links, link{t.Span, name})
		}
	}
	for _, l := range n.Links {
		add(l.Target)
	}
	for _, l := range n.Relations {
		add(l.Target)
	}
	slices.SortFunc(r.links, func(a, b link) int {
		return cmp.Or(cmp.Compare(a.span.Start, b.span.Start), cmp.Compare(b.span.End, a.span.End))
	})
	end := 0
	r.links = slices.DeleteFunc(r.links, func(l link) bool {
		within := l.span.Start < end
		end = max(end, l.span.End)
		return within
	})
	return r
}

// visible finds the words of a link in the text: they are taken from there,
// not from the target, since the text may have secrets blanked out.
func visible(text []byte, t doc.Target) (doc.Span, bool) {
	words := t.Text
	if words == "" {
		words = t.Name
	}
	if words == "" || t.Span.End > len(text) {
		return doc.Span{}, false
	}
	i := bytes.LastIndex(text[t.Span.Start:t.Span.End], []byte(words))
	if i < 0 {
		return doc.Span{}, false
	}
	if t.Text != "" && t.Kind == doc.MarkLink {
		// The words come first, and may be repeated in the path.
		i = bytes.Index(text[t.Span.Start:t.Span.End], []byte(words))
	}
	start := t.Span.Start + i
	return doc.Span{Start: start, End: start + len(words)}, true
}

// linkAt returns the index of the first link that does not end before at.
func (r *renderer) linkAt(at int) int {
	return sort.Search(len(r.links), func(i int) bool { return r.links[i].span.End > at })
}

// render returns the text of a span. Without markup it is taken as it stands.
func (r *renderer) render(span doc.Span, markup bool) string {
	out := make([]byte, 0, span.Len())
	if !markup {
		return string(bytes.TrimRight(squeeze(out, r.text[span.Start:span.End], false), " \n"))
	}
	at := span.Start
	for i := r.linkAt(at); i < len(r.links) && r.links[i].span.Start < span.End; i++ {
		l := r.links[i]
		if l.span.Start > at {
			out = squeeze(out, r.text[at:l.span.Start], true)
		}
		// Of a link that is cut, each part has its own words.
		from, to := max(l.name.Start, span.Start), min(l.name.End, span.End)
		if from < to {
			out = squeeze(out, r.text[from:to], false)
		}
		at = max(at, min(l.span.End, span.End))
	}
	out = squeeze(out, r.text[at:span.End], true)
	return string(bytes.TrimRight(out, " \n"))
}

// maxRun bounds a run of ASCII characters without a blank. Longer ones are
// data: images within the text, keys, minified code. A model makes nothing of
// them, and a page with one picture would have a thousand chunks.
const maxRun = maxWord

// squeeze appends text with each run of white space as one byte, runs of ASCII
// without any cut to maxRun, and with markup without the signs that begin a
// line. Out ends in no more than one white space and does not begin with any.
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

// leadLength returns the length of the signs of a list item, a quotation or a
// heading at the start of a line, without indentation; 0 when there are none.
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
