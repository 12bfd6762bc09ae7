package policy_test

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/doc/org"
	"github.com/cairn-kb/cairn/internal/policy"
)

var stamps = []policy.Stamp{
	{Key: "created", Value: "2026-05-24"},
	{Key: "updated", Value: "2026-05-24", Edits: true},
	{Key: "projects", Value: "emacs", List: true},
}

// What the writer says stays, what an edit must renew is renewed, and a new text of a page
// keeps what the old one had.
func TestFill(t *testing.T) {
	t.Parallel()
	const old = "---\ncreated: 2020-01-02\nupdated: 2020-01-02\nprojects:\n  - go\n---\n\nText.\n"
	for name, tt := range map[string]struct {
		text, old string
		whole     bool
		want      string
	}{
		"new":            {"Text.\n", "", true, "---\ncreated: 2026-05-24\nupdated: 2026-05-24\nprojects:\n  - emacs\n---\n\nText.\n"},
		"new, said":      {"---\ncreated: 2021-01-01\nupdated: x\nprojects: [a]\n---\nText.\n", "", true, "---\ncreated: 2021-01-01\nupdated: x\nprojects: [a]\n---\nText.\n"},
		"edit":           {old + "More.\n", old, false, "---\ncreated: 2020-01-02\nupdated: 2026-05-24\nprojects:\n  - go\n---\n\nText.\nMore.\n"},
		"edit that says": {"---\ncreated: 2020-01-02\nupdated: 2020-02-02\nprojects:\n  - go\n---\n\nText.\n", old, false, "---\ncreated: 2020-01-02\nupdated: 2020-02-02\nprojects:\n  - go\n---\n\nText.\n"},
		"new text":       {"Other.\n", old, true, "---\ncreated: 2020-01-02\nupdated: 2026-05-24\nprojects:\n  - go\n---\n\nOther.\n"},
		"taken out":      {"---\nupdated: 2020-01-02\n---\n\nText.\n", old, false, "---\nupdated: 2026-05-24\n---\n\nText.\n"},
		"never had any":  {"Text, edited.\n", "Text.\n", false, "---\nupdated: 2026-05-24\n---\n\nText, edited.\n"},
	} {
		codec := markdown.Codec{}
		var before *doc.Document
		if tt.old != "" {
			before = codec.Parse("a.md", []byte(tt.old))
		}
		got, err := policy.Fill(codec, codec.Parse("a.md", []byte(tt.text)), before, stamps, tt.whole)
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, tt.want)
		}
	}
	today := markdown.Codec{}.Parse("a.md", []byte("---\ncreated: 2020-01-02\nupdated: 2026-05-24\n---\n\nText.\n"))
	if edits := policy.Edits(doc.Markdown, today, today, stamps[:2], false); len(edits) != 0 {
		t.Errorf("a second edit of a day sets %+v", edits)
	}
	codec := org.Codec{}
	got, err := policy.Fill(codec, codec.Parse("a.org", []byte("#+title: A\n\nText.\n")), nil, stamps, true)
	const want = ":PROPERTIES:\n:CREATED: 2026-05-24\n:UPDATED: 2026-05-24\n:PROJECTS: :emacs:\n:END:\n#+title: A\n\nText.\n"
	if err != nil || string(got) != want {
		t.Errorf("Org: %v\n%s", err, got)
	}
}
