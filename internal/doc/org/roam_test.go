package org

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// roam is a file as org-roam's users write them.
const roam = `:PROPERTIES:
:ID:       file
:ROAM_REFS: @doe2020 "[cite:@roe2021;@poe:2022]" https://example.com/a cite:&old2019 [[https://example.com/b][b]]
:END:
#+title: The file
#+filetags: :person:math:

As [cite/t:see @doe2020 p. 3; @noone.], in cite:old2019,new2020 and [[cite:&boxed2001]].
A <<target one>> and a <<<radio>>>, to [[Target One]], [[radio]], [[table]] and [[Elsewhere]].
#+name: table
| a |
* A section :mail:urgent:
** A node :deep:math:
:PROPERTIES:
:ID: node
:END:
*** Under it :below:ARCHIVE:
Put away.
** No page :none:
:PROPERTIES:
:ID: excluded
:ROAM_EXCLUDE: t
:END:
* Old things :ARCHIVE:
Put away.
** A node of old
:PROPERTIES:
:ID: old
:END:
* Last
`

func TestRoam(t *testing.T) {
	t.Parallel()
	d := Codec{}.Parse("a.org", []byte(roam))
	var got []string
	for i := range d.Nodes {
		n := &d.Nodes[i]
		got = append(got, fmt.Sprintf("%s: tags %s, refs %s, hidden %v", n.ID, strings.Join(n.Tags, " "), strings.Join(n.Refs, " "), n.IsHidden()))
		for _, s := range d.Shown(i, n.Truth) {
			if text := d.Slice(s); strings.Contains(text, "Put away") {
				t.Errorf("%s shows %q", n.ID, text)
			}
		}
		for _, l := range n.Links {
			got = append(got, fmt.Sprintf("  %s %s %v", l.Kind, l.Name, l.Local))
		}
	}
	want := `file: tags person math mail urgent none, refs @doe2020 @roe2021 @poe:2022 https://example.com/a @old2019 https://example.com/b id:file, hidden false
  org-cite @doe2020 false
  org-cite @noone. false
  org-cite @old2019 false
  org-cite @new2020 false
  org-cite @boxed2001 false
  wikilink Target One true
  wikilink radio true
  wikilink table true
  wikilink Elsewhere false
node: tags deep math person mail urgent below, refs id:node, hidden false
old: tags person math ARCHIVE, refs id:old, hidden true`
	if have := strings.Join(got, "\n"); have != want {
		t.Errorf("got\n%s\nwant\n%s", have, want)
	}
}

// A file that is archived, or no page, is hidden as a whole.
func TestHiddenFiles(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"#+filetags: :ARCHIVE:\n* H\n", ":PROPERTIES:\n:ROAM_EXCLUDE: t\n:END:\n* H\n"} {
		if d := (Codec{}).Parse("a.org", []byte(text)); !d.Nodes[0].IsHidden() || len(d.Shown(0, d.Nodes[0].Truth)) != 0 {
			t.Errorf("%q is shown", text)
		}
	}
	if d := (Codec{}).Parse("a.org", []byte(":PROPERTIES:\n:ROAM_EXCLUDE: nil\n:END:\n")); d.Nodes[0].IsHidden() {
		t.Error("a file that is not excluded is hidden")
	}
}

// A tag that a page has by what stands elsewhere is taken away there.
func TestOuterTagsStay(t *testing.T) {
	t.Parallel()
	d := Codec{}.Parse("a.org", []byte(roam))
	for _, tc := range []struct{ node, tag string }{{"node", "person"}, {"node", "math"}, {"", "mail"}} {
		_, err := Codec{}.Apply(d, tc.node, doc.RemoveTag{Tag: tc.tag})
		if kb.CodeOf(err) != kb.Refused || kb.AsError(err).Details["line"] == nil {
			t.Errorf("the tag %s of %q: %v", tc.tag, tc.node, err)
		}
	}
	out, err := Codec{}.Apply(d, "node", doc.RemoveTag{Tag: "deep"}, doc.AddTag{Tag: "person"}, doc.AddTag{Tag: "new"})
	if err != nil || !strings.Contains(string(out), "** A node :math:new:\n") {
		t.Errorf("%v\n%s", err, out)
	}
}
