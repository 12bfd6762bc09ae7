package markdown

import (
	"bytes"
	"sort"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// references are the links of a page with their target in a definition: "[text][label]" with
// "[label]: page.md". They can be distinguished from other text in brackets only after the
// whole page was read.
type references struct {
	possible bool // the text has something like a definition
	defined  map[string]definition
	uses     []use
	wiki     map[string]bool // text in wikilinks
}

type definition struct {
	target doc.Target
	page   bool     // the target is a page
	label  doc.Span // without its brackets
}

// The labels around the definitions that Foam adds to a page.
const (
	echoBegin = "//begin"
	echoEnd   = "//end"
)

// use is text in brackets that may be a reference.
type use struct {
	span  doc.Span
	text  doc.Span
	label string
}

func newReferences(text []byte) references {
	return references{possible: bytes.Contains(text, []byte("]:"))}
}

// definitions reads the definitions at the start of a paragraph, one a line,
// and returns where the text after them starts.
func (s *linkScanner) definitions(para doc.Span) int {
	at := para.Start
	if !s.refs.possible {
		return at
	}
	for at < para.End && s.text[at] == '[' {
		end := min(doc.LineEnd(s.text, at), para.End)
		if !s.definition(at, end) {
			break
		}
		at = end
		for at < para.End && (s.text[at] == ' ' || s.text[at] == '\t' || s.text[at] == '>') {
			at++
		}
	}
	return at
}

// definition reads "[label]: dest "title"" from a line.
func (s *linkScanner) definition(at, end int) bool {
	line := s.text[at:end]
	close := bytes.Index(line[:min(len(line), maxLabel+2)], []byte("]:"))
	if close < 2 || line[1] == '^' || bytes.IndexByte(line[1:close], '[') >= 0 {
		return false
	}
	label := foldLabel(line[1:close])
	s.end = end
	from := s.space(at + close + 2)
	dest, next, ok := s.bareDestination(from, end)
	if !ok || dest.Len() == 0 || label == "" {
		return false
	}
	if after := s.space(next); after > next {
		if next, ok = s.title(after); !ok {
			return false
		}
	}
	if s.space(next) != end {
		return false
	}
	if s.marks.unseen(at, end); label == echoBegin || label == echoEnd {
		s.marks.all[len(s.marks.all)-1].Kind = doc.Echoed
	}
	if s.refs.defined == nil {
		s.refs.defined = make(map[string]definition)
	}
	if _, twice := s.refs.defined[label]; !twice {
		t, ok := s.target(dest, false)
		t.Span = doc.Span{Start: at, End: end}
		s.refs.defined[label] = definition{t, ok, doc.Span{Start: at + 1, End: at + close}}
	}
	return true
}

// reference records "[text][label]", "[label][]" or "[label]" with a first bracket that ends
// at text.End, and returns the position to continue at.
func (s *linkScanner) reference(o opener, text doc.Span) int {
	next := text.End + 1
	if !s.refs.possible {
		return next
	}
	label := text
	if s.at(next) == '[' {
		rest := s.text[next+1 : min(s.end, next+1+maxLabel)]
		if i := bytes.IndexAny(rest, "[]"); i >= 0 && rest[i] == ']' {
			if i > 0 {
				label = doc.Span{Start: next + 1, End: next + 1 + i}
			}
			next += i + 2
		}
	}
	switch {
	case label.Len() == 0 || label.Len() > maxLabel:
		return text.End + 1
	case o.image:
		return next
	}
	s.refs.uses = append(s.refs.uses, use{
		span: doc.Span{Start: o.start, End: next}, text: text, label: foldLabel(s.text[label.Start:label.End]),
	})
	return next
}

// resolve adds the references to pages to n.Links, and returns the definitions that only
// echo wikilinks.
func (s *linkScanner) resolve(n *doc.Node) []doc.Echo {
	before := len(n.Links)
	for _, u := range s.refs.uses {
		def, defined := s.refs.defined[u.label]
		if defined {
			delete(s.refs.wiki, u.label)
			s.marks.unseen(u.span.Start, u.text.Start)
			s.marks.unseen(u.text.End, u.span.End)
		}
		if !def.page {
			continue
		}
		t := def.target
		t.Span = u.span
		t.Text = s.plain(u.text)
		n.Links = append(n.Links, doc.Link{Target: t, Type: kb.PlainLink})
	}
	s.citations(n)
	if len(n.Links) > before {
		sort.SliceStable(n.Links, func(i, j int) bool { return n.Links[i].Span.Start < n.Links[j].Span.Start })
	}
	var echoes []doc.Echo
	for label := range s.refs.wiki {
		if def := s.refs.defined[label]; def.page {
			name := s.syntax.WikiTarget(string(s.text[def.label.Start:def.label.End]), def.label.Start).NameAt
			echoes = append(echoes, doc.Echo{Name: name, Target: def.target})
		}
	}
	sort.Slice(echoes, func(i, j int) bool { return echoes[i].Name.Start < echoes[j].Name.Start })
	s.marks.echoed(echoes)
	return echoes
}

func foldLabel(label []byte) string {
	return strings.Join(strings.Fields(strings.ToLower(string(label))), " ")
}
