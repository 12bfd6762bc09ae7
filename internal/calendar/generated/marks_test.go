package generated

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
)

func TestMarks(t *testing.T) {
	t.Parallel()
	const a, z = "<!-- m -->\n", "<!-- /m -->\n"
	for text, want := range map[string]string{
		"x\n" + a + "old\n" + z + "y":                           "old\n",
		a + z:                                                   "",
		"# " + a + "old\n# " + z:                                "old\n",
		a + "old\r\n" + "<!-- /m -->":                           "old\r\n",
		"```\n" + a + "```\n" + a + "old\n" + z:                 "old\n",
		"~~~~\n" + z + "~~~~\n" + a + "old\n" + z:               "old\n",
		"````\n```\n" + a + z + "```\n````\n" + a + "old\n" + z: "old\n",
		"text\n":      "! missing",
		a + "old\n":   "! is missing",
		"<!-- m -->":  "! is missing",
		z + a:         "! precedes",
		a + a + z + z: "! inside",
		a + z + a + z: "! twice",
		a + z + z:     "! precedes",
		"a <!-- m --> b\n" + a + "old\n" + z + "c": "old\n",
	} {
		span, problem := find([]byte(text), "m")
		if about, ok := strings.CutPrefix(want, "! "); ok {
			if !strings.Contains(problem, about) {
				t.Errorf("%q has the problem %q, want one with %q", text, problem, about)
			}
			continue
		}
		if got := text[span.Start:span.End]; problem != "" || got != want {
			t.Errorf("%q holds %q, %q", text, got, problem)
		}
	}
}

func TestShow(t *testing.T) {
	t.Parallel()
	page := func(path, title string, values map[string][]string) entry {
		e := entry{Page: &kb.Page{}, values: values}
		e.Path, e.Title = path, title
		return e
	}
	pages := []entry{
		page("plans/projects/a (b).md", "A [1] | one", map[string][]string{"state": {"active"}}),
		page("plans/projects/old/z.md", "Z", map[string][]string{"state": {"archived", "x"}}),
		page("plans/roadmap.md", "Roadmap", nil),
	}
	for _, c := range []struct {
		region policy.Region
		at     string
		format doc.Format
		want   string
	}{
		{policy.Region{Show: policy.ViewList}, "plans/projects/_index.md", doc.Markdown,
			"- [A \\[1\\] | one](a%20%28b%29.md)\n- [Z](old/z.md)\n- [Roadmap](../roadmap.md)\n"},
		{policy.Region{Show: policy.ViewList, Limit: 1}, "_index.md", doc.Markdown, "- [A \\[1\\] | one](plans/projects/a%20%28b%29.md)\n- and 2 more\n"},
		{policy.Region{Show: policy.ViewTree}, "plans/_index.md", doc.Markdown, "- projects/: 2 pages\n- [Roadmap](roadmap.md)\n"},
		{policy.Region{Show: policy.ViewTable, Columns: []string{"title", "state"}}, "plans/projects/_index.md", doc.Markdown,
			"| title | state |\n|---|---|\n| [A \\[1\\] \\| one](a%20%28b%29.md) | active |\n| [Z](old/z.md) | archived, x |\n| [Roadmap](../roadmap.md) | |\n"},
		{policy.Region{Show: policy.ViewTable, Columns: []string{"path"}, Groups: []policy.Group{{Heading: "Aktiv", Key: "state", Values: []string{"active"}}, {Heading: "Sonst", Key: "state", Except: []string{"active", "archived"}}, {Heading: "Nie", Key: "state", Values: []string{"never"}}}}, "i.org", doc.Org,
			"** Aktiv\n\n| path |\n|---|\n| plans/projects/a (b).md |\n\n** Sonst\n\n| path |\n|---|\n| plans/roadmap.md |\n\n** Nie\n\nNone.\n"},
		{policy.Region{Show: policy.ViewCatalog}, "_index.md", doc.Markdown,
			"### plans/projects/\n\n- [A \\[1\\] | one](plans/projects/a%20%28b%29.md)\n\n### plans/projects/old/\n\n- [Z](plans/projects/old/z.md)\n\n### plans/\n\n- [Roadmap](plans/roadmap.md)\n"},
	} {
		if got := (shower{&policy.Policy{}, c.region, c.at, c.format, nil}).show(pages); got != c.want {
			t.Errorf("%s of %s:\n%s\nwant\n%s", c.region.Show, c.at, got, c.want)
		}
	}
}

// Directories are counted without the pages that list them, at whatever depth.
func TestTreeCountsNoIndexes(t *testing.T) {
	t.Parallel()
	var pages []entry
	for _, p := range []string{"a/_index.md", "a/x.md", "b/deep/_index.md", "b/deep/y.md", "b/deep/z.md", "c/deep/_index.md"} {
		pages = append(pages, entry{Page: &kb.Page{Path: p, Title: p}})
	}
	const want = "- [a/](a/_index.md): 1 page\n- b/: 2 pages\n- c/: 0 pages\n"
	if got := (shower{&policy.Policy{}, policy.Region{Show: policy.ViewTree}, "_index.md", doc.Markdown, nil}).show(pages); got != want {
		t.Errorf("%s", got)
	}
}
