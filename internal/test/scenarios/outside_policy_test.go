package scenarios_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
	"github.com/cairn-kb/cairn/internal/upkeep/jobs"
)

// outsidePolicies are policies that a stranger's directory may bring, each of which changes
// files as soon as it acts.
var outsidePolicies = map[string]string{
	"retention": "[[retention.page]]\npaths = [\"*.md\"]\nage = \"1h\"\n",
	"move":      "[[retention.page]]\npaths = [\"*.md\"]\nage = \"1h\"\nto = \"old\"\n",
	"sections":  "[[retention.section]]\npage = \"log.md\"\nheading = \"Day {date}\"\nkeep = 1\n",
	"rotate":    "[[rotate]]\npage = \"today.md\"\nto = \"yesterday.md\"\n",
	"region":    "[[region]]\npage = \"list.md\"\ntext = \"<!-- reconciler-section -->\\n<!-- /reconciler-section -->\\n\"\n",
	"lifecycle": "[lifecycle]\nstale_after = 1\n",
	"compact":   "[lifecycle]\nstale_after = 1\n[compact]\nevery = 1\nmin_cluster = 2\n",
}

// A policy that came with a directory changes no file of it until a person accepted it,
// and the user's own pages stay.
func TestOutsidePoliciesWait(t *testing.T) {
	t.Parallel()
	for name, text := range outsidePolicies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := apptest.New(t)
			clock := b.Clock(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), 0)
			root := b.Dir("evil", map[string]string{
				".cairn/space.toml": "name = \"evil\"\nformat = \"markdown\"\n" + text,
				"a.md":              "# A\n\n- supersedes [[b]]\n", "b.md": "# B\n", "today.md": "---\ndate: 2026-01-01\n---\n# Today\n",
				"list.md": "# List\n\n<!-- reconciler-section -->\n<!-- /reconciler-section -->\n",
				"log.md":  "# Log\n\n## Day 2026-01-01\n\nx\n\n## Day 2026-01-02\n\ny\n",
			})
			b.Opts.Space = "evil"
			a := b.Open()
			apptest.OK(a.Spaces.Attach(t.Context(), root))(t)
			apptest.OK(gitsync.Sync(t.Context(), a, gitsync.SyncRequest{}))(t)
			apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: "mine", Text: []byte("# Mine\n")}))(t)
			before := filesBelow(t, root)
			upkeep := func() map[string]string {
				for range 3 {
					clock.Advance(100 * 24 * time.Hour)
					apptest.OK(jobs.Maintain(t.Context(), a, jobs.MaintainRequest{Force: true}))(t)
				}
				return filesBelow(t, root)
			}
			if after := upkeep(); !maps.Equal(before, after) {
				t.Errorf("files changed before anybody accepted the policy:\n%v\n%v", before, after)
			}
			apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: root, Accept: true}))(t)
			if after := upkeep(); maps.Equal(before, after) {
				t.Error("the accepted policy does nothing: the test shows nothing")
			}
		})
	}
}

// filesBelow returns the files of a directory with their bytes.
func filesBelow(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		out[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
