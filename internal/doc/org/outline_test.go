package org

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
)

// TestOpaque shows what is no markup: headings, facts and links there do not
// count, and what looks broken is named.
func TestOpaque(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       []string // headings, observations and links that count
		warnings   []string // code:line
	}{
		{"plain", "* H\n- [a] b\n[[c]]\n", []string{"H", "b", "c"}, nil},
		{"source", "#+begin_src\n- [a] b\n[[c]]\n#+end_src\n", nil, nil},
		{"any case, indented", "  #+BEGIN_SRC sh -x\n[[c]]\n  #+End_Src\n[[d]]\n", []string{"d"}, nil},
		{"export and comment", "#+begin_export html\n[[a]]\n#+end_export\n#+begin_comment\n[[b]]\n#+end_comment\n", nil, nil},
		{"quote has links", "#+begin_quote\n- [a] b\n[[c]]\n#+end_quote\n", []string{"c"}, nil},
		{"comment in a quote", "#+begin_quote\n# [[a]]\nb [[c]]\n  # [[d]]\n[[e]]\n#+end_quote\n", []string{"c", "e"}, nil},
		{"heading in a block", "#+begin_src\n* H\n#+end_src\n* I\n", []string{"I"}, []string{"heading-in-block:2"}},
		{"escaped heading in a block", "#+begin_src\n,* H\n#+end_src\n", nil, nil},
		{"block in a block", "#+begin_src\n#+begin_example\n#+end_src\n[[a]]\n#+end_example\n", []string{"a"}, nil},
		{"same block in a block", "#+begin_src\n#+begin_src\n#+end_src\n[[a]]\n", []string{"a"}, nil},
		{"unclosed block", "#+begin_src\n[[a]]\n* H\n", []string{"H", "a"}, []string{"block-unclosed:1"}},
		{"block that lost its end", "#+begin_src\n* H\n#+begin_src\n[[a]]\n#+end_src\n", []string{"H"}, []string{"block-unclosed:1"}},
		{"end without begin", "#+end_src\n[[a]]\n", []string{"a"}, nil},
		{"drawer has links", ":LOGBOOK:\n- [a] b\n[[c]]\n:END:\n", []string{"c"}, nil},
		{"drawer without end", ":LOGBOOK:\n[[a]]\n* H\n:END:\n", []string{"H", "a"}, nil},
		{"fixed width, comment, keyword", ": [[a]]\n:\n# [[b]]\n#+x: [[c]]\n#[[d]]\n", []string{"d"}, nil},
		{"table", "| [[a]] | =[[b]]= |\n", []string{"a"}, nil},
		{"property drawer has links", ":PROPERTIES:\n:ID: [b\n:A: [[c]]\n:END:\n# [[d]]\n#+title: [[e]]\n* H\n:PROPERTIES:\n:A: file:f.org\n:END:\n", []string{"H", "c", "f.org"}, nil},
		{"unclosed property drawer", ":PROPERTIES:\n:A: b\n* H\n:END:\n", []string{"H"}, []string{"drawer-unclosed:1"}},
		{"malformed property drawer", "* H\n:PROPERTIES:\n:A b\n:END:\n", []string{"H"}, []string{"drawer-malformed:2"}},
		{"misplaced property drawer", "text\n:PROPERTIES:\n:A: b\n:END:\n", nil, []string{"drawer-misplaced:2"}},
		{"duplicate property", ":PROPERTIES:\n:A: b\n:a: c\n:A+: d\n:END:\n", nil, []string{"property-duplicate:3"}},
		{"duplicate ID", "* G\n:PROPERTIES:\n:ID: a\n:END:\n* H\n:PROPERTIES:\n:ID: a\n:END:\n", []string{"G", "H"}, []string{"id-duplicate:5"}},
	} {
		d := Codec{}.Parse("a.org", []byte(c.text))
		var headings, rest []string
		for _, n := range d.Nodes {
			for _, h := range n.Headings {
				headings = append(headings, h.Text)
			}
			for _, o := range n.Observations {
				rest = append(rest, o.Text)
			}
			for _, l := range n.Links {
				rest = append(rest, l.Name)
			}
		}
		slices.Sort(headings)
		if got := append(headings, rest...); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		var warnings []string
		for _, w := range d.Warnings {
			warnings = append(warnings, fmt.Sprintf("%s:%d", w.Code, w.Line))
		}
		if !slices.Equal(warnings, c.warnings) {
			t.Errorf("%s: warnings %q, want %q", c.name, warnings, c.warnings)
		}
	}
}

func TestManyWarnings(t *testing.T) {
	t.Parallel()
	d := Codec{}.Parse("a.org", []byte(strings.Repeat("#+begin_src\n", 10*maxWarnings)))
	if n := len(d.Warnings); n != maxWarnings+1 || d.Warnings[n-1].Code != "warnings-many" {
		t.Errorf("%d warnings", n)
	}
}

func TestHead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                          "",
		"text\n#+title: x\n":                        "",
		"# comment\n\ntext\n":                       "",
		"# c\n\n#+title: x\n\ntext":                 "# c\n\n#+title: x\n",
		"#+title: x\n#+caption: y\n[[a]]\n":         "#+title: x\n",
		"#+title: x\n#+begin_quote: y\n":            "#+title: x\n",
		"#+title: x\n* H\n#+date: y\n":              "#+title: x\n",
		":PROPERTIES:\n:ID: x\n:END:\n#+title: x":   ":PROPERTIES:\n:ID: x\n:END:\n#+title: x",
		":PROPERTIES:\n:ID: x\n:END:\n:LOG:\n:END:": ":PROPERTIES:\n:ID: x\n:END:\n",
	} {
		d := Codec{}.Parse("a.org", []byte(text))
		if got := d.Slice(d.Nodes[0].Head); got != want {
			t.Errorf("%q: head %q, want %q", text, got, want)
		}
	}
}

func TestTimeline(t *testing.T) {
	t.Parallel()
	d := Codec{}.Parse("a.org", []byte(`* Timeline of work
- 2026-01-01 no entry
* timeline :x:
:PROPERTIES:
:A: b
:END:
Some words.
- [2026-03-03 Tue] | mail — one
  detail

  - 2026-01-05 nested
- no entry
+ 2026-03-02 two
#+begin_src
- 2026-01-05 code
#+end_src
** 2026-03 — three
- 2026-01-06 in its text
*** Deeper
- 2026-01-07 in its text
** No entry
- 2026-02-01 four
* After
- 2026-01-08 no entry
`))
	n := d.Nodes[0]
	var got []string
	for _, e := range n.Entries {
		got = append(got, fmt.Sprintf("%s|%s|%s|%q", e.Date, e.Source, e.Text, e.Detail))
	}
	want := []string{
		`2026-03-03|mail|one|"detail\n\n- 2026-01-05 nested"`,
		`2026-03-02||two|""`,
		`2026-03||three|"- 2026-01-06 in its text\n*** Deeper\n- 2026-01-07 in its text"`,
		`2026-02-01||four|""`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("entries\n%s", strings.Join(got, "\n"))
	}
	if !strings.HasPrefix(d.Slice(n.Timeline), "Some words.") || n.Timeline.End != len(d.Text) {
		t.Errorf("timeline %q", d.Slice(n.Timeline))
	}
	if got := d.Slice(n.Entries[0].Span); got != "- [2026-03-03 Tue] | mail — one\n  detail\n\n  - 2026-01-05 nested\n" {
		t.Errorf("first entry %q", got)
	}
	if n.Truth != (doc.Span{Start: 0, End: strings.Index(string(d.Text), "* timeline")}) {
		t.Errorf("truth %v", n.Truth)
	}
}
