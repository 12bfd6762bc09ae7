package markdown

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
)

func TestReading(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, want, markup string }{
		"links are their text": {
			"See [the docs](https://example.org/a_b \"title\"), [[People/Ada|Ada]] and [[People/Ada]].",
			"See the docs, Ada and People/Ada.", "https://example.org/a_b",
		},
		"an embed":                {"![[Report#Costs]] and ![[chart.png|300]] end", "Report#Costs and  end", "chart.png|300"},
		"a link to a heading":     {"[[#Costs]]", "#Costs", ""},
		"a badge alone":           {"Before.\n\n[![Build](https://img.shields.io/x.svg)](https://ci.example)\n\nAfter.", "Before.\n\nAfter.", "shields"},
		"badges in a row":         {"![a b](https://img.shields.io/a) | ![c d](https://img.shields.io/b)", "", "shields"},
		"an image with a caption": {"![A cat on a mat](cat.jpg)", "A cat on a mat", "cat.jpg"},
		"an image with a size":    {"![300](cat.jpg) text", "text", "cat.jpg"},
		"a comment":               {"One <!-- two\nthree --> four.", "One\n four.", "two"},
		"a comment as a block":    {"One\n\n<!--\ntwo\n\nthree\n-->\n\nfour", "One\n\nfour", "three"},
		"Obsidian's comment":      {"One %%two%% three.", "One  three.", "two"},
		"over lines":              {"%% one\ntwo %%\nthree", "three", "two"},
		"over blank lines":        {"%%\none\n\n```\ncode\n```\n\ntwo\n%%\n\nthree", "three", "code"},
		"with links in it":        {"%% see [[Ada]] and [b](c.md) %%\n\nText", "Text", "Ada"},
		"percent signs":           {"Use %% to print one, %%d not, 100%% and 50%%.", "Use %% to print one, %%d not, 100%% and 50%%.", ""},
		"a comment without end":   {"%% one\n\ntwo\n\n100 %% three", "%% one\n\ntwo\n\n100 %% three", ""},
		"tags":                    {"A <span class=\"x\">word</span>, a<br>b, vector<int> and <T>.", "A word, a b, vector<int> and <T>.", "class"},
		"an HTML block":           {"<div class=\"y\">\n\nwords\n\n</div>", "words", "class"},
		"a button in a link":      {"[<button id=HH>Open</button>](obsidian://show?id=x)", "Open", "obsidian"},
		"code is as it stands":    {"`[a](b)` and `<br>`\n\n```\n[a](b) %% c %%\n<!-- d -->\n```", "`[a](b)` and `<br>`\n\n```\n[a](b) %% c %%\n<!-- d -->\n```", ""},
		"an address is seen":      {"At https://sparky.example.edu/awk, or <https://b.example>.", "At https://sparky.example.edu/awk, or <https://b.example>.", "sparky"},
		"references":              {"A [word][1] and [two].\n\n[1]: https://example.org/one\n[two]: <two.md> \"x\"", "A word and two.", "example.org/one"},
		"no reference":            {"An [x] and [y][z].", "An [x] and [y][z].", ""},
		"a footnote":              {"Said[^1].\n\n[^1]: By him.", "Said[^1].\n\n[^1]: By him.", ""},
		"a list of links":         {"- [a](b)\n- [](c)\n- d", "- a\n- d", ""},
		"in a heading":            {"## The [plan](plan.md)\n\ntext", "## The plan\n\ntext", "plan.md"},
	} {
		d := Codec{}.Parse("x.md", []byte(tt.text))
		all := doc.Span{End: len(d.Text)}
		if got := d.Reading(all); got != tt.want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, tt.want)
		}
		words, markup := d.Words(all)
		if !strings.Contains(markup, tt.markup) || tt.markup != "" && strings.Contains(words, tt.markup) {
			t.Errorf("%s: words %q, markup %q", name, words, markup)
		}
		if got := d.ReadingLines(all); strings.Count(string(got), "\n") != strings.Count(tt.text, "\n") {
			t.Errorf("%s: other lines: %q", name, got)
		}
	}
}

// Text that is hostile takes no more than linear time; see also FuzzParse.
func TestMarksAreLinear(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"%% ", "[a](", "<a ", "https://", "![", "[[a|", "%% a %%b ", "<!-- "} {
		text := []byte(strings.Repeat(unit, 2_000_000/len(unit)))
		d := Codec{}.Parse("x.md", text)
		_ = d.Reading(doc.Span{End: len(d.Text)})
	}
}
