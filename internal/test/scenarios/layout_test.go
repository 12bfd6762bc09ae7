package scenarios_test

import (
	"context"
	layout "github.com/cairn-kb/cairn/internal/calendar/presets"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
	"github.com/cairn-kb/cairn/presets"
)

// Adding a space of a preset with pages makes those that are missing and leaves every
// other file as it is, in a directory as in the database; again there is nothing to make.
func TestLayoutMakesWhatIsMissing(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"directory", "database"} {
		t.Run(kind, func(t *testing.T) {
			ctx := context.Background()
			b := apptest.New(t)
			b.Opts.Space = "vault"
			mine := "# Mine\r\nno frontmatter"
			req := space.AddRequest{Name: "vault", Preset: "context", Database: kind == "database"}
			if kind == "directory" {
				req.Root = b.Dir("vault", map[string]string{"identity/profile.md": mine})
			}
			a := b.Open()
			plan := req
			plan.DryRun = true
			would := apptest.OK(gitsync.AddSpace(ctx, a, plan))(t)
			done := apptest.OK(gitsync.AddSpace(ctx, a, req))(t)
			want := len(presets.Files("context"))
			if kind == "directory" {
				want--
			}
			if want < 30 || len(done.Made) != want || !cmp.Equal(would.Made, done.Made) {
				t.Fatalf("%d pages were made and %d planned, want %d", len(done.Made), len(would.Made), want)
			}
			if kind == "database" {
				return
			}
			if got, err := os.ReadFile(filepath.Join(req.Root, "identity/profile.md")); err != nil || string(got) != mine {
				t.Errorf("the file that was there is %q, %v", got, err)
			}
			if again := apptest.OK(gitsync.AddSpace(ctx, a, req))(t); len(again.Made) != 0 {
				t.Errorf("made again: %v", again.Made)
			}
		})
	}
}

// A newer text of a preset replaces a page that is as it was made, and is shown for one
// that was changed here. What the user made himself is no concern of it.
func TestLayoutUpgrade(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	b := apptest.New(t)
	b.Opts.Space = "vault"
	root := b.Dir("vault", map[string]string{"identity/people.md": "# Mine\n"})
	a := b.Open()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root, Name: "vault", Preset: "context"}))(t)
	upgrade := func(dryRun bool) map[string]string {
		t.Helper()
		out := map[string]string{}
		for _, l := range apptest.OK(layout.Rewrite(ctx, a, space.RewriteRequest{Name: "vault", Upgrade: true, DryRun: dryRun}))(t).Pages {
			out[l.Path] = l.State
		}
		return out
	}
	if got := upgrade(false); len(got) != 0 {
		t.Errorf("of the preset that it was made of: %v", got)
	}
	a.Presets = apptest.Presets{List: presets.Files, Read: func(preset, path string) ([]byte, bool) {
		text, ok := presets.File(preset, path)
		switch path {
		case "identity/people.md", "identity/work.md", "identity/goals.md":
			text = append(text, "\n## New\n"...)
		}
		return text, ok
	}}
	edited := "# Work\n\nedited\n"
	if err := os.WriteFile(filepath.Join(root, "identity/work.md"), []byte(edited), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(root, "identity/personal.md")); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"identity/work.md": "changed", "identity/goals.md": "replaced", "identity/personal.md": "missing"}
	if got := upgrade(true); !cmp.Equal(got, want) {
		t.Errorf("dry run: %v", got)
	}
	if got := upgrade(false); !cmp.Equal(got, want) {
		t.Errorf("%v", got)
	}
	for path, text := range map[string]string{"identity/work.md": edited, "identity/people.md": "# Mine\n"} {
		if got, err := os.ReadFile(filepath.Join(root, path)); err != nil || string(got) != text {
			t.Errorf("%s is %q, %v", path, got, err)
		}
	}
	if got, want := upgrade(false), map[string]string{"identity/work.md": "changed"}; !cmp.Equal(got, want) {
		t.Errorf("again: %v", got)
	}
}
