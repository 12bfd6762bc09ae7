package markdown

import (
	"bytes"
	"strings"
)

// openFence starts a fenced code block, unless the line does not open one: a
// fence of backticks has no backtick in its info string.
func (s *scanner) openFence(c cursor, matched int) bool {
	rest := c.rest()
	n := runLength(rest)
	if n < 3 || rest[0] == '`' && bytes.IndexByte(rest[n:], '`') >= 0 {
		return false
	}
	s.closeContainers(matched)
	s.leaf, s.fenceChar, s.fenceLen = fence, rest[0], n
	return true
}

// fenceLine reads a line of a fenced block, which may close it.
func (s *scanner) fenceLine(c cursor) {
	rest := c.rest()
	if len(rest) == 0 || rest[0] != s.fenceChar || c.indent() > 3 {
		return
	}
	if n := runLength(rest); n >= s.fenceLen && len(bytes.TrimRight(rest[n:], " \t")) == 0 {
		s.leaf = none
	}
}

// runLength returns the number of times that the first byte of b is repeated at its start.
func runLength(b []byte) int {
	n := 0
	for n < len(b) && b[n] == b[0] {
		n++
	}
	return n
}

// htmlBlocks are the starts of HTML blocks that end with a given text, possibly
// on the same line. Their content is not Markdown.
var htmlBlocks = []struct{ start, end string }{
	{"<!--", "-->"},
	{"<script", "</script>"},
	{"<style", "</style>"},
	{"<pre", "</pre>"},
	{"<textarea", "</textarea>"},
	{"<![cdata[", "]]>"},
	{"<?", "?>"},
	{"<!", ">"},
}

// openHTML starts an HTML block. Links are also read in blocks that end with a blank line,
// since people write such blocks around Markdown.
func (s *scanner) openHTML(c cursor, matched int, inParagraph bool) bool {
	rest := c.rest()
	lower := bytes.ToLower(rest[:min(len(rest), 16)])
	for _, b := range htmlBlocks {
		if !bytes.HasPrefix(lower, []byte(b.start)) {
			continue
		}
		if isLetter(b.start[len(b.start)-1]) && len(rest) > len(b.start) && isLetter(rest[len(b.start)]) {
			continue
		}
		s.closeContainers(matched)
		s.htmlStart = c.end - len(rest)
		if containsFold(rest[len(b.start):], b.end) {
			s.markHTML(b.start, c.end)
		} else {
			s.leaf, s.htmlBegin, s.htmlEnd = htmlBlock, b.start, b.end
		}
		return true
	}
	if !isBlockTag(lower) && (inParagraph || !isLoneTag(rest)) {
		return false
	}
	s.closeContainers(matched)
	s.leaf, s.htmlEnd = htmlBlock, ""
	s.links.scan(s.n, c.pos, c.end)
	return true
}

// htmlLine reads a line of an HTML block; it returns false if the block ended before the
// line.
func (s *scanner) htmlLine(c cursor, blank bool) bool {
	if s.htmlEnd == "" {
		if blank {
			return false
		}
		s.links.scan(s.n, c.pos, c.end)
		return true
	}
	if containsFold(c.rest(), s.htmlEnd) {
		s.leaf = none
		s.markHTML(s.htmlBegin, c.end)
	}
	return true
}

func containsFold(b []byte, lower string) bool {
	if lower[0] != '<' {
		return bytes.Contains(b, []byte(lower))
	}
	for {
		i := bytes.IndexByte(b, '<')
		if i < 0 {
			return false
		}
		b = b[i:]
		if len(b) >= len(lower) && strings.EqualFold(string(b[:len(lower)]), lower) {
			return true
		}
		b = b[1:]
	}
}

// blockTags are tags that start an HTML block at the start of any line (CommonMark 0.31,
// HTML blocks, condition 6).
var blockTags = map[string]bool{}

func init() {
	for _, tag := range strings.Fields(`address article aside blockquote body center col colgroup dd details dialog
		dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hr html iframe legend
		li link main menu nav ol p param section search summary table tbody td tfoot th thead title tr ul`) {
		blockTags[tag] = true
	}
}

func isBlockTag(lower []byte) bool {
	name := bytes.TrimPrefix(lower[1:], []byte("/"))
	n := 0
	for n < len(name) && (isLetter(name[n]) || isDigit(name[n])) {
		n++
	}
	if n < len(name) && !bytes.ContainsAny(name[n:n+1], " \t>/") {
		return false
	}
	return blockTags[string(name[:n])]
}

// isLoneTag reports whether a line is one complete tag and nothing else.
func isLoneTag(rest []byte) bool {
	rest = bytes.TrimRight(rest, " \t")
	if len(rest) < 3 || rest[len(rest)-1] != '>' || bytes.IndexByte(rest[1:], '<') >= 0 || bytes.IndexByte(rest, '>') != len(rest)-1 {
		return false
	}
	name := bytes.TrimPrefix(rest[1:], []byte("/"))
	// A colon or "@" makes it an autolink.
	return len(name) > 0 && isLetter(name[0]) && !bytes.ContainsAny(name[:tagNameLength(name)], ":@")
}

func tagNameLength(name []byte) int {
	if i := bytes.IndexAny(name, " \t>"); i >= 0 {
		return i
	}
	return len(name)
}
