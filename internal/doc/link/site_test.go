package link_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
)

// sitePaths are the pages of two sites in one space.
var sitePaths = []string{
	"content/_index.md", "content/blog/first.md", "content/blog/second.md", "content/blog/bundle/index.md",
	"content/notes/second.md", "content/notes/only.md", "_posts/2024-01-02-hi.md", "other/content/blog/first.md", "other/x.md",
}

func sitePages(paths []string) (out []link.Page) {
	for i, p := range paths {
		page := link.Page{Row: int64(i + 1), Path: p, Title: doc.TitleFromPath(p)}
		page.Keys = link.Names(page)
		out = append(out, page)
	}
	return out
}

// TestSiteLinks: links of Zola, Hugo and Jekyll lead where these programs lead, by the
// index of one key and by all pages with it.
func TestSiteLinks(t *testing.T) {
	t.Parallel()
	all := sitePages(sitePaths)
	for _, c := range []struct{ kind, from, name, want string }{
		{"markdown", "content/blog/first.md", "@/blog/second.md", "content/blog/second.md"},
		{"markdown", "content/blog/bundle/index.md", "@/blog/first.md", "content/blog/first.md"},
		{"markdown", "other/content/blog/x.md", "@/blog/first.md", "other/content/blog/first.md"},
		{"markdown", "content/blog/first.md", "@/blog/none.md", ""},
		{"markdown", "other/content/blog/x.md", "/content/blog/first.md", "content/blog/first.md"},
		{"markdown", "other/content/blog/x.md", "/x.md", "other/x.md"},
		{"markdown", "content/blog/first.md", "/x.md", ""},
		{"site", "content/blog/first.md", "second", "content/blog/second.md"},
		{"site", "content/notes/only.md", "second.md", "content/notes/second.md"},
		{"site", "content/notes/only.md", "/blog/second", "content/blog/second.md"},
		{"site", "content/notes/only.md", "blog/second.md", "content/blog/second.md"},
		{"site", "content/notes/only.md", "../blog/second", "content/blog/second.md"},
		{"site", "content/notes/only.md", "bundle", "content/blog/bundle/index.md"},
		{"site", "content/notes/only.md", "/blog/bundle/", "content/blog/bundle/index.md"},
		{"site", "content/notes/only.md", "/blog/bundle/index.md", "content/blog/bundle/index.md"},
		{"site", "content/blog/first.md", "only", "content/notes/only.md"},
		{"site", "content/blog/first.md", "/only", ""},
		{"site", "content/blog/first.md", "/_posts/2024-01-02-hi.md", "_posts/2024-01-02-hi.md"},
		{"site", "content/blog/first.md", "2024-01-02-hi", "_posts/2024-01-02-hi.md"},
		{"site", "other/content/blog/first.md", "/blog/first", "other/content/blog/first.md"},
	} {
		ref := link.Ref{Kind: c.kind, Name: c.name, FromPath: c.from}
		var candidates []link.Page
		for _, p := range all {
			if slices.Contains(p.Keys, link.Key(ref.Kind, ref.Name)) {
				candidates = append(candidates, p)
			}
		}
		got := ""
		if rows := link.Resolve(ref, candidates); len(rows) == 1 {
			got = all[rows[0]-1].Path
		}
		if got != c.want {
			t.Errorf("%q in %s leads to %q, want %q", c.name, c.from, got, c.want)
		}
		many := slices.Clone(candidates)
		for i := range 6 { // so many that they are ordered
			many = append(many, link.Page{Row: int64(100 + i), Path: fmt.Sprintf("z/%d/q.md", i), Title: "q"})
		}
		got = ""
		if row, n := link.NewTargets(many).Lead(ref); n == 1 {
			got = all[row-1].Path
		}
		if got != c.want {
			t.Errorf("%q in %s leads to %q among many, want %q", c.name, c.from, got, c.want)
		}
	}
}
