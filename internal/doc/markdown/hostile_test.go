package markdown_test

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/doctest"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
)

// TestHostile parses what would take hours, or all memory, in more than
// linear time: most of these are repeated a hundred thousand times.
func TestHostile(t *testing.T) {
	t.Parallel()
	const n = 1 << 17
	for name, text := range map[string]string{
		"brackets":            strings.Repeat("[", n),
		"closing brackets":    strings.Repeat("]", n),
		"pairs":               strings.Repeat("[", n) + strings.Repeat("]", n),
		"bracket pairs":       strings.Repeat("[]", n),
		"open wikilinks":      strings.Repeat("[[a", n),
		"images":              strings.Repeat("![", n),
		"open links":          strings.Repeat("[a](", n),
		"open links, angle":   strings.Repeat("[a](<b", n),
		"open titles":         strings.Repeat(`[a](b "`, n),
		"open titles, parens": strings.Repeat(`[a](b (`, n),
		"open labels":         "[r]: x.md\n\n" + strings.Repeat("[a][", n),
		"references":          "[r]: x.md\n\n" + strings.Repeat("[r]", n/8),
		"definitions":         strings.Repeat("[r]: x\n", n/8),
		"backslashes":         strings.Repeat(`\[`, n),
		"comments":            strings.Repeat("a <!-- ", n),
		"tags":                strings.Repeat("a <b ", n),
		"ticks":               strings.Repeat("` `` ``` ", n/4),
		"rising ticks":        risingTicks(2000),
		"formulas":            strings.Repeat("$$a|b", n),
		"formulas in rows":    strings.Repeat("$a|b$\n", n),
		"quotations":          strings.Repeat("> ", n) + "a",
		"bullets":             strings.Repeat("- ", n) + "a",
		"mixed bullets":       strings.Repeat("- * ", n) + "a",
		"numbers":             strings.Repeat("1. ", n) + "a",
		"stairs":              stairs(2000),
		"blank lines in list": strings.Repeat("- ", 150) + "a" + strings.Repeat("\n", n),
		"quoted blank lines":  strings.Repeat("> - ", 70) + "a\n" + strings.Repeat(">\n", n),
		"spaces":              strings.Repeat(" ", n) + "a",
		"tabs":                strings.Repeat("\t", n) + "- a",
		"one long line":       strings.Repeat("word ", n),
		"headings":            "# " + strings.Repeat("long ", 1000) + "\n" + strings.Repeat("## x\n", n/4),
		"setext":              strings.Repeat("a\n---\n", n/4),
		"fences":              strings.Repeat("```\n", n),
		"html blocks":         strings.Repeat("<div>\n", n),
		"tags in a fact":      "- [a] b" + strings.Repeat(" #c", n),
		"parens in a fact":    "- [a] b (" + strings.Repeat("(", n) + strings.Repeat(")", n),
		"entries":             "a\n\n---\n" + strings.Repeat("- 2024-01-01: x\n", n/16),
		"nested entries":      "a\n\n---\n" + strings.Repeat("- 2024-01-01: x\n  - 2024-01-01: y\n", n/32),
		"tags in metadata":    "---\ntags:\n" + strings.Repeat("  - t\n", n) + "---\n",
		"flow tags":           "---\ntags: [" + strings.Repeat("t, ", n) + "t]\n---\n",
		"keys":                "---\n" + strings.Repeat("k: v\n", n/4) + "---\n",
		"deep flow":           "---\nk: " + strings.Repeat("[", 9000) + "\n---\n",
		"deep map":            "---\nk: " + strings.Repeat("{a: ", 9000) + "\n---\n",
		"open frontmatter":    "---\n" + strings.Repeat("k: v\n", n/4),
		"links in metadata":   "---\nk: \"" + strings.Repeat("[[", n) + "\"\n---\n",
		"fields":              strings.Repeat("(a:: b) ", n/4),
		"open fields":         strings.Repeat("[a:: ", n/4),
		"fields and code":     strings.Repeat("`a:: b` [c:: d]\n", n/8),
		"nested values":       "---\nk: &a [1, 2, 3]\nl:\n" + strings.Repeat("  - {m: *a}\n", n/32) + "---\n",
		"rules":               strings.Repeat("---\n", n),
		"wide wikilink":       "[[" + strings.Repeat("a", n) + "]]",
		"alias bars":          "[[" + strings.Repeat("|", 900) + "]]",
		"many links":          strings.Repeat("[[a]] ", n),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := markdown.Codec{}.Parse("x.md", []byte(text))
			doctest.Sound(t, d)
			if name == "many links" && len(d.Nodes[0].Links) != n {
				t.Errorf("%d links", len(d.Nodes[0].Links))
			}
		})
	}
}

// risingTicks has runs of every length, none of which closes another.
func risingTicks(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("`", i) + " ")
	}
	return b.String()
}

// stairs is a list as deep as it is long.
func stairs(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("  ", i) + "- a\n")
	}
	return b.String()
}

// TestBomb checks that aliases are not expanded: nine levels of nine would be
// 387 million values.
func TestBomb(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("---\na0: &a0 [x, x, x, x, x, x, x, x, x]\n")
	names := "0123456789"
	for i := 1; i < 9; i++ {
		b.WriteString("a" + names[i:i+1] + ": &a" + names[i:i+1] + " [")
		b.WriteString(strings.TrimSuffix(strings.Repeat("*a"+names[i-1:i]+", ", 9), ", ") + "]\n")
	}
	b.WriteString("title: Still here\n---\n[[link]]\n")
	n := markdown.Codec{}.Parse("x.md", []byte(b.String())).Nodes[0]
	if n.Title != "Still here" || len(n.Links) != 1 || len(n.Metadata) != 10 || !n.Metadata[8].Opaque {
		t.Errorf("%+v", n)
	}
}

// TestAliasBudget: an alias repeated often stands for no more than a bounded
// number of values.
func TestAliasBudget(t *testing.T) {
	t.Parallel()
	text := "---\nbig: &b [" + strings.TrimSuffix(strings.Repeat("x, ", 1000), ", ") + "]\n"
	for i := range 100 {
		text += "k" + strings.Repeat("x", i+1) + ": *b\n"
	}
	total := 0
	for _, p := range (markdown.Codec{}).Parse("x.md", []byte(text+"---\n")).Nodes[0].Metadata {
		total += len(p.Values)
	}
	if total < 1000 || total > 12_000 {
		t.Errorf("%d values", total)
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, source, want string
		links              int
	}{
		{"not YAML", "---\na: [b\n---\n[[x]]", "frontmatter-not-yaml", 1},
		{"not a map", "---\njust words\n---\n[[x]]", "frontmatter-not-map", 1},
		{"a list", "---\n- a\n---\n[[x]]", "frontmatter-not-map", 1},
		{"two documents", "---\na: b\n--- c\n---\n", "frontmatter-not-yaml", 0},
		{"never closed", "---\na: b\n\n[[x]]", "frontmatter-open", 1},
		{"twice", "---\na: b\na: c\n---\n", "frontmatter-duplicate-key", 0},
		{"twice in a map", "---\na:\n  b: 1\n  b: {c: 2}\n---\n", "frontmatter-duplicate-key", 0},
		{"once in each map", "---\na: {b: 1}\nc: {b: 1}\n---\n", "", 0},
		{"too large", "---\na: 'it''s'\nb: " + strings.Repeat("x", 1<<20) + "\n---\n[[x]]", "frontmatter-too-large", 1},
		{"latin-1", "caf\xe9 [[x]]", "encoding-latin-1", 1},
		{"binary", "\x00[[x]]", "not-text", 0},
		{"fine", "---\na: b\n---\n[[x]]", "", 1},
		{"null map", "---\n~\n---\n[[x]]", "", 1},
	} {
		d := markdown.Codec{}.Parse("x.md", []byte(c.source))
		got := ""
		for _, w := range d.Warnings {
			got += w.Code
		}
		if got != c.want || len(d.Nodes[0].Links) != c.links || d.Nodes[0].Title != "x" {
			t.Errorf("%s: warnings %q, %d links", c.name, got, len(d.Nodes[0].Links))
		}
		if c.want == "" || c.want == "frontmatter-duplicate-key" || c.want == "encoding-latin-1" {
			continue
		}
		// What is no metadata takes no keys.
		if _, err := (markdown.Codec{}).Apply(d, "", doc.SetProperty{Key: "k", Value: "v"}); err == nil {
			t.Errorf("%s: edited", c.name)
		}
	}
}
