package app_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// A line of three words that many pages have is shown only where no other has words
// of the query. A heading of two words, which stand anywhere, is as good as other text.
func TestLinesThatManyPagesShare(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		line  string
		shown bool
	}{
		{"## Open harbours", true},
		{"- [ ] Open harbours", true},
		{"> *Open harbours*", true},
		{"## Open harbours now", false},
		{"Open harbours of 1900", false},
	} {
		files := map[string]string{}
		for i := range 12 {
			files[fmt.Sprintf("p%d.md", i)] = fmt.Sprintf("# Page %d\n\n%s\n\nAll the rest of page %d, among it one of the harbours.\n", i, tc.line, i)
		}
		b := apptest.New(t)
		root := b.Dir("notes", files)
		a := b.Open()
		apptest.OK(a.Spaces().Add(t.Context(), app.SpaceAdd{Root: root}))(t)
		apptest.OK(a.Sync(t.Context(), app.SyncRequest{}))(t)
		r := apptest.OK(a.Search(t.Context(), app.SearchRequest{Query: "harbours open", SnippetLen: 40}))(t)
		if len(r.Items) == 0 {
			t.Errorf("%s: nothing is found", tc.line)
		}
		for _, h := range r.Items {
			if shown := strings.Contains(h.Snippet, "Open harbours"); shown != tc.shown {
				t.Errorf("%s: %s shows %q", tc.line, h.Ref, h.Snippet)
			}
		}
	}
}
