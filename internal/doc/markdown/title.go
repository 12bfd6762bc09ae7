package markdown

import (
	"bytes"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// maxHeadingTitle is the maximum length of a heading that names its page, in bytes.
const maxHeadingTitle = 200

// ownHeading returns the heading that names the page: its first one, if it has level 1 and
// no prose before it. Day pages and templates have none: their headings name events or
// placeholders.
func ownHeading(d *doc.Document, n *doc.Node) (string, bool) {
	if len(n.Headings) == 0 {
		return "", false
	}
	h := n.Headings[0]
	name := doc.TitleFromPath(d.Path)
	switch {
	case h.Level != 1 || !h.InTruth || h.Text == "" || len(h.Text) > maxHeadingTitle:
		return "", false
	case strings.Contains(h.Text, "{{") || strings.Contains(h.Text, "<%"):
		return "", false
	case h.Text == name || doc.IsDayName(name):
		return "", false
	}
	if _, hidden := kb.Invisible(h.Text); hidden {
		return "", false
	}
	if prose(d.Text[n.Truth.Start:h.Line.Start]) {
		return "", false
	}
	return h.Text, true
}

// prose reports whether text has a line of plain words: other than a comment, tag, field,
// image, badge, line of links, quotation or HTML.
func prose(text []byte) bool {
	comment := false // in one of Obsidian's, between "%%" and "%%"
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		was := comment
		if bytes.Count(line, []byte("%%"))%2 == 1 {
			comment = !comment
		}
		switch {
		case was || comment || len(line) == 0 || bytes.Contains(line, []byte("::")):
		case bytes.IndexByte([]byte("%<[!>#"), line[0]) < 0:
			return true
		}
	}
	return false
}
