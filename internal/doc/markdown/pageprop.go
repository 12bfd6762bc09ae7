package markdown

import (
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
)

// pageProperties reads the fields at the start of the text as properties of the page: title,
// alias and tags. Logseq uses them instead of frontmatter; frontmatter takes precedence.
func pageProperties(d *doc.Document, n *doc.Node) {
	at := n.Truth.Start
	for _, p := range n.Properties {
		if !p.Inline {
			continue
		}
		if p.Span.Start < at || strings.Trim(string(d.Text[at:p.Span.Start]), "- \t\r\n") != "" {
			return
		}
		at = p.Span.End
		switch doc.PropertyKey(p.Key) {
		case "title":
			if n.Title == "" {
				n.Title = p.Value
			}
		case "alias", "aliases":
			n.Aliases = doc.Names(append(n.Aliases, fieldList(p.Value)...))
		case "tags", "tag":
			n.Tags = append(n.Tags, fieldList(p.Value)...)
		}
	}
	n.Aliases = slices.DeleteFunc(n.Aliases, func(a string) bool { return a == n.Title })
}

// fieldList splits names at commas, and removes the brackets of links.
func fieldList(value string) []string {
	list := strings.Split(value, ",")
	for i, v := range list {
		v = strings.TrimPrefix(strings.TrimSpace(v), "#")
		list[i] = strings.TrimSuffix(strings.TrimPrefix(v, "[["), "]]")
	}
	return list
}
