package markdown

import (
	"bytes"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// citation is text in brackets that is a citation by Pandoc's rules: each part of it,
// between semicolons, has one "@key".
type citation struct {
	label string // a reference with this label is not a citation
	keys  []doc.Span
}

// cite records the text in brackets if it is a citation, as [@key] or [see @key, p. 3; -@other].
func (s *linkScanner) cite(o opener, text doc.Span) {
	in := s.text[text.Start:text.End]
	if o.image || len(in) > maxLabel || s.syntax.Mentions != "" || bytes.IndexByte(in, '@') < 0 {
		return
	}
	c := citation{label: foldLabel(in)}
	for at := text.Start; at <= text.End; {
		end := text.End
		if i := bytes.IndexByte(s.text[at:end], ';'); i >= 0 {
			end = at + i
		}
		keys := s.citeKeys(at, end)
		if len(keys) != 1 {
			return
		}
		c.keys = append(c.keys, keys[0])
		at = end + 1
	}
	s.cites = append(s.cites, c)
}

// citeKeys returns the keys in a range, without their "@".
func (s *linkScanner) citeKeys(start, end int) (keys []doc.Span) {
	for i := start; i < end; i++ {
		if s.text[i] != '@' || i > start && !isSpace(s.text[i-1]) && s.text[i-1] != '-' {
			continue
		}
		to := i + 1
		for to < end && (isNameByte(s.text[to]) || to > i+1 && strings.IndexByte("_:.#$%&-+?<>~/", s.text[to]) >= 0) {
			to++
		}
		for to > i+1 && !isNameByte(s.text[to-1]) {
			to--
		}
		if to > i+1 {
			keys = append(keys, doc.Span{Start: i + 1, End: to})
			i = to
		}
	}
	return keys
}

// citations adds the links of citations to n.Links.
func (s *linkScanner) citations(n *doc.Node) {
	for _, c := range s.cites {
		if _, defined := s.refs.defined[c.label]; defined {
			continue
		}
		for _, k := range c.keys {
			key := string(s.text[k.Start:k.End])
			n.Links = append(n.Links, doc.Link{Type: kb.PlainLink, Target: doc.Target{
				Kind: doc.OrgCite, Raw: key, Name: key, Span: doc.Span{Start: k.Start - 1, End: k.End}, NameAt: k,
			}})
		}
	}
	s.cites = nil
}

// citeFields are the names of the property with the citation key of a page's source.
var citeFields = []string{"citekey", "citation-key", "citationkey", "cite-key"}

// citeRefs returns the keys by which the page is cited as refs.
func citeRefs(m *matter) []string {
	key := strings.TrimPrefix(strings.TrimSpace(m.first(citeFields...)), "@")
	if key == "" || slices.ContainsFunc([]byte(key), isSpace) {
		return nil
	}
	return []string{"@" + key}
}
