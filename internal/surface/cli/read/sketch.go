package read

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
)

// DOT writes a graph for Graphviz.
func DOT(g api.Graph) string {
	var b strings.Builder
	b.WriteString("digraph cairn {\n  rankdir=LR;\n  node [shape=box];\n")
	for _, n := range g.Nodes {
		style := ""
		if n.Ref == g.Root {
			style = ", style=bold"
		}
		fmt.Fprintf(&b, "  %s [label=%s%s];\n", quote(n.Ref), quote(n.Title), style)
	}
	for _, l := range g.Links {
		fmt.Fprintf(&b, "  %s -> %s [label=%s];\n", quote(l.From), quote(l.To), quote(label(l)))
	}
	if g.LeftOut > 0 {
		fmt.Fprintf(&b, "  // left out: %d\n", g.LeftOut)
	}
	b.WriteString("}\n")
	return b.String()
}

// Mermaid writes a graph for Mermaid, as Markdown files hold it.
func Mermaid(g api.Graph) string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	names := make(map[string]string, len(g.Nodes))
	for i, n := range g.Nodes {
		names[n.Ref] = fmt.Sprintf("n%d", i)
		fmt.Fprintf(&b, "  n%d[\"%s\"]\n", i, entities.Replace(oneLine(n.Title)))
	}
	for _, l := range g.Links {
		fmt.Fprintf(&b, "  %s -->|\"%s\"| %s\n", names[l.From], entities.Replace(oneLine(label(l))), names[l.To])
	}
	return b.String()
}

// label is a link's type, and when it holds.
func label(l api.GraphLink) string {
	if when := (kb.Interval{From: l.ValidFrom, Until: l.ValidUntil}).String(); when != "" {
		return l.Type + " " + when
	}
	return l.Type
}

// quote writes a text as a quoted string of DOT.
func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(oneLine(text)) + `"`
}

// entities are characters that mean something to Mermaid also within quotes.
var entities = strings.NewReplacer("#", "#35;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "`", "#96;", "|", "#124;", "&", "#amp;")

// oneLine takes control characters out of a text.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}
