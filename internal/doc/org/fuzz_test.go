package org

import (
	"bytes"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

var (
	crlfPage = strings.ReplaceAll(page, "\n", "\r\n")
	openPage = strings.TrimSuffix(page, "\n")
)

// seeds are texts with every construct, and with what breaks each.
var seeds = []string{
	"",
	"\n",
	"no newline at the end",
	page,
	crlfPage,
	openPage,
	"\xef\xbb\xbf#+title: BOM\n",
	"#+title: latin \xe9t\xe9\n\nEt la suite \xe0 venir.\n",
	"\xff\xfe#\x00+\x00",
	"\x00\x01\x02 binary",
	":PROPERTIES:\n:ID: a\nno end\n",
	":PROPERTIES:\nno property\n:END:\ntext\n",
	":PROPERTIES:\n:END:\n",
	"* A\n:PROPERTIES:\n:ID: x\n* B\n:END:\n",
	"* A\n:PROPERTIES:\n:ID: x\n:END:\n* B\n:PROPERTIES:\n:ID: x\n:END:\n",
	"#+begin_src org\n* A\n:PROPERTIES:\n:ID: x\n:END:\n#+end_src\n",
	"#+begin_src\nopen\n* A\n#+begin_src\n#+end_src\n",
	"#+end_src\n#+begin_quote\nQ [[id:a][b]]\n#+end_quote",
	"* \n** \n*** T :a:b:\n* :a:\n",
	"#+TODO: NEXT(n) | GONE\n* NEXT [#A] COMMENT x [1/2] :t:\n",
	"* Timeline\n- [2026-03-01 Sun] | a — b\n  more\n+ 2026 — c\n** <2026-01-01 Thu 10:00> d\n",
	"* N\n:PROPERTIES:\n:ID: n\n:END:\n** Timeline\n\n* M\n",
	"[[a][b\nc]] [[\\[a\\]]] [[[[]]]] [[]] <id:a> file:x.org id:6d3b8f6e-1111-4222-8333-444455556666 =[[a]]= ~x\n[[b]]~",
	"- [c] t #x (y)\n- r [[t]] @2020..2021 (c)\n- [ ] a\n- [X] b\n- [-] c\n1. [@5] [c] t\n * [c] t\na) x",
	":LOGBOOK:\n- State [[id:x]]\n:END:\n: [[no]]\n# [[no]]\n#+foo: [[no]]\n| [[t]] |\n",
	"\t- [c] tab\n\t  more\n",
	roam,
	"<<a>> <<<b>>> << c>> <<d>[[a]] [cite:@x; @y\n\n[cite/t/c:@z] cite:a,,&b. [[cite:c]] <<<<e>>>>",
}

func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		d := Codec{}.Parse("a.org", source)
		back, err := d.Encode(d.Text)
		if err != nil || !bytes.Equal(back, source) {
			t.Fatalf("not the identity: %v", err)
		}
		checkSpans(t, d)
	})
}

// checkSpans holds what every document promises about its spans.
func checkSpans(t *testing.T, d *doc.Document) {
	t.Helper()
	whole := doc.Span{Start: 0, End: len(d.Text)}
	in := func(what string, outer, s doc.Span) {
		if s.Start > s.End || !outer.Contains(s) {
			t.Fatalf("%s %v is not within %v", what, s, outer)
		}
	}
	if len(d.Nodes) == 0 || d.Nodes[0].Span != whole || d.Nodes[0].Heading != -1 {
		t.Fatalf("the first node is not the file")
	}
	ids := map[string]bool{}
	for i := range d.Nodes {
		n := &d.Nodes[i]
		in("node", whole, n.Span)
		in("head", n.Span, n.Head)
		in("truth", n.Span, n.Truth)
		in("timeline", n.Span, n.Timeline)
		if n.Truth.Start != n.Head.End || n.Timeline.Len() > 0 && n.Timeline.Start < n.Truth.End {
			t.Fatalf("head %v, truth %v, timeline %v", n.Head, n.Truth, n.Timeline)
		}
		if i > 0 && (n.ID == "" || ids[n.ID]) {
			t.Fatalf("node %d has no ID of its own", i)
		}
		ids[n.ID] = true
		at := -1
		for _, h := range n.Headings {
			in("heading", n.Span, h.Section)
			in("line", h.Section, h.Line)
			if h.Line.Start <= at {
				t.Fatalf("headings are out of order")
			}
			at = h.Line.Start
		}
		at = -1
		for _, l := range n.Links {
			in("link", n.Span, l.Span)
			in("name", l.Span, l.NameAt)
			if d.Slice(l.NameAt) != l.Raw {
				t.Fatalf("link's raw %q is not at %q", l.Raw, d.Slice(l.NameAt))
			}
			if l.Span.Start < at {
				t.Fatalf("links overlap or are out of order")
			}
			at = l.Span.End
		}
		for _, r := range n.Relations {
			in("relation", n.Span, r.Span)
			in("target", r.Span, r.Target.Span)
			if d.Slice(r.Target.NameAt) != r.Target.Raw {
				t.Fatalf("relation's raw is not where it should be")
			}
		}
		for _, o := range n.Observations {
			in("observation", n.Span, o.Span)
		}
		at = -1
		for _, e := range n.Entries {
			in("entry", n.Timeline, e.Span)
			if e.Span.Start < at {
				t.Fatalf("entries overlap")
			}
			at = e.Span.End
		}
		for _, p := range n.Metadata {
			in("property", n.Span, p.Span)
		}
		for _, x := range n.Tasks {
			in("task", n.Span, x.Span)
		}
	}
}

// additions are edits that only add bytes.
var additions = []doc.Edit{
	doc.SetProperty{Key: "fuzz", Value: "a value"},
	doc.SetList{Key: "fuzz", Values: []string{"a", "b c"}},
	doc.AddTag{Tag: "fuzz"},
	doc.AddRelation{Type: "knows", Target: "Fuzz Target", From: "2020-01", Context: "why"},
	doc.AddRelation{Type: "knows", Target: "id:6d3b8f6e-1111-4222-8333-444455556666"},
	doc.AddObservation{Category: "fuzz", Text: "an observation", Tags: []string{"x"}, Context: "c"},
	doc.AddEntry{Date: "2026-03-01", Source: "fuzz", Text: "an entry", Detail: "one\n\n* two"},
	doc.Append{Text: "Appended text."},
	doc.Prepend{Text: "Prepended text."},
}

// otherEdits change or remove bytes.
var otherEdits = []doc.Edit{
	doc.SetTitle{Title: "Fuzz Title"},
	doc.RemoveProperty{Key: "id"},
	doc.RemoveProperty{Key: "title"},
	doc.RemoveTag{Tag: "b"},
	doc.SetTruth{Text: "New truth."},
	doc.ReplaceSection{Section: "A", Text: "New section."},
	doc.Replace{Old: "a", New: "* b"},
	doc.RemoveRelation{Target: "t"},
	doc.RemoveObservation{Category: "c", Text: "t"},
	doc.InsertBefore{Section: "A", Text: "before"},
	doc.InsertAfter{Section: "A", Text: "after"},
}

func FuzzEdit(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		d := Codec{}.Parse("a.org", source)
		for i := range d.Nodes {
			id := d.Nodes[i].ID
			if i == 0 {
				id = ""
			}
			for _, e := range additions {
				out, err := Codec{}.Apply(d, id, e)
				if err != nil {
					checkCode(t, err)
					continue
				}
				after := Codec{}.Parse("a.org", out)
				checkSpans(t, after)
				if !onlyAdded(d.Text, after.Text) {
					t.Fatalf("%T removed bytes: %q to %q", e, d.Text, after.Text)
				}
			}
			for _, e := range otherEdits {
				out, err := Codec{}.Apply(d, id, e)
				if err != nil {
					checkCode(t, err)
					continue
				}
				checkSpans(t, Codec{}.Parse("a.org", out))
			}
		}
	})
}

func checkCode(t *testing.T, err error) {
	t.Helper()
	if c := kb.CodeOf(err); c == kb.Internal || c == "" {
		t.Fatalf("error with code %q: %v", c, err)
	}
}

// onlyAdded reports whether after is before with one run of bytes inserted.
// Blanks do not count: those before a heading's tags may go to make room.
func onlyAdded(before, after []byte) bool {
	before = bytes.ReplaceAll(before, []byte(" "), nil)
	after = bytes.ReplaceAll(after, []byte(" "), nil)
	n := 0
	for n < min(len(before), len(after)) && before[n] == after[n] {
		n++
	}
	return bytes.HasSuffix(after[n:], before[n:])
}

// FuzzContent gives edits any content at all. What is accepted must read back
// and must leave the other node of the file alone.
func FuzzContent(f *testing.F) {
	for _, s := range []string{
		"plain", "", " ", "a\nb", ":a: :b:", `"a" "b"`, "[2026-03-01 Sun]", "* heading", "a :b:", "TODO a", "]] [[", `\`, "[1/2]",
		"#+begin_src", ":END:", ":PROPERTIES:\n:ID: two\n:END:", "* x\n:PROPERTIES:\n:ID: two\n:END:", "* Timeline", "(a) (b)", "#tag", "— b", "| a — b", "\x00", "\xff", "id:two", "file:a.org::*H", "=a=", "SUPERSEDES",
	} {
		f.Add(s)
	}
	d := Codec{}.Parse("a.org", []byte(page))
	f.Fuzz(func(t *testing.T, s string) {
		for _, e := range []doc.Edit{
			doc.SetProperty{Key: "note", Value: s},
			doc.SetProperty{Key: s, Value: "v"},
			doc.SetList{Key: "list", Values: []string{s, s}},
			doc.SetList{Key: "aliases", Values: []string{s}},
			doc.SetList{Key: "tags", Values: []string{s}},
			doc.SetTitle{Title: s},
			doc.AddTag{Tag: s},
			doc.AddRelation{Type: "knows", Target: s},
			doc.AddRelation{Type: s, Target: "T", Context: s},
			doc.AddObservation{Category: s, Text: "x", Context: s},
			doc.AddObservation{Category: "c", Text: s, Tags: []string{s}},
			doc.AddEntry{Date: "2026-02-03", Source: s, Text: "x", Detail: s},
			doc.AddEntry{Date: "2026-02-03", Text: s},
			doc.Append{Text: s},
			doc.Append{Section: "Inner", Text: s},
			doc.InsertBefore{Section: "Rest", Text: s},
			doc.ReplaceSection{Section: "Facts", Text: s},
		} {
			for i, id := range []string{"", "two"} {
				out, err := Codec{}.Apply(d, id, e)
				if err != nil {
					checkCode(t, err)
					continue
				}
				after := Codec{}.Parse("a.org", out)
				checkSpans(t, after)
				other, err := after.NodeIndex([]string{"two", ""}[i])
				if err != nil {
					t.Fatalf("%#v on %q lost the other node", e, id)
				}
				if was, is := describeNode(d, 1-i), describeNode(after, other); was != is {
					t.Fatalf("%#v on %q changed the other node:\n%s\nto\n%s", e, id, was, is)
				}
			}
		}
	})
}
