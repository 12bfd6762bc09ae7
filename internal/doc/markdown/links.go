package markdown

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Limits that keep the search for links linear. Longer markup is text.
const (
	maxOpeners = 256  // brackets open at once
	maxWiki    = 1000 // bytes between the brackets of a wikilink
	maxLabel   = 999  // bytes of a reference's label (CommonMark)
	maxTicks   = 80   // backticks in a row that open inline code
)

// linkScanner finds the links in the paragraphs of one page.
type linkScanner struct {
	text    []byte
	openers []opener
	refs    references
	marks   marks // of the whole page
	syntax  doc.Syntax
	special *[256]bool

	// State of the current range:
	start     int
	end       int
	table     int        // start of a table in it, its end if there is none; -1 before the search
	hidden    []doc.Span // code, comments, HTML tags, wikilinks and link destinations, in order of their end
	noComment bool       // no comment ends in the rest of it
	noDouble  bool       // no "$$" follows in it
	ticksRead bool       // lastTicks is filled
	lastTicks [maxTicks + 1]int

	cites      []citation
	files      []doc.Target
	formulaEnd int // of a formula that began in an earlier range
}

// opener is a bracket that may begin a link.
type opener struct {
	start   int // of the link: the bracket, or the "!" before it
	bracket int
	image   bool
}

func newLinkScanner(text []byte, syntax doc.Syntax) linkScanner {
	s := linkScanner{text: text, refs: newReferences(text), syntax: syntax, special: &special}
	if syntax.Blocks {
		s.special = &outlineSpecial
	}
	return s
}

// special marks the bytes that are significant between links.
var special = [256]bool{'{': true, '\\': true, '`': true, '<': true, '!': true, '[': true, ']': true, '%': true, 'h': true, '$': true}

// scan adds the links in the range to n.Links, in order.
func (s *linkScanner) scan(n *doc.Node, start, end int) {
	s.openers, s.hidden = s.openers[:0], s.hidden[:0]
	s.start, s.end, s.noComment, s.ticksRead, s.noDouble, s.table = start, end, false, false, false, -1
	start = s.hide(start, max(start, min(s.formulaEnd, end)))
	first := len(n.Links)
	for i := start; i < end; {
		c := s.text[i]
		if !s.special[c] {
			i++
			continue
		}
		switch c {
		case '\\':
			i += 2
		case '`':
			i = s.hide(i, s.code(i))
		case '<':
			end := s.hide(i, s.angle(i))
			s.markAngle(i, end)
			i = end
		case '!':
			if i++; i < end && s.text[i] == '[' {
				s.push(opener{start: i - 1, bracket: i, image: true})
				i++
			}
		case '[':
			s.push(opener{start: i, bracket: i})
			i++
		case ']':
			i = s.close(n, first, i)
		case '%':
			i = s.percent(start, i)
		case '$':
			i = s.hide(i, s.formula(i))
		case '{':
			if s.syntax.Blocks {
				i = s.outline(n, i)
			} else {
				i = s.site(n, i)
			}
		case '(':
			i = s.outline(n, i)
		case 'h':
			s.markAddress(start, i)
			i++
		}
	}
	s.marks.endRange()
}

// hide marks the range from start to end as hidden from running text, and returns end.
// Single bytes are not recorded.
func (s *linkScanner) hide(start, end int) int {
	if end > start+1 {
		s.hidden = append(s.hidden, doc.Span{Start: start, End: end})
	}
	return end
}

// hiddenSpans returns the hidden spans of the last scanned range, in order and
// without nested ones.
func (s *linkScanner) hiddenSpans() []doc.Span {
	slices.SortFunc(s.hidden, func(a, b doc.Span) int { return cmp.Or(a.Start-b.Start, b.End-a.End) })
	out := s.hidden[:0]
	for _, h := range s.hidden {
		if len(out) == 0 || h.End > out[len(out)-1].End {
			out = append(out, h)
		}
	}
	s.hidden = out
	return out
}

func (s *linkScanner) push(o opener) {
	if len(s.openers) == maxOpeners {
		s.openers = s.openers[:copy(s.openers, s.openers[maxOpeners/2:])]
	}
	s.openers = append(s.openers, o)
}

func (s *linkScanner) pop() opener {
	o := s.openers[len(s.openers)-1]
	s.openers = s.openers[:len(s.openers)-1]
	return o
}

func (s *linkScanner) at(i int) byte {
	if i < s.end {
		return s.text[i]
	}
	return 0
}

// code skips inline code at i, or only the backticks if they are not closed.
func (s *linkScanner) code(i int) int {
	run := runLength(s.text[i:s.end])
	after := i + run
	if run > maxTicks || s.ticksRead && s.lastTicks[run] < after {
		return after
	}
	last := [maxTicks + 1]int{}
	for at := after; at < s.end; {
		next := bytes.IndexByte(s.text[at:s.end], '`')
		if next < 0 {
			break
		}
		at += next
		length := runLength(s.text[at:s.end])
		if length == run {
			return at + length
		}
		if length <= maxTicks {
			last[length] = at
		}
		at += length
	}
	s.ticksRead, s.lastTicks = true, last
	return after
}

// angle skips a comment, a tag or a link in angle brackets at i.
func (s *linkScanner) angle(i int) int {
	rest := s.text[i:s.end]
	if bytes.HasPrefix(rest, []byte("<!--")) && !s.noComment {
		if n := bytes.Index(rest[4:], []byte("-->")); n >= 0 {
			return i + 4 + n + 3
		}
		s.noComment = true
	}
	if next := s.at(i + 1); isLetter(next) || next == '/' {
		if n := bytes.IndexAny(rest[1:], "<>"); n >= 0 && rest[1+n] == '>' {
			return i + 1 + n + 1
		}
	}
	return i + 1
}

// close reads the link that may end with the bracket at i and returns where
// to go on.
func (s *linkScanner) close(n *doc.Node, first, i int) int {
	if len(s.openers) == 0 {
		return i + 1
	}
	inner := s.pop()
	if s.at(i+1) == ']' && !inner.image && len(s.openers) > 0 && s.openers[len(s.openers)-1].bracket == inner.bracket-1 {
		return s.wiki(n, first, inner, i)
	}
	return s.mark(n, first, inner, i)
}

// wiki adds the wikilink with inner brackets at inner and i. Links within it
// are part of its name.
func (s *linkScanner) wiki(n *doc.Node, first int, inner opener, i int) int {
	outer := s.pop()
	if s.at(i+2) == '(' {
		// [[1]](page.md) is a Markdown link with brackets in its text.
		if next := s.mark(n, first, outer, i+1); next > i+2 {
			return next
		}
	}
	s.hide(outer.start, i+2)
	name := s.text[inner.bracket+1 : i]
	if len(name) > maxWiki || bytes.IndexByte(name, '\n') >= 0 {
		return i + 2
	}
	s.markWiki(outer, inner.bracket+1, i)
	if s.refs.possible {
		if s.refs.wiki == nil {
			s.refs.wiki = map[string]bool{}
		}
		s.refs.wiki[foldLabel(name)] = true
	}
	t := s.syntax.WikiTarget(string(name), inner.bracket+1)
	if t.Name == "" || isAttachment(t.Name) { // of this page, nothing, or no page
		return i + 2
	}
	t.Span = doc.Span{Start: outer.start, End: i + 2}
	if outer.image {
		t.Kind = doc.Embed
	}
	for len(n.Links) > first && n.Links[len(n.Links)-1].Span.Start > outer.start {
		n.Links = n.Links[:len(n.Links)-1]
	}
	n.Links = append(n.Links, doc.Link{Target: t, Type: kb.PlainLink})
	return i + 2
}

// isAttachment reports whether a wikilink names a file other than a page. Only
// media are recognised by extension: a name may contain a dot.
func isAttachment(name string) bool {
	dot := strings.LastIndexByte(name, '.')
	return dot > 0 && attachments[strings.ToLower(name[dot+1:])]
}

var attachments = map[string]bool{
	"png": true, "jpg": true, "jpeg": true, "gif": true, "svg": true, "webp": true, "bmp": true, "avif": true,
	"pdf": true, "mp3": true, "wav": true, "m4a": true, "ogg": true, "flac": true, "mp4": true, "mov": true,
	"mkv": true, "webm": true, "zip": true,
}

// mark adds the Markdown link or reference with a text that ends at i.
func (s *linkScanner) mark(n *doc.Node, first int, o opener, i int) int {
	text := doc.Span{Start: o.bracket + 1, End: i}
	if s.at(i+1) != '(' {
		s.cite(o, text)
		return s.hide(i, s.reference(o, text))
	}
	if end, ok := s.labelled(n, first, o, text); ok {
		return end
	}
	dest, end, ok := s.destination(i + 2)
	if !ok {
		if t, end, ok := s.siteDestination(i + 2); ok {
			t.Text, t.Span = s.plain(text), doc.Span{Start: o.start, End: end}
			s.add(n, first, t)
			s.marks.unseen(o.start, text.Start)
			s.marks.unseen(text.End, end)
			return s.hide(i, end)
		}
		return s.hide(i, s.reference(o, text))
	}
	s.hide(i, end)
	s.markLink(o, text, dest, end)
	if o.image {
		s.hide(o.start, end)
	}
	if t, ok := s.target(dest, o.image); ok {
		t.Text = s.plain(text)
		t.Span = doc.Span{Start: o.start, End: end}
		s.add(n, first, t)
	}
	if !o.image {
		s.openers = s.openers[:0] // links hold no links
	}
	return end
}

// add adds a link, before those inside it.
func (s *linkScanner) add(n *doc.Node, first int, t doc.Target) {
	n.Links = append(n.Links, doc.Link{Target: t, Type: kb.PlainLink})
	if k := len(n.Links) - 2; k >= first && n.Links[k].Span.Start > t.Span.Start {
		s.reorder(n, first)
	}
}

// reorder moves the last link before those inside it: a link's text may contain
// an image that shows a page.
func (s *linkScanner) reorder(n *doc.Node, first int) {
	last := len(n.Links) - 1
	l := n.Links[last]
	at := last
	for at > first && n.Links[at-1].Span.Start > l.Span.Start {
		at--
	}
	n.Links = slices.Insert(n.Links[:last], at, l)
}
