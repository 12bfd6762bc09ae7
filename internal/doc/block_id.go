package doc

import (
	"bytes"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// Block returns the lines of the block of a node with an id: "^id" at its end
// or on a line of its own after it, or a line "id:: id" in it. A block is a
// paragraph, a list item, a heading, a quotation, a table or a code fence.
// Without such a block the error is kb.NotFound and lists the existing ids.
func (d *Document) Block(n *Node, id string) (Span, error) {
	var ids []string
	var last Span // the block that ended before this line
	s := blockScan{d: d, n: n, unclosed: map[string]bool{}}
	start := n.Span.Start
	for at := start; at < n.Span.End; {
		from := at
		at = min(LineEnd(d.Text, at), n.Span.End)
		line := string(d.Text[from:at])
		trimmed := strings.TrimSpace(line)
		inItem := start < from && isIndented(line) && startsItem(string(d.Text[start:LineEnd(d.Text, start)]))
		if end := s.heading(from); end > at {
			at = end
			trimmed = strings.TrimSpace(string(d.Text[from:at]))
		}
		switch end := s.closed(from); {
		case trimmed == "":
			if from > start {
				last = Span{start, from}
			}
			start = at
			continue
		case end > 0: // code fences contain no ids
			if at = end; !inItem {
				last, start = Span{from, at}, at
			}
			continue
		case s.heading(from) > 0:
			last, start = Span{from, at}, at
			trimmed = strings.TrimRight(trimmed, "#=- \t\r\n")
		case isRule(trimmed):
			last, start = Span{}, at
			continue
		case startsBlock(trimmed), !inItem && start < from && startsOther(trimmed, s.lineBefore(from)):
			start = from
		}
		words := strings.Fields(trimmed)
		if len(words) == 0 {
			continue
		}
		mark, ok := strings.CutPrefix(words[len(words)-1], "^")
		if len(words) == 2 && words[0] == "id::" {
			if strings.EqualFold(words[1], id) {
				return Span{start, s.blockEnd(at)}, nil
			}
			mark, ok = words[1], true
		}
		if !ok || mark == "" {
			continue
		}
		if strings.EqualFold(mark, id) {
			switch {
			case start == at: // a heading
				start = from
			case len(words) == 1 && start == from && last.Len() > 0:
				start = last.Start
			}
			return Span{start, at}, nil
		}
		ids = append(ids, "^"+mark)
	}
	e := kb.Errorf(kb.NotFound, "there is no block ^%s", id)
	if len(ids) > 0 {
		e = e.WithHint("Blocks are %s.", listed(ids))
	}
	return Span{}, e
}

// blockScan finds the blocks of a node that span several lines.
type blockScan struct {
	d        *Document
	n        *Node
	unclosed map[string]bool // closing texts that do not occur in the rest of the text
}

// heading returns the end of the heading or frontmatter that starts at a line, 0 if there is
// none.
func (s *blockScan) heading(at int) int {
	if s.n.Head.Len() > 0 && s.n.Head.Start == at {
		return min(s.n.Head.End, s.n.Span.End)
	}
	i, ok := slices.BinarySearchFunc(s.n.Headings, at, func(h Heading, at int) int { return h.Line.Start - at })
	if !ok {
		return 0
	}
	return min(s.n.Headings[i].Line.End, s.n.Span.End)
}

var (
	codeFence = lazyregexp.New("^(?:(`{3,})[^`]*|(~{3,}).*)$")
	drawer    = lazyregexp.New(`^:[a-z][a-z0-9_-]*:$`)
)

// Enclosed returns a function that takes the start of a line and returns the
// end of the code, formula, comment or drawer that begins there, 0 for none.
// The function caches its results and must be used by one goroutine.
func (d *Document) Enclosed(n *Node) func(at int) (end int) {
	s := blockScan{d: d, n: n, unclosed: map[string]bool{}}
	return s.closed
}

// closed returns the end of the code, formula, comment or drawer that begins at
// a line, 0 for none.
func (s *blockScan) closed(at int) int {
	end := min(LineEnd(s.d.Text, at), s.n.Span.End)
	line := strings.ToLower(strings.TrimSpace(string(s.d.Text[at:end])))
	if m := codeFence().FindStringSubmatch(line); m != nil {
		mark := m[1] + m[2]
		if after := s.after(end, func(line string) bool {
			return strings.HasPrefix(line, mark) && strings.Trim(line, mark[:1]) == ""
		}); after > 0 {
			return after
		}
		return s.n.Span.End
	}
	name, isBlock := strings.CutPrefix(line, "#+begin_")
	var mark string
	switch {
	case isBlock:
		name, _, _ = strings.Cut(name, " ")
		mark = "#+end_" + name
	case drawer().MatchString(line):
		mark = ":end:"
	case strings.HasPrefix(line, "<!--"):
		mark = "-->"
	case strings.HasPrefix(line, "%%"):
		mark = "%%"
	case strings.HasPrefix(line, "$$"):
		mark = "$$"
	default:
		return 0
	}
	if open := min(len(mark), len(line)); strings.Contains(line[open:], mark) {
		if strings.HasSuffix(line, mark) {
			return end
		}
		return 0
	}
	if s.unclosed[mark] {
		return 0
	}
	after := s.after(end, func(line string) bool { return strings.Contains(line, mark) })
	s.unclosed[mark] = after == 0
	return after
}

// after returns the end of the first line from at on for which is returns true, 0 if there
// is none.
func (s *blockScan) after(at int, is func(line string) bool) int {
	for line := range bytes.Lines(s.d.Text[at:s.n.Span.End]) {
		at += len(line)
		if is(strings.ToLower(strings.TrimSpace(string(line)))) {
			return at
		}
	}
	return 0
}

// blockEnd returns the end of the block that continues at at.
func (s *blockScan) blockEnd(at int) int {
	for at < s.n.Span.End {
		end := min(LineEnd(s.d.Text, at), s.n.Span.End)
		trimmed := strings.TrimSpace(string(s.d.Text[at:end]))
		if trimmed == "" || startsBlock(trimmed) || s.heading(at) > 0 {
			break
		}
		at = max(end, s.closed(at))
	}
	return at
}

// lineBefore returns the line before the one at, trimmed.
func (s *blockScan) lineBefore(at int) string {
	return strings.TrimSpace(string(s.d.Text[LineStart(s.d.Text, at-1):at]))
}

// startsBlock reports whether a line starts a heading or a list item.
func startsBlock(line string) bool {
	mark, _, ok := strings.Cut(line, " ")
	return startsItem(line+" ") || ok && (strings.Trim(mark, "#") == "" || strings.Trim(mark, "*") == "")
}

// startsOther reports whether a line starts a quotation or a table that the previous line is
// not part of.
func startsOther(line, before string) bool {
	return strings.HasPrefix(line, ">") && !strings.HasPrefix(before, ">") ||
		strings.HasPrefix(line, "|") && !strings.HasPrefix(before, "|")
}

// isRule reports whether a line is a horizontal rule.
func isRule(line string) bool {
	line = strings.ReplaceAll(line, " ", "")
	return len(line) >= 3 && strings.Contains("-*_", line[:1]) && strings.Trim(line, line[:1]) == ""
}

func isIndented(line string) bool {
	return strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
}
