package markdown

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
)

func TestFormulasHoldNoLinks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"$[[a]]$ [[b]]":                                        "b",
		"$x + [[a]] y$ and $$[[b]]$$ [[c]]":                    "c",
		"$5 for [[a]] or $6 for [[b]]":                         "a b",
		"\\$[[a]]\\$":                                          "a",
		"$ [[a]] $":                                            "a",
		"[[Price $5]] and [[Cost 6$]]":                         "Price $5 Cost 6$",
		"| $[[a]] | [[b]]$ |":                                  "a b",
		"| $$[[a]] | [[b]]$$ |":                                "a b",
		"| $[[a]] \\| x$ | [[b]] |":                            "b",
		"> | h | i |\n> |---|---|\n> | $[[a]] | [[b]]$ |":      "a b",
		"> [!note]\n> | $[[a]] | [[b]]$ |":                     "a b",
		"- | h | i |\n  |---|---|\n  | $[[a]] | [[b]]$ |":      "a b",
		"1. | $[[a]] | [[b]]$ |":                               "a b",
		"h | i\n--- | ---\n$[[a]] | [[b]]$":                    "a b",
		"h | i\n--- | ---\nx | y\n$$[[a]] | [[b]]$$":           "a b",
		"> h | i\n> :-- | --:\n> $[[a]] | [[b]]$":              "a b",
		"| h | i |\r\n|---|---|\r\n$[[a]] | [[b]]$":            "a b",
		"$[[a]] | [[b]]$\n--- | ---":                           "a b",
		"h | i\n--- | ---\n$[[a]] \\| [[b]]$ | [[c]]":          "c",
		"h | i\n--- | ---\n\n$[[a]] | [[b]]$ [[c]]":            "c",
		"$[[a]] | [[b]]$ [[c]]\nh | i\n--- | ---":              "c",
		"or $[[a]] | x$ [[b]]":                                 "b",
		"$[x](a.md)$ [y](b.md)":                                "b.md",
		"$$\n[[a]]\n$$\n[[b]]":                                 "b",
		"$$\nx\n\n[[a]]\n\n$$\n\n[[b]]":                        "b",
		"$$\nx\n\n[[a]]":                                       "a",
		"$$\nx\n\n# Head\n\n[[a]]\n\n$$\n\n[[b]]":              "a b",
		"> $$\n> x\n\n[[a]]\n\n$$":                             "a",
		"a $x [[a]]\n\n[[b]] y$":                               "a b",
		"[[#]] [[##]] [[#|x]] [[C#]] [[#Head]]":                "C#",
		"`$` [[a]] `$`":                                        "a",
		"$$ x\ny [[a]] $$\n[[b]]":                              "b",
		"- $$ x\n\n[[a]]\n\n$$":                                "a",
		"A seat costs 5$, see [[a]], or 6$ a month.":           "a",
		"We pay 100k$; [[a]] pays 120k$.":                      "a",
		"It costs $5, see [[a]], or US$ 6.":                    "a",
		"| x | y | z |\n|---|---|---|\n| 5$/mo | [[a]] | 6$ |": "a",
		"It was 5$.\nThen [[a]] paid 6$.":                      "a",
		"[Pay $X](a.md) and [$y](b.md)":                        "a.md b.md",
	} {
		d := Codec{}.Parse("x.md", []byte(text))
		if got := targets(d); got != want {
			t.Errorf("%q links to %q, want %q", text, got, want)
		}
	}
}

func TestPriorityIsNoLink(t *testing.T) {
	t.Parallel()
	d := (Codec{}).In("logseq").Parse("x.md", []byte("- TODO [#A] call [[b]] #c [#word]\n- [#B] #A\n"))
	if got := targets(d); got != "b c word A" {
		t.Errorf("links to %q", got)
	}
	if got := strings.Join(d.Nodes[0].Tags, " "); got != "c word A" {
		t.Errorf("tags are %q", got)
	}
}

func targets(d *doc.Document) string {
	var out []string
	for _, x := range d.Targets() {
		out = append(out, x.Name)
	}
	return strings.Join(out, " ")
}
