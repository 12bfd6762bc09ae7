package markdown

import (
	"bytes"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// outlineSpecial is special for an outline with block ids.
var outlineSpecial = func() [256]bool {
	out := special
	out['('] = true
	return out
}()

// uuidLen is the length of a block id.
const uuidLen = 36

// outline adds the link to a block, "((UUID))", or an embed "{{embed …}}" at i, and returns
// the position to continue at.
func (s *linkScanner) outline(n *doc.Node, i int) int {
	if s.text[i] == '(' {
		t, ok := s.block(i)
		if !ok {
			return i + 1
		}
		s.marks.unseen(t.Span.Start, t.Span.End)
		n.Links = append(n.Links, doc.Link{Target: t, Type: kb.PlainLink})
		return s.hide(i, t.Span.End)
	}
	const embed = "{{embed "
	rest := s.text[i:min(s.end, i+maxWiki)]
	if !bytes.HasPrefix(rest, []byte(embed)) {
		return i + 1
	}
	length := bytes.Index(rest, []byte("}}"))
	if length < 0 || bytes.IndexByte(rest[:length], '\n') >= 0 {
		return i + 1
	}
	end := i + length + 2
	at := i + len(embed)
	for s.text[at] == ' ' {
		at++
	}
	t, ok := s.block(at)
	if !ok {
		name, isPage := bytes.CutPrefix(s.text[at:end-2], []byte("[["))
		name, closed := bytes.CutSuffix(bytes.TrimRight(name, " "), []byte("]]"))
		if t = s.syntax.WikiTarget(string(name), at+2); !isPage || !closed || t.Name == "" {
			return i + 1
		}
		t.Kind = doc.Embed
	}
	t.Span = doc.Span{Start: i, End: end}
	n.Links = append(n.Links, doc.Link{Target: t, Type: kb.PlainLink})
	if t.Kind == doc.BlockRef { // an id is not a word
		s.marks.unseen(i, end)
	} else {
		s.marks.unseen(i, t.NameAt.Start)
		s.marks.unseen(t.NameAt.End, end)
	}
	return s.hide(i, end)
}

// block reads "((UUID))" at i.
func (s *linkScanner) block(i int) (doc.Target, bool) {
	end := i + 2 + uuidLen
	if end+2 > s.end || string(s.text[i:i+2]) != "((" || string(s.text[end:end+2]) != "))" {
		return doc.Target{}, false
	}
	raw := string(s.text[i+2 : end])
	id, ok := kb.ParseID(raw)
	return doc.Target{
		Kind: doc.BlockRef, Raw: raw, Name: string(id), Block: string(id),
		Span: doc.Span{Start: i, End: end + 2}, NameAt: doc.Span{Start: i + 2, End: end},
	}, ok
}

// labelled adds "[label]([[page]])" or "[label](((UUID)))" with a label that ends before a
// parenthesis, and returns the position to continue at.
func (s *linkScanner) labelled(n *doc.Node, first int, o opener, label doc.Span) (end int, ok bool) {
	if !s.syntax.Blocks || o.image {
		return 0, false
	}
	at := label.End + 2
	t, ok := s.block(at)
	if ok {
		end = t.Span.End
	} else {
		rest := s.text[at:min(s.end, at+maxWiki)]
		i := bytes.Index(rest, []byte("]])"))
		if i < 0 || !bytes.HasPrefix(rest, []byte("[[")) || bytes.IndexByte(rest[:i], '\n') >= 0 {
			return 0, false
		}
		t, end = s.syntax.WikiTarget(string(rest[2:i]), at+2), at+i+2
	}
	if s.at(end) != ')' || t.Name == "" {
		return 0, false
	}
	end++
	t.Text, t.Span = s.plain(label), doc.Span{Start: o.start, End: end}
	s.add(n, first, t)
	s.marks.unseen(o.start, label.Start)
	s.marks.unseen(label.End, end)
	return s.hide(label.End, end), true
}

// plain returns the words of a link's text or a heading.
func (s *linkScanner) plain(at doc.Span) string {
	return strings.TrimSpace(plain(strings.TrimSpace(string(s.text[at.Start:at.End])), s.syntax.LabelFirst))
}

// blockField handles a field of a block: its id is a name by which links find the page, and
// other fields are hidden from readers.
func (s *scanner) blockField(at doc.Span, key, value string) {
	switch strings.ToLower(key) {
	case "id":
		if id, ok := kb.ParseID(value); ok {
			s.n.Refs = append(s.n.Refs, "^"+string(id))
			s.links.marks.unseen(at.Start, at.End)
		}
	case "collapsed", "title", "alias", "aliases", "tags", "icon":
		s.links.marks.unseen(at.Start, at.End)
	}
}
