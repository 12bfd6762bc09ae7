package markdown_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc/markdown"
)

// TestInlineFields: "key:: value" as Dataview and Logseq write it.
func TestInlineFields(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"stage:: design":                                             "stage=design",
		"Due Date:: 2026-03-01 \n":                                   "Due Date=2026-03-01",
		"**Status**:: open":                                          "Status=open",
		"*a*:: b\n_c_:: d\nplain\ne/f-g.h:: i":                       "a=b c=d e/f-g.h=i",
		"🎂:: 1815-12-10":                                             "🎂=1815-12-10",
		"- up:: [[Ada]], [[Charles]]":                                "up=[[Ada]], [[Charles]]",
		"- block\n  id:: 64a1-b2\n  collapsed:: x":                   "id=64a1-b2 collapsed=x",
		"- [ ] call\n  due:: 2026-01-02":                             "due=2026-01-02",
		"- [x] due:: 2026-01-02":                                     "due=2026-01-02",
		"> quoted:: yes\n> more:: no":                                "quoted=yes more=no",
		"I rate it [rating:: 9]! (by:: [[Ada]] (x)) and [mood:: ok]": "rating=9 by=[[Ada]] (x) mood=ok",
		"a [x:: [[B]] ] b":                                           "x=[[B]]",
		"empty::\nalso:: \nthen:: y":                                 "then=y",
		"std::vector of std::string":                                 "",
		"call `[x:: y]` or [[a:: b]] [t:: u](v.md)":                  "t=u",
		"`key:: code`":                                               "",
		"```\nkey:: code\n```":                                       "",
		"    key:: code":                                             "",
		"# head:: line":                                              "",
		"[open:: and\nclosed] later":                                 "",
		"see http://a.b/c:: d":                                       "",
		strings.Repeat("k", 65) + ":: v":                             "",
	} {
		var got []string
		for _, p := range parse("x.md", source).Properties {
			got = append(got, p.Key+"="+p.Value)
			if at := source[p.Span.Start:p.Span.End]; !p.Inline || !strings.Contains(at, p.Value) || !strings.Contains(at, p.Key) {
				t.Errorf("%q: span %q of %+v", source, at, p)
			}
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%q: got %q, want %q", source, got, want)
		}
	}
}

// TestNestedProperties: keys of maps are joined, lists give one value each.
func TestNestedProperties(t *testing.T) {
	t.Parallel()
	n := parse("x.md", `---
a: 1
list: [x, true, null, 2025-1-2]
map:
  one: &one two
  deep: {b: [c, d], e: *one}
people:
  - name: Ada
  - name: Charles
    born: 1791
none:
text: |
  two
  lines
---
inline:: last
`)
	var got []string
	for _, p := range n.Properties {
		got = append(got, fmt.Sprintf("%s=%s", p.Key, p.Value))
	}
	want := "a=1 list=x list=True list=2025-01-02 map.one=two map.deep.b=c map.deep.b=d map.deep.e=two " +
		"people.name=Ada people.name=Charles people.born=1791 text=two lines inline=last"
	if got := strings.Join(got, " "); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// Headers of arrays of tables in TOML are no links, values are.
func TestTablesAreNoLinks(t *testing.T) {
	t.Parallel()
	d := markdown.Codec{}.Parse("a.md", []byte("+++\ntitle = \"X\"\nup = \"[[Other]]\"\nalso = [\"[[A]]\", \"[[B]]\"]\n[menu]\n  [[menu.main]]\n  name = \"y\"\n[[params]]\n\t[[tabbed]]\n+++\n\ntext\n"))
	var names []string
	for _, l := range d.Nodes[0].Links {
		names = append(names, l.Target.Name)
	}
	if got := strings.Join(names, " "); got != "Other A B" {
		t.Errorf("links %q", got)
	}
}
