package org

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// TestEdits shows the bytes that each edit writes.
func TestEdits(t *testing.T) {
	t.Parallel()
	const node = "* Node   :a:b:\n:PROPERTIES:\n:ID: n\n:END:\nText.\n"
	for _, c := range []struct {
		name   string
		before string
		node   string
		edit   doc.Edit
		after  string
	}{
		// Properties.
		{"first property", "Text.\n", "", doc.SetProperty{Key: "status", Value: "stale"},
			":PROPERTIES:\n:STATUS: stale\n:END:\nText.\n"},
		{"first property before keywords, after the mode line", "# -*- mode: org -*-\n#+title: T\n", "", doc.SetProperty{Key: "id", Value: "x"},
			"# -*- mode: org -*-\n:PROPERTIES:\n:ID: x\n:END:\n#+title: T\n"},
		{"new property as the others are indented and aligned", "* N\n  :PROPERTIES:\n  :ID:       n\n  :END:\n", "n", doc.SetProperty{Key: "status", Value: "x"},
			"* N\n  :PROPERTIES:\n  :ID:       n\n  :STATUS:   x\n  :END:\n"},
		{"changed property keeps its key's case and blanks", ":PROPERTIES:\n:Status:\told  \n:END:\n", "", doc.SetProperty{Key: "STATUS", Value: "new"},
			":PROPERTIES:\n:Status:\tnew  \n:END:\n"},
		{"empty property", ":PROPERTIES:\n:STATUS:\n:END:\n", "", doc.SetProperty{Key: "status", Value: "new"},
			":PROPERTIES:\n:STATUS: new\n:END:\n"},
		{"property to nothing", ":PROPERTIES:\n:STATUS:  old\n:END:\n", "", doc.SetProperty{Key: "status", Value: ""},
			":PROPERTIES:\n:STATUS:\n:END:\n"},
		{"timestamp stays one", ":PROPERTIES:\n:UPDATED: [2026-05-24 Sun]\n:END:\n", "", doc.SetProperty{Key: "updated", Value: "2026-05-25"},
			":PROPERTIES:\n:UPDATED: [2026-05-25 Mon]\n:END:\n"},
		{"added lines go with the old value", ":PROPERTIES:\n:N: a\n:M: m\n:N+: b\n:END:\n", "", doc.SetProperty{Key: "n", Value: "c"},
			":PROPERTIES:\n:N: c\n:M: m\n:END:\n"},
		{"keyword", "#+date: 2026\n", "", doc.SetProperty{Key: "date", Value: "2027"}, "#+date: 2027\n"},
		{"list", ":PROPERTIES:\n:ID: x\n:END:\n", "", doc.SetList{Key: "places", Values: []string{"a", "b c"}},
			":PROPERTIES:\n:ID: x\n:PLACES: \"a\" \"b c\"\n:END:\n"},
		{"list of slugs", ":PROPERTIES:\n:PROJECTS: :general:\n:END:\n", "", doc.SetList{Key: "projects", Values: []string{"a", "b"}},
			":PROPERTIES:\n:PROJECTS: :a:b:\n:END:\n"},
		{"aliases", "#+title: T\n", "", doc.SetList{Key: "aliases", Values: []string{"A b", "c"}},
			":PROPERTIES:\n:ROAM_ALIASES: \"A b\" c\n:END:\n#+title: T\n"},
		{"remove property", ":PROPERTIES:\n:ID: x\n:N: a\n:N+: b\n:END:\n", "", doc.RemoveProperty{Key: "n"}, ":PROPERTIES:\n:ID: x\n:END:\n"},
		{"remove the last property", ":PROPERTIES:\n:ID: x\n:END:\nText.\n", "", doc.RemoveProperty{Key: "ID"}, "Text.\n"},
		{"remove what is not there", "Text.\n", "", doc.RemoveProperty{Key: "id"}, "Text.\n"},
		{"CRLF", ":PROPERTIES:\r\n:ID: x\r\n:END:\r\n", "", doc.SetProperty{Key: "a", Value: "b"}, ":PROPERTIES:\r\n:ID: x\r\n:A: b\r\n:END:\r\n"},

		// Title and tags.
		{"first title", ":PROPERTIES:\n:ID: x\n:END:\n#+date: 2026\n", "", doc.SetTitle{Title: "T"}, ":PROPERTIES:\n:ID: x\n:END:\n#+title: T\n#+date: 2026\n"},
		{"title", "#+TITLE:   Old\n* Old :t:\n* Old\n", "", doc.SetTitle{Title: "New"}, "#+TITLE:   New\n* New :t:\n* Old\n"},
		{"title after a line without end", "# comment", "", doc.SetTitle{Title: "T"}, "# comment\n#+title: T"},
		{"heading title", "* TODO [#A] Old      :a:\n:PROPERTIES:\n:ID: n\n:END:\n", "n", doc.SetTitle{Title: "Longer"},
			"* TODO [#A] Longer   :a:\n:PROPERTIES:\n:ID: n\n:END:\n"},
		{"heading title as a property", node, "n", doc.SetProperty{Key: "title", Value: "New"}, strings.Replace(node, "Node   ", "New    ", 1)},
		{"first tag", "#+title: T\n#+date: 2026\n", "", doc.AddTag{Tag: "#a"}, "#+title: T\n#+filetags: :a:\n#+date: 2026\n"},
		{"tag", "#+FILETAGS: :a:\n", "", doc.AddTag{Tag: "b"}, "#+FILETAGS: :a:b:\n"},
		{"tag among words", "#+filetags: a b\n", "", doc.AddTag{Tag: "c"}, "#+filetags: a b c\n"},
		{"tag that is there", "#+filetags: :a:\n", "", doc.AddTag{Tag: "a"}, "#+filetags: :a:\n"},
		{"remove tag", "#+filetags: :a:b:c:\n", "", doc.RemoveTag{Tag: "b"}, "#+filetags: :a:c:\n"},
		{"remove the last tag", "#+title: T\n#+filetags: :a:\n", "", doc.RemoveTag{Tag: "a"}, "#+title: T\n"},
		{"set tags", "#+filetags: :a:\n#+filetags: :b:\n", "", doc.SetList{Key: "tags", Values: []string{"c", "#d"}}, "#+filetags: :c:d:\n"},
		{"heading tag", node, "n", doc.AddTag{Tag: "c"}, strings.Replace(node, "   :a:b:", " :a:b:c:", 1)},
		{"first heading tag", "* N\n:PROPERTIES:\n:ID: n\n:END:\n", "n", doc.AddTag{Tag: "c"}, "* N :c:\n:PROPERTIES:\n:ID: n\n:END:\n"},
		{"remove heading tag", node, "n", doc.RemoveTag{Tag: "a"}, strings.Replace(node, "   :a:b:", "     :b:", 1)},
		{"remove heading tags", node, "n", doc.SetList{Key: "tags", Values: []string{"x"}}, strings.Replace(node, "   :a:b:", "     :x:", 1)},

		// Facts.
		{"first relation", "#+title: T\nText.\n", "", doc.AddRelation{Type: "knows", Target: "A b", From: "2020"},
			"#+title: T\nText.\n\n* Relations\n\n- knows [[A b]] @2020..\n"},
		{"relation by id, in a node", node + "* Next\n", "n", doc.AddRelation{Type: "knows", Target: "id:6d3b8f6e-1111-4222-8333-444455556666", Context: "c"},
			node + "\n** Relations\n\n- knows [[id:6d3b8f6e-1111-4222-8333-444455556666]] (c)\n* Next\n"},
		{"relation above the line", "* Relations\n- a [[b]]\n* Timeline\n", "", doc.AddRelation{Type: "c", Target: "d.org"},
			"* Relations\n- a [[b]]\n- c [[file:d.org]]\n* Timeline\n"},
		{"close relation", "- a [[id:x][B]] (c)\n", "", doc.CloseRelation{Target: "id:x", Until: "2026"}, "- a [[id:x][B]] @..2026 (c)\n"},
		{"close dated relation", "- a [[b]] @2020..\n", "", doc.CloseRelation{Target: "b", Until: "2026"}, "- a [[b]] @2020..2026\n"},
		{"interval of a relation", "- a [[id:x][B]] @2020.. (c)\n", "", doc.SetInterval{Type: "a", Target: "id:x", Line: 1, Was: kb.Interval{From: "2020"}, Is: kb.Interval{From: "2020", Until: "2026"}}, "- a [[id:x][B]] @2020..2026 (c)\n"},
		{"remove relation", "- a [[b]]\n- a [[c]]\n", "", doc.RemoveRelation{Target: "c"}, "- a [[b]]\n"},
		{"observation", "* Observations\n- [a] b\n** Sub\n", "", doc.AddObservation{Category: "c", Text: "d", Tags: []string{"e"}},
			"* Observations\n- [a] b\n- [c] d #e\n\n** Sub\n"},
		{"remove observation", "- [a] b\n- [c] d #e (f)\n", "", doc.RemoveObservation{Category: "c", Text: "d"}, "- [a] b\n"},

		// Timeline.
		{"first entry", "Text.\n", "", doc.AddEntry{Date: "2026-03-01", Source: "mail", Text: "came"},
			"Text.\n\n* Timeline\n\n- [2026-03-01 Sun] | mail — came\n"},
		{"newest first", "* Timeline\n- [2026-03-01 So] a\n", "", doc.AddEntry{Date: "2026-04-01", Text: "b"},
			"* Timeline\n- [2026-04-01 Wed] — b\n- [2026-03-01 So] a\n"},
		{"oldest last, with detail", "* Timeline\n  + 2026 — a\n    more\n\nText after.\n", "", doc.AddEntry{Date: "2025-02", Text: "b", Detail: "one\n\ntwo"},
			"* Timeline\n  + 2026 — a\n    more\n  + 2025-02 — b\n    one\n\n    two\n\nText after.\n"},
		{"entry as heading", "* Timeline\n** 2026-01-01 a\nmore\n* Next\n", "", doc.AddEntry{Date: "2025-01-01", Text: "b"},
			"* Timeline\n** 2026-01-01 a\nmore\n** [2025-01-01 Wed] — b\n* Next\n"},
		{"timeline of a node", node + "* Next\n", "n", doc.AddEntry{Date: "2026-03-01", Text: "b"},
			node + "\n** Timeline\n\n- [2026-03-01 Sun] — b\n* Next\n"},
		{"no final newline", "* Timeline\n- 2026-01-02 a", "", doc.AddEntry{Date: "2025", Text: "b"}, "* Timeline\n- 2026-01-02 a\n- 2025 — b"},

		// Text.
		{"append before a nested node", "Text.\n\n" + node, "", doc.Append{Text: "More."}, "Text.\n\nMore.\n\n" + node},
		{"append a heading after it", node, "", doc.Append{Text: "* More"}, node + "\n* More\n"},
		{"append to a section with a nested node", "* S\nText.\n*" + node, "", doc.Append{Section: "S", Text: "More."}, "* S\nText.\n\nMore.\n\n*" + node},
		{"append to a node", node + "* Next\n", "n", doc.Append{Text: "More."}, node + "\nMore.\n\n* Next\n"},
		{"append to a node by its own heading", node + "* Next\n", "n", doc.Append{Section: "Node", Text: "More."}, node + "\nMore.\n\n* Next\n"},
		{"prepend after drawer and planning", "* S\nSCHEDULED: <2026-01-01 Thu>\n:PROPERTIES:\n:A: b\n:END:\nText.\n", "", doc.Prepend{Section: "S", Text: "First."},
			"* S\nSCHEDULED: <2026-01-01 Thu>\n:PROPERTIES:\n:A: b\n:END:\n\nFirst.\n\nText.\n"},
		{"replace a section, not its drawer", "* S\n:PROPERTIES:\n:A: b\n:END:\nText.\n** T\n* U\n", "", doc.ReplaceSection{Section: "S", Text: "New."},
			"* S\n:PROPERTIES:\n:A: b\n:END:\nNew.\n\n* U\n"},
		{"set truth of a node", node + "** T\nmore\n** Timeline\n", "n", doc.SetTruth{Text: "New."}, strings.Replace(node, "Text.", "New.", 1) + "\n** Timeline\n"},
		{"set truth around a nested node", "Old.\n" + node, "", doc.SetTruth{Text: "New.\n" + node}, "New.\n" + node},
		{"replace leaves nested nodes alone", "Text.\n" + node, "", doc.Replace{Old: "Text", New: "New"}, "New.\n" + node},
		{"replace in a section", "* A\nText.\n* B\nText.\n" + node, "", doc.Replace{Section: "B", Old: "Text", New: "New"}, "* A\nText.\n* B\nNew.\n" + node},
		{"replace around a node", "* A\nText.\n*" + node + "* B\nText.\n", "", doc.Replace{Section: "A", Old: "Text", New: "New"}, "* A\nNew.\n*" + node + "* B\nText.\n"},
		{"replace in a node", "Text.\n" + node, "n", doc.Replace{Old: "Text", New: "New"}, "Text.\n" + strings.Replace(node, "Text", "New", 1)},
		{"retarget", "[[file:a.org::*H][t]] [[id:x]]\n", "", doc.Retarget{Links: []doc.RetargetOne{{At: doc.Span{Start: 7, End: 12}, Raw: "b/c.org"}}},
			"[[file:b/c.org::*H][t]] [[id:x]]\n"},
		{"retarget what shows its name", "[[Old]] [[Old][t]] [[id:0e1b2a34-51d5-4f6d-9b3c-2f1d3f4a5b6c]]\n- is [[Old]] (why)\n", "", doc.Retarget{Links: []doc.RetargetOne{
			{At: doc.Span{Start: 2, End: 5}, Raw: "New", Text: "Old"}, {At: doc.Span{Start: 10, End: 13}, Raw: "New", Text: "Old"}, {At: doc.Span{Start: 70, End: 73}, Raw: "New", Text: "Old"},
		}}, "[[New][Old]] [[New][t]] [[id:0e1b2a34-51d5-4f6d-9b3c-2f1d3f4a5b6c]]\n- is [[New][Old]] (why)\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := Codec{}.Apply(Codec{}.Parse("a.org", []byte(c.before)), c.node, c.edit)
			if err != nil {
				t.Fatal(err)
			}
			if string(out) != c.after {
				t.Errorf("\n got %q\nwant %q", out, c.after)
			}
		})
	}
}

func TestRefusedEdits(t *testing.T) {
	t.Parallel()
	const node = "* Node\n:PROPERTIES:\n:ID: n\n:END:\nText.\n"
	for _, c := range []struct {
		name   string
		before string
		node   string
		edit   doc.Edit
		want   kb.Code
	}{
		{"newline in a property", "", "", doc.SetProperty{Key: "a", Value: "b\nc"}, kb.Invalid},
		{"key of two words", "", "", doc.SetProperty{Key: "a b", Value: "c"}, kb.Invalid},
		{"key that ends the drawer", "", "", doc.SetProperty{Key: "END", Value: "c"}, kb.Invalid},
		{"no key", "", "", doc.SetList{Key: "", Values: []string{"c"}}, kb.Usage},
		{"drawer without end", ":PROPERTIES:\n:ID: x\n", "", doc.SetProperty{Key: "a", Value: "b"}, kb.Invalid},
		{"drawer with text", ":PROPERTIES:\ntext\n:END:\n", "", doc.SetProperty{Key: "a", Value: "b"}, kb.Invalid},
		{"removing a node's ID", node, "n", doc.RemoveProperty{Key: "id"}, kb.Invalid},
		{"taking another node's ID", node, "", doc.SetProperty{Key: "id", Value: "n"}, kb.Invalid},
		{"tag with a colon", "", "", doc.AddTag{Tag: "a:b"}, kb.Invalid},
		{"tag that a heading cannot have", node, "n", doc.AddTag{Tag: "a-b"}, kb.Invalid},
		{"tag that is not there", node, "n", doc.RemoveTag{Tag: "x"}, kb.NotFound},
		{"heading with tags for a title", node, "n", doc.SetTitle{Title: "a :b:"}, kb.Invalid},
		{"heading that is a task for a title", node, "n", doc.SetTitle{Title: "TODO a"}, kb.Invalid},
		{"losing a nested node", "Text.\n" + node, "", doc.SetTruth{Text: "New."}, kb.Invalid},
		{"changing a nested node", "Text.\n" + node, "", doc.SetTruth{Text: strings.Replace(node, "Text", "New", 1)}, kb.Invalid},
		{"repeating an ID", "Text.\n" + node, "", doc.Append{Text: node}, kb.Invalid},
		{"text into another node", node + "* Next\n", "", doc.InsertBefore{Section: "Next", Text: "lost"}, kb.Invalid},
		{"text before a node", node, "n", doc.InsertBefore{Section: "Node", Text: "lost"}, kb.Invalid},
		{"a heading that ends the node", node + "** T\n", "n", doc.Append{Section: "T", Text: "* New"}, kb.Invalid},
		{"a second line", "Text.\n\n* Timeline\n- 2026-01-01 a\n", "", doc.Prepend{Text: "* Timeline"}, kb.Invalid},
		{"an open block", "Text.\n* S\n#+end_src\n", "", doc.Prepend{Text: "#+begin_src"}, kb.Invalid},
		{"a keyword that would be metadata", "Text.\n", "", doc.Prepend{Text: "#+title: x"}, kb.Invalid},
		{"source with a dash", "", "", doc.AddEntry{Date: "2026", Source: "a — b", Text: "c"}, kb.Invalid},
		{"too many occurrences", "a a\n", "", doc.Replace{Old: "a", New: "b"}, kb.Conflict},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := Codec{}.Apply(Codec{}.Parse("a.org", []byte(c.before)), c.node, c.edit)
			if kb.CodeOf(err) != c.want || out != nil {
				t.Errorf("got %v, %q", err, out)
			}
		})
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	out, err := Codec{}.New(doc.NewPage{
		ID: "x", Title: "A title", Type: "principle", Status: "active", Created: "2026-05-24", Summary: "In one line.",
		Tags:     []string{"principle", "emacs"},
		Metadata: []doc.Property{{Key: "projects", Values: []string{"general"}, List: true}, {Key: "confidence", Values: []string{"observed"}}},
		Body:     "Text.\n",
	})
	want := ":PROPERTIES:\n:ID: x\n:STATUS: active\n:CREATED: 2026-05-24\n:SUMMARY: In one line.\n:PROJECTS: \"general\"\n:CONFIDENCE: observed\n:END:\n" +
		"#+title: A title\n#+filetags: :principle:emacs:\n\nText.\n"
	if err != nil || string(out) != want {
		t.Errorf("%v\n got %q\nwant %q", err, out, want)
	}
	if n := (Codec{}).Parse("a.org", out).Nodes[0]; n.Type != "principle" {
		t.Errorf("type %q", n.Type)
	}
	if out, err := (Codec{}).New(doc.NewPage{}); err != nil || len(out) != 0 {
		t.Errorf("an empty page: %v %q", err, out)
	}
	if _, err := (Codec{}).New(doc.NewPage{Title: "two\nlines"}); kb.CodeOf(err) != kb.Invalid {
		t.Errorf("a title of two lines: %v", err)
	}
}

// A section ends before the relations that cairn keeps below its heading.
func TestSectionsEndBeforeRelations(t *testing.T) {
	t.Parallel()
	const id = "11111111-1111-4111-8111-111111111111"
	node := "* Node\n:PROPERTIES:\n:ID: " + id + "\n:END:\n\ntext\n"
	codec := Codec{}
	for _, c := range []struct {
		node, source string
		edit         doc.Edit
		want         string
	}{
		{id, node + "\n** Relations\n\n- is [[B]]\n", doc.Append{Section: "Node", Text: "more"}, node + "\nmore\n\n** Relations\n\n- is [[B]]\n"},
		{id, node + "\n** Relations\n\n- is [[B]]\n", doc.ReplaceSection{Section: "Node", Text: "more"}, strings.Replace(node, "text", "more", 1) + "\n** Relations\n\n- is [[B]]\n"},
		{"", "* A\n\ntext\n\n** Relations\n\n- is [[B]]\n", doc.Append{Section: "A", Text: "more"}, "* A\n\ntext\n\nmore\n\n** Relations\n\n- is [[B]]\n"},
		{"", "* A\n\ntext\n\n** Relations\n\n- is [[B]]\n\n** More\n", doc.Append{Section: "A", Text: "x"}, "* A\n\ntext\n\n** Relations\n\n- is [[B]]\n\n** More\n\nx\n"},
		{"", "| a |\n|---|\n| 1 |\n", doc.Append{Text: "| 2 |"}, "| a |\n|---|\n| 1 |\n| 2 |\n"},
		{"", "* TODO A [[id:1][x]] :t:\na\n* B\n", doc.Append{Section: "* TODO A [[id:1][x]] :t:", Text: "b"}, "* TODO A [[id:1][x]] :t:\na\n\nb\n\n* B\n"},
		{"", "* TODO A [[id:1][x]] :t:\na\n* B\n", doc.Append{Section: "A [[id:1][x]]", Text: "b"}, "* TODO A [[id:1][x]] :t:\na\n\nb\n\n* B\n"},
	} {
		got, err := codec.Apply(codec.Parse("x.org", []byte(c.source)), c.node, c.edit)
		if err != nil || string(got) != c.want {
			t.Errorf("%+v in %q:\n got %q, %v\nwant %q", c.edit, c.source, got, err, c.want)
		}
	}
}
