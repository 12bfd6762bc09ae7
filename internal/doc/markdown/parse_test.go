package markdown_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
)

func parse(path, source string) *doc.Node {
	return &markdown.Codec{}.Parse(path, []byte(source)).Nodes[0]
}

// TestFrontmatter holds specs/markdown-graph.md 3.2 and 13.1.
func TestFrontmatter(t *testing.T) {
	t.Parallel()
	n := parse("dir/my-note.md", `---
title: My Title
tags: [a, b]
created: 2025-01-15T10:30:00
when: 2025-1-5 1:02:03
count: 42
zip: 0123
price: 1.10
draft: true
off: FALSE
yes: "yes"
none: null
tilde: ~
list: [1, true, null, 2025-01-15, x]
nested: {a: 1}
---
Body`)
	want := map[string]string{
		"title": "My Title", "tags": "a|b", "created": "2025-01-15T10:30:00", "when": "2025-01-05T01:02:03",
		"count": "42", "zip": "0123", "price": "1.10", "draft": "True", "off": "False", "yes": "yes",
		"none": "", "tilde": "", "list": "1|True|2025-01-15|x", "nested": "{a: 1}",
	}
	if len(n.Metadata) != len(want) {
		t.Errorf("%d keys, want %d", len(n.Metadata), len(want))
	}
	for _, p := range n.Metadata {
		if got := strings.Join(p.Values, "|"); got != want[p.Key] || p.Opaque != (p.Key == "nested") {
			t.Errorf("%s: got %q, want %q", p.Key, got, want[p.Key])
		}
	}
	if n.Title != "My Title" || n.Created.Format("2006-01-02 15:04") != "2025-01-15 10:30" || !slices.Equal(n.Tags, []string{"a", "b"}) {
		t.Errorf("%+v", n)
	}
	if n := parse("dir/my-note.md", "---\ntype: note\n---\n"); n.Title != "my-note" || n.Type != "note" {
		t.Errorf("%q %q", n.Title, n.Type)
	}
	for path, want := range map[string]string{"a/b.c.md": "b.c", ".hidden": ".hidden", "none": "none"} {
		if n := parse(path, "## A heading\n"); n.Title != want {
			t.Errorf("%s: title %q", path, n.Title)
		}
	}
}

func TestTagsAndNames(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"tags: a, b c, #d":           "a|b c",
		"tags: a b a":                "a|b",
		"tags: '#a #b'":              "a|b",
		"tags: [a, '#a', b]":         "a|b",
		"tags: [machine learning]":   "machine learning",
		"tags:\n- x\n- y":            "x|y",
		"tag: solo":                  "solo",
		"Tags: Upper":                "Upper",
		"tags:":                      "",
		"tags: [a, [b]]":             "a",
		"tags: [2024, true]":         "2024|True",
		"tags: \"\"":                 "",
		"tags: [a]\ntag: b":          "a|b",
		"keywords: [not, tags]":      "",
		"tags: [a]   # the comment":  "a",
		"tags: # nothing\n  - later": "later",
	} {
		if got := strings.Join(parse("x.md", "---\n"+source+"\n---\n").Tags, "|"); got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
	n := parse("x.md", "---\naliases: [One, Two]\nalias: Three\npermalink: dir/four\nuuid: abc\nmodified: 2024-02-03\ndate: 2023\n---\n")
	if got := strings.Join(n.Aliases, "|"); got != "One|Two|Three|dir/four" || n.ID != "abc" || n.Updated.Year() != 2024 || n.Created.Year() != 2023 {
		t.Errorf("%+v", n)
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"> One *line*\n": "One line",
		"# T\n\n> two\n> [[lines|words]]\n\n> other":        "two words",
		"> [!NOTE]\n> callout\n\n> after":                   "after",
		"text\n\n- > in a list\n":                           "",
		"a\n\n---\n\n- 2024: x\n\n> below the line":         "",
		"---\nsummary: From metadata\n---\n> quoted":        "From metadata",
		"---\ndescription: Described\n---\n> quoted":        "quoted",
		"---\ndescription: >\n  Described\n  twice\n---\nx": "Described twice",
		"> lazy\ncontinued\n":                               "lazy continued",
		"> <!-- who -->\n\n- works_at [[brex]]\n":           "",
		"> <!-- who -->\n\ntext\n\n> said later\n":          "said later",
	} {
		if got := parse("x.md", source).Summary; got != want {
			t.Errorf("%q: %q, want %q", source, got, want)
		}
	}
}

// TestLine: the line is the first --- that CommonMark reads as a rule, and below which a
// timeline begins.
func TestLine(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"a\n\n---\n\n- 2024: b":                      "a\n\n|\n- 2024: b",
		"a\n\n---  \t\n- 2024: b":                    "a\n\n|- 2024: b",
		"---\nk: v\n---\na\n\n---\n- 2024: b":        "a\n\n|- 2024: b",
		"---\nk: v\n...\na\n\n---\n- 2024: b":        "a\n\n|- 2024: b",
		"---\nbad: [\n---\na\n\n---\n- 2024: b":      "---\nbad: [\n---\na\n\n|- 2024: b",
		"---\nopen\n\na\n":                           "---\nopen\n\na\n|",
		"# H\n---\n- 2024: b":                        "# H\n|- 2024: b",
		"- item\n---\n- 2024: b":                     "- item\n|- 2024: b",
		"> quote\n---\n- 2024: b":                    "> quote\n|- 2024: b",
		"para\n---\n- 2024: b":                       "para\n---\n- 2024: b|",
		"para\n---\n\n## Timeline\nb":                "para\n|\n## Timeline\nb",
		"para\n---\n\n## Timelines\nb":               "para\n---\n\n## Timelines\nb|",
		"a\n\n----\n\n***\n\n- - -\n\n- 2024: b":     "a\n\n----\n\n***\n\n- - -\n\n- 2024: b|",
		"a\n\n ---\n- 2024: b":                       "a\n\n ---\n- 2024: b|",
		"```\n---\n```\n\n---\n- 2024: b":            "```\n---\n```\n\n|- 2024: b",
		"```\n---\n":                                 "```\n---\n|",
		"~~~\n```\n---\n~~~\n---\n- 2024: b":         "~~~\n```\n---\n~~~\n|- 2024: b",
		"    code\n    ---\n\n---\n- 2024: b":        "    code\n    ---\n\n|- 2024: b",
		"<!--\n---\n-->\n\n---\n- 2024: b":           "<!--\n---\n-->\n\n|- 2024: b",
		"> ---\n\n- a\n\n  ---\n\n---\n- 2024: b":    "> ---\n\n- a\n\n  ---\n\n|- 2024: b",
		"a\n\n---\nb\n\n---\n- 2024: c":              "a\n\n---\nb\n\n|- 2024: c",
		"a\n\n---\n- 2024: b\n\n---\n- 2024: c":      "a\n\n|- 2024: b\n\n---\n- 2024: c",
		"a\n\n---\n\n## Log\n\n- 2024: b":            "a\n\n|\n## Log\n\n- 2024: b",
		"a\n\n---\n\n## 2024-01-01\nb":               "a\n\n|\n## 2024-01-01\nb",
		"a\n\n---\n\n## TIMELINE ##\nb":              "a\n\n|\n## TIMELINE ##\nb",
		"a\n\n---\n\nb\n\n- 2024: c":                 "a\n\n---\n\nb\n\n- 2024: c|",
		"a\n\n---\n\n- b\n- 2024: c":                 "a\n\n---\n\n- b\n- 2024: c|",
		"a\n\n---\n\n## Two\n\n### Log\n\n- 2024: c": "a\n\n---\n\n## Two\n\n### Log\n\n- 2024: c|",
		"\n---\n- 2024: b":                           "\n|- 2024: b",
		"a\r\n\r\n---\r\n- 2024: b":                  "a\r\n\r\n|- 2024: b",
		"a\n\n---":                                   "a\n\n---|",
	} {
		d := markdown.Codec{}.Parse("x.md", []byte(source))
		n := d.Nodes[0]
		if got := d.Slice(n.Truth) + "|" + d.Slice(n.Timeline); got != want {
			t.Errorf("%q: got %q, want %q", source, got, want)
		}
	}
}

// TestObservations holds specs/markdown-graph.md 3.3 and 13.1.
func TestObservations(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"- [definition] AI is intelligence exhibited by machines": "definition|AI is intelligence exhibited by machines||",
		"- [technique] Gradient descent #ml #optimization":        "technique|Gradient descent|ml,optimization|",
		"- [fact] Water boils at 100°C (at sea level)":            "fact|Water boils at 100°C||at sea level",
		"* [a b] x":                      "a b|x||",
		"1. [fact] numbered":             "fact|numbered||",
		"- [fact] a (b) #c":              "fact|a|c|b",
		"- [fact] a #b c":                "fact|a c|b|",
		"- [fact] a (b (c))":             "fact|a||b (c)",
		"- [fact] C#m and #1 and a#b":    "fact|C#m and #1 and a#b||",
		"- [fact] #only":                 "fact||only|",
		"- [fact] `#code` stays":         "fact|`#code` stays||",
		"- [fact] #a/b-c_d, #e":          "fact|,|a/b-c_d,e|",
		"- [fact] (all in parentheses)":  "fact|(all in parentheses)||",
		"- [fact]\ttab":                  "fact|tab||",
		"- [x] Completed task":           "",
		"- [ ] Pending task":             "",
		"- [-] cancelled":                "",
		"- [click here](https://x.com)":  "",
		"- [[wikilink]] text":            "",
		"- [^1] footnote":                "",
		"- [!note] callout":              "",
		"- [fact]no blank":               "",
		"- [fact]":                       "",
		"[fact] no list":                 "",
		"```\n- [fact] code\n```":        "",
		"- [fact] first\n  second line":  "fact|first||",
		"- x\n\n  - [fact] deep #t":      "fact|deep|t|",
		"> - [fact] quoted":              "",
		"> [!note]\n> - [fact] aside":    "",
		"- [fact] see [[Page]] (source)": "fact|see [[Page]]||source",
	} {
		got := ""
		for _, o := range parse("x.md", source).Observations {
			got += fmt.Sprintf("%s|%s|%s|%s", o.Category, o.Text, strings.Join(o.Tags, ","), o.Context)
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", source, got, want)
		}
	}
}

// TestReferences shows every relation, then every link of a page.
func TestReferences(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"- implements [[Machine Learning]]":                        "implements>Machine Learning",
		"This relates to [[Statistics]] in many ways":              "Statistics",
		"- uses [[React [[Hooks]]]]":                               "uses>React [[Hooks]]",
		"- requires [[Training Data]] (for model fitting)":         "requires>Training Data(for model fitting)",
		"- works_at [[Brex]] @2017-01-03..2026-03-01 (co-founder)": "works_at>Brex@2017-01-03..2026-03-01(co-founder)",
		"- works_at [[Brex]] @2017..":                              "works_at>Brex@2017..",
		"- works_at [[Brex]] @2017":                                "works_at>Brex@2017..",
		"- works_at [[Brex]] @2017.. [Source: User, call, 2026]":   "works_at>Brex@2017..([Source: User, call, 2026])",
		"- works_at [[Brex]] (CEO) [Source: a][Source: b [c]]":     "works_at>Brex(CEO [Source: a] [Source: b [c]])",
		"- works_at [[Brex]] @2017[Source: [x](http://x.org)]":     "works_at>Brex@2017..([Source: [x](http://x.org)])",
		"- works_at [[Brex]] [Source: X/@a](http://x.org)":         "works_at>Brex([Source: X/@a](http://x.org))",
		"- works_at [[Brex]] [Source: User] since long":            "Brex",
		"- works_at [[Brex]] [see below]":                          "Brex",
		"- works_at [[Brex]] [Source: User":                        "Brex",
		"- works_at [[Brex]] (a) and (b)":                          "Brex",
		"- **Shaped by:** [[Ada]]":                                 "Shaped by>Ada",
		"- [[A]] and [[B]]":                                        "A B",
		"- sees [[A]], [[B]]":                                      "A B",
		"- sees ![[A]]":                                            "A",
		"- see\n  [[A]]":                                           "A",
		"- 2024 [[A]]":                                             "A",
		"- a [[book]]\n  - by [[dan]]":                             "a>book by>dan",
		"# [[In heading]]":                                         "In heading",
		"|[[a]]|[[b\\|c]]|":                                        "a b",
		"---\nup: [[A]]\nx: \"[[B|b]]\"\n---":                      "A B",
		"---\ntitle: [[A]]\n---":                                   "",
		"[a](x.md) [b](y.md#z)":                                    "x.md y.md",
		"![a](x.md) ![b](y.png)":                                   "x.md",
		"![[a.png]] ![[b]]":                                        "b",
		"[a][r]\n\n[r]: x.md":                                      "x.md",
		"[a](\nx.md\n'title\nmore')":                               "x.md",
		"[two\nlines](x.md)":                                       "x.md",
		"<https://[[x]]> <b [[y]]>":                                "",
		"`[[x]]` ``[[`y`]]`` [[z]]":                                "z",
		"`` [[x]] `":                                               "x",
		"a \\[[x]] \\\\[[y]]":                                      "y",
		"<div>\n[[x]]\n</div>":                                     "x",
		"<script>\n[[x]]\n\n[[y]]\n</script>":                      "",
		"\t- tabbed [[a]]":                                         "tabbed>a",
		"    - spaced [[a]]":                                       "",
		"- [ ] task [[a]]":                                         "a",
	} {
		var got []string
		n := parse("x.md", source)
		for _, r := range n.Relations {
			s := r.Type + ">" + r.Target.Name
			if r.Dated {
				s += "@" + r.From + ".." + r.Until
			}
			if r.Context != "" {
				s += "(" + r.Context + ")"
			}
			got = append(got, s)
		}
		for _, l := range n.Links {
			got = append(got, l.Name)
			if l.Type != "links_to" {
				t.Errorf("%q: type %q", source, l.Type)
			}
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%q: got %q, want %q", source, got, want)
		}
	}
}

func TestEntries(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"- **2024-03-01** | meeting — We met":         "2024-03-01|meeting|We met|",
		"- **2024-03-01** | meeting | We met":         "2024-03-01|meeting|We met|",
		"- **2024-03-01** | call | He left — at last": "2024-03-01|call|He left — at last|",
		"- **2024-03-01** | Ada — met Bo | Cy":        "2024-03-01|Ada|met Bo | Cy|",
		"- **2024-03-01** | We met":                   "2024-03-01||We met|",
		"- **2024-03-01** — We - met":                 "2024-03-01||We - met|",
		"- 2024-03-01: text":                          "2024-03-01||text|",
		"- 2024-03-01 text":                           "2024-03-01||text|",
		"- **2024-03:** text":                         "2024-03||text|",
		"- [2024-03-01 Fri 10:30] text":               "2024-03-01T10:30||text|",
		"- [[2024-03-01]] text":                       "2024-03-01||text|",
		"- 1984 | book - Orwell":                      "1984|book|Orwell|",
		"- 1984 was a year":                           "",
		"- 2024-13-01: no date":                       "",
		"- 2024-03-01x":                               "",
		"text 2024-03-01":                             "",
		"- **2024-03-01** | a — b\n  c\n\n  d\n\ne":   "2024-03-01|a|b|c\n\nd",
		"- 2024-03-01: a\n  - 2024-02-01: b":          "2024-03-01||a|- 2024-02-01: b",
		"### 2024-03-01 | a — b\n\nmore\n\n## Next":   "2024-03-01|a|b|more",
		"### 2024-03-01\n\n- 2024-03-02: x":           "2024-03-02||x|",
		"### 2024-03-01\n\n- one\n\n### 2024-02-01\n": "2024-03-01|||- one;2024-02-01|||",
		"1. 2024-03-01: ordered":                      "2024-03-01||ordered|",
		"> - 2024-03-01: quoted":                      "",
		"```\n- 2024-03-01: code\n```":                "",
	} {
		var got []string
		for _, e := range parse("x.md", "a\n\n---\n\n"+source).Entries {
			got = append(got, strings.Join([]string{e.Date, e.Source, e.Text, e.Detail}, "|"))
		}
		if got := strings.Join(got, ";"); got != want {
			t.Errorf("%q: got %q, want %q", source, got, want)
		}
		if n := parse("x.md", source); len(n.Entries) > 0 {
			t.Errorf("%q: an entry above the line", source)
		}
	}
}

func TestHeadings(t *testing.T) {
	t.Parallel()
	d := markdown.Codec{}.Parse("x.md", []byte("# A #\n\ntext\n\n## `B` [c](d.md) {#e}\n\n### C\n\nD *d*\n---\n\n- # in a list\n\n> # quoted\n\nE\n=\n\n---\n\n## Timeline\n"))
	var got []string
	for _, h := range d.Nodes[0].Headings {
		got = append(got, fmt.Sprintf("%d %s %v %d", h.Level, h.Path, h.InTruth, strings.Count(d.Slice(h.Section), "\n")))
	}
	want := []string{"1 A true 15", "2 A > B c true 4", "3 A > B c > C true 2", "2 A > D d true 7", "1 E true 3", "2 Timeline false 1"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestBrokenFrontmatter: it is text, searchable and linked, and its lines count.
func TestBrokenFrontmatter(t *testing.T) {
	t.Parallel()
	n := parse("x.md", "---\ntitle: [open\nup: [[A]]\n---\n# B\n[[C]]\n")
	if n.Title != "open" || n.Head.Len() > 0 || n.Truth.Start != 0 || len(n.Headings) != 1 || n.Headings[0].Text != "B" || len(n.Links) != 2 {
		t.Errorf("%+v", n)
	}
}

func TestTasks(t *testing.T) {
	t.Parallel()
	var got []string
	for _, k := range parse("x.md", "- [ ] open\n- [x] done\n* [X] also\n- [-] given up\n- [/] half\n- [a] letter\n- [ ]\n\n[ ] no item\n- TODO word\n  SCHEDULED: <2026-11-22 Sun>\n- DONE\n").Tasks {
		got = append(got, fmt.Sprintf("%v %s %s%s", k.Done, k.State, k.Text, k.Scheduled))
	}
	if want := []string{"false todo open", "true done done", "true done also", "true cancelled given up", "false doing half", "false todo ", "false TODO word2026-11-22"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestNamesWithColons: "- Foo: The Bar" is a map in YAML, and cost the page its other names.
func TestNamesWithColons(t *testing.T) {
	t.Parallel()
	n := parse("x.md", "---\naliases:\n  - Short\n  - Foo: The Bar\ntags: [keep, 42, area: home, {meta: kept}, null]\n---\n")
	if got := strings.Join(n.Aliases, "|"); got != "Short|Foo: The Bar" {
		t.Errorf("aliases %s", got)
	}
	if got := strings.Join(n.Tags, "|"); got != "keep|42|area: home|meta: kept" {
		t.Errorf("tags %s", got)
	}
}

// A nested item of the tags costs the page none of the others, and is no part of them.
func TestNestedNames(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, added, removed string }{
		{"---\ntags:\n  - one\n  - deep: {a: b}\n  - two\n  - late:\n      c: d\naliases: [x, [y], z]\n---\n", "---\ntags:\n  - one\n  - deep: {a: b}\n  - two\n  - late:\n      c: d\n  - three\naliases: [x, [y], z]\n---\n", "---\ntags:\n  - deep: {a: b}\n  - two\n  - late:\n      c: d\naliases: [x, [y], z]\n---\n"},
		{"---\ntags: [one, {deep: {a: b}}, two, [c, d]]\naliases: [x, [y], z]\n---\n", "---\ntags: [one, {deep: {a: b}}, two, [c, d], three]\naliases: [x, [y], z]\n---\n", "---\ntags: [{deep: {a: b}}, two, [c, d]]\naliases: [x, [y], z]\n---\n"},
		{"+++\ntags = [\"one\", {a = \"b\"}, \"two\"]\naliases = [\"x\", [\"y\"], \"z\"]\n+++\n", "+++\ntags = [\"one\", {a = \"b\"}, \"two\", \"three\"]\naliases = [\"x\", [\"y\"], \"z\"]\n+++\n", "+++\ntags = [{a = \"b\"}, \"two\"]\naliases = [\"x\", [\"y\"], \"z\"]\n+++\n"},
		{"{\n\"tags\": [\"one\", {\"a\": \"b\"}, \"two\"],\n\"aliases\": [\"x\", [\"y\"], \"z\"]\n}\n", "{\n\"tags\": [\"one\", {\"a\": \"b\"}, \"two\", \"three\"],\n\"aliases\": [\"x\", [\"y\"], \"z\"]\n}\n", "{\n\"tags\": [{\"a\": \"b\"}, \"two\"],\n\"aliases\": [\"x\", [\"y\"], \"z\"]\n}\n"},
	} {
		d := markdown.Codec{}.Parse("x.md", []byte(tt.text))
		n := d.Nodes[0]
		if tags, aliases := strings.Join(n.Tags, "|"), strings.Join(n.Aliases, "|"); tags != "one|two" || aliases != "x|z" {
			t.Errorf("%q: tags %s, aliases %s", tt.text, tags, aliases)
		}
		if w := d.Warnings; len(w) != 2 || w[0].Code != "frontmatter-nested-name" || w[1].Code != w[0].Code {
			t.Errorf("%q: warnings %v", tt.text, w)
		}
		for _, e := range []struct {
			edit doc.Edit
			want string
		}{{doc.AddTag{Tag: "three"}, tt.added}, {doc.RemoveTag{Tag: "one"}, tt.removed}} {
			if got, err := (markdown.Codec{}).Apply(d, "", e.edit); err != nil || string(got) != e.want {
				t.Errorf("%T: %q, %v; want %q", e.edit, got, err, e.want)
			}
		}
	}
}
