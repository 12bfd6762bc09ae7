package generated_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
	"github.com/cairn-kb/cairn/internal/upkeep/jobs"
)

// A region is made in the encoding of its page.
func TestEveryEncoding(t *testing.T) {
	t.Parallel()
	const rules = "id = \"7655a114-538a-51ea-b901-b74aa64beadb\"\nname = \"k\"\n[[region]]\npage = \"list.md\"\nshow = \"list\"\npaths = [\"p/*.md\"]\n"
	text := func(inner string) string {
		return "# Caf\u00e9\n\n<!-- reconciler-section -->\n" + inner + "<!-- /reconciler-section -->\n"
	}
	for _, enc := range []doc.Encoding{doc.UTF8BOM, doc.Latin1, doc.UTF16LE} {
		encoded := func(s string) string { return string(apptest.OK(doc.Encode([]byte(s), enc))(t)) }
		b := apptest.New(t)
		b.Clock(time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC), 0)
		root := b.Dir("k", map[string]string{".cairn/space.toml": rules, "list.md": encoded(text("")), "p/a.md": "# Zo\u00eb\n"})
		b.Opts.Space = "k"
		a := b.Open()
		apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: root, Accept: true}))(t)
		apptest.OK(gitsync.Sync(t.Context(), a, gitsync.SyncRequest{}))(t)
		apptest.OK(jobs.Maintain(t.Context(), a, jobs.MaintainRequest{Jobs: []string{"regions"}, Force: true}))(t)
		got := string(apptest.OK(os.ReadFile(filepath.Join(root, "list.md")))(t))
		if want := encoded(text("- [Zo\u00eb](p/a.md)\n")); got != want {
			t.Errorf("%s: %q, want %q", enc, got, want)
		}
	}
}
