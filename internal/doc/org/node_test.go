package org

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
)

// TestPage checks what the page of page_test.go says, node by node.
func TestPage(t *testing.T) {
	t.Parallel()
	for _, eol := range []string{"\n", "\r\n"} {
		d := Codec{}.Parse("dir/page.org", []byte(strings.ReplaceAll(page, "\n", eol)))
		if len(d.Warnings) > 0 || len(d.Nodes) != 2 || d.EOL != eol {
			t.Fatalf("%d nodes, warnings %v", len(d.Nodes), d.Warnings)
		}
		checkNode(t, d, 0, `
id 6d3b8f6e-1111-4222-8333-444455556666
title Test node
type principle
summary A summary with a link, on two lines.
created 2026-05-24
tags [principle emacs]
aliases [A b c]
property id=[6d3b8f6e-1111-4222-8333-444455556666]
property created=[2026-05-24]
property projects=[general emacs] list
property aliases=[A b c] list
property confidence=[user-stated ; user-stated | observed]
property note=[one two]
property title=[Test node]
property tags=[principle emacs] list
heading 1 Facts true
heading 1 Rest true
heading 1 Timeline false
heading 2 Timeline > 2026-01-01 Happened false
observation fact one [tag] ctx
relation works_at id:9f 2017-01-03..2026-03-01 co-founder
link supersedes OTHER Their title
link links_to notes/a.org a
link links_to abc 
link links_to ../x.org 
link links_to q a link
link links_to Foo 
entry 2026-01-01||Happened|more
task false to do
task true done
`)
		checkNode(t, d, 1, `
id two
title Sub node
summary The second.
tags [a b]
property tags=[a b] list
property id=[two]
property summary=[The second.]
heading 1 Sub node false
heading 2 Inner true
heading 2 Timeline false
observation inner fact [] 
entry 2026-03-01T10:00|meeting|met|detail here
entry 2026-02||earlier|
task false Sub node
`)
		n := d.Nodes[0]
		if got := d.Slice(n.Head); !strings.HasSuffix(got, "#+startup: overview"+eol) || n.Head.Start != 0 {
			t.Errorf("head %q", got)
		}
		if got := d.Slice(n.Timeline); !strings.HasPrefix(got, "** 2026-01-01") {
			t.Errorf("timeline %q", got)
		}
		if got := d.Slice(d.Nodes[1].Truth); got != "Text of two."+eol+"** Inner"+eol+"- [inner] fact"+eol {
			t.Errorf("truth of the second node %q", got)
		}
		if got := d.Slice(d.Nodes[1].Head); !strings.HasPrefix(got, "SCHEDULED") || !strings.HasSuffix(got, ":END:"+eol) {
			t.Errorf("head of the second node %q", got)
		}
	}
}

func checkNode(t *testing.T, d *doc.Document, i int, want string) {
	t.Helper()
	if got := describeNode(d, i); got != strings.TrimPrefix(want, "\n") {
		t.Errorf("node %d:\n%s\nwant\n%s", i, got, want)
	}
}

// describeNode lists what a node says.
func describeNode(d *doc.Document, i int) string {
	var b strings.Builder
	n := &d.Nodes[i]
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	for _, f := range [][2]string{{"id", n.ID}, {"title", n.Title}, {"type", n.Type}, {"status", n.Status}, {"summary", n.Summary}} {
		if f[1] != "" {
			say("%s %s", f[0], f[1])
		}
	}
	if !n.Created.IsZero() {
		say("created %s", n.Created.Format("2006-01-02"))
	}
	if p, ok := n.Property("tags"); ok { // those of others are in another test
		say("tags %v", doc.Tags(p.Values))
	}
	if n.Aliases != nil {
		say("aliases %v", n.Aliases)
	}
	for _, p := range n.Metadata {
		list := ""
		if p.List {
			list = " list"
		}
		say("property %s=%v%s", p.Key, p.Values, list)
	}
	for _, h := range n.Headings {
		say("heading %d %s %v", h.Level, h.Path, h.InTruth)
	}
	for _, o := range n.Observations {
		say("observation %s %s %v %s", o.Category, o.Text, o.Tags, o.Context)
	}
	for _, r := range n.Relations {
		say("relation %s id:%s %s..%s %s", r.Type, r.Target.Name, r.From, r.Until, r.Context)
	}
	for _, l := range n.Links {
		say("link %s %s %s", l.Type, l.Name, l.Text)
	}
	for _, e := range n.Entries {
		say("entry %s|%s|%s|%s", e.Date, e.Source, e.Text, e.Detail)
	}
	for _, k := range n.Tasks {
		say("task %v %s", k.Done, k.Text)
	}
	return b.String()
}

// TestNodes shows which headings are nodes and what they are called.
func TestNodes(t *testing.T) {
	t.Parallel()
	const drawer = ":PROPERTIES:\n:ID: %s\n:END:\n"
	id := func(s string) string { return fmt.Sprintf(drawer, s) }
	for _, c := range []struct {
		name, text string
		want       []string // "id title"
	}{
		{"no text", "", []string{" name"}},
		{"no ID", "* A\n", []string{" name"}},
		{"file and headings", id("f") + "#+title: F\n* A\n" + id("a") + "** B\n" + id("b") + "* C\n", []string{"f F", "a A", "b B"}},
		{"identifier", "#+title: F\n#+identifier: 20260524T103000\n", []string{"20260524T103000 F"}},
		{"planning before the drawer", "* A\nCLOSED: [2026-01-01]\n" + id("a"), []string{" name", "a A"}},
		{"text before the drawer", "* A\ntext\n" + id("a"), []string{" name"}},
		{"keyword before the file's drawer", "#+title: F\n" + id("f"), []string{" F"}},
		{"comment before the file's drawer", "# c\n\n" + id("f"), []string{"f name"}},
		{"empty ID", "* A\n" + id(""), []string{" name"}},
		{"same ID again", "* A\n" + id("a") + "* B\n" + id("a"), []string{" name", "a A"}},
		{"the file's ID again", id("f") + "* A\n" + id("f"), []string{"f name"}},
		{"in a block", "#+begin_example\n* A\n" + id("a") + "#+end_example\n", []string{" name"}},
		{"escaped in a block", "#+begin_src org\n,* A\n" + id("a") + "#+end_src\n", []string{" name"}},
		{"unclosed drawer", "* A\n:PROPERTIES:\n:ID: a\n* B\n", []string{" name"}},
		{"malformed drawer", "* A\n:PROPERTIES:\n:ID: a\ntext\n:END:\n", []string{" name"}},
		{"heading without text", "* \n" + id("a"), []string{" name", "a name"}},
	} {
		var got []string
		for _, n := range (Codec{}).Parse("dir/name.org", []byte(c.text)).Nodes {
			got = append(got, n.ID+" "+n.Title)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestType(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"#+filetags: :emacs:procedure:\n":                                 "procedure",
		"#+filetags: :emacs:\n":                                           "",
		":PROPERTIES:\n:TYPE: decision\n:END:\n#+filetags: :procedure:\n": "decision",
	} {
		if got := (Codec{}).Parse("a.org", []byte(text)).Nodes[0].Type; got != want {
			t.Errorf("%q has type %q, want %q", text, got, want)
		}
	}
}

func TestPaths(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxPath)
	d := Codec{}.Parse("a.org", []byte("* A\n*** B\n** C\n* "+long+"\n** D\n*** E\n"))
	var got []string
	for _, h := range d.Nodes[0].Headings {
		got = append(got, h.Path)
	}
	if want := []string{"A", "A > B", "A > C", long, "D", "D > E"}; !slices.Equal(got, want) {
		t.Errorf("paths %q", got)
	}
	if got := d.Nodes[0].Headings[0].Section; got != (doc.Span{Start: 0, End: 15}) {
		t.Errorf("section %v", got)
	}
}
