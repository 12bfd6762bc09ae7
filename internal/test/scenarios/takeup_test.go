package scenarios_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// After an update that lets more parts wait, what a person had edited by then keeps acting;
// later changes wait.
func TestAcceptedSpacesAreTakenUpOnce(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	root := t.TempDir()
	file := func(name, text string) {
		t.Helper()
		at := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const first = "name = \"mine\"\nformat = \"markdown\"\n"
	file(".cairn/space.toml", first+"[ownership]\nuser = [\"me\"]\n[lint]\nenforce = true\n")
	a := b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: root, Accept: true}))(t)
	waiting := func() (parts []string) {
		t.Helper()
		for _, part := range apptest.OK(a.Spaces.Show(t.Context(), "mine"))(t).Waiting {
			parts = append(parts, part.Name)
		}
		return parts
	}
	reopen := func() {
		t.Helper()
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		a = b.Open()
	}
	// What needed no acceptance by the rules of a memory from before, and a part that did.
	file(".cairn/space.toml", first+"[index]\nfile = \"contents\"\n[sources]\ndir = \"raw\"\nneeded = { confidence = [\"external\"] }\n[api]\ncontext = true\n[retention]\nsnapshot_days = 9\n")
	file(".cairn/templates/idea.md", "# {{title}}\n")
	reopen()
	if got := waiting(); !slices.Equal(got, []string{"retention", "index", "sources", "api", "lint", "ownership", kb.TemplatesPart}) {
		t.Fatalf("changed from outside: %q wait", got)
	}
	if err := a.DB.Update(t.Context(), func(tx store.Tx) error { return tx.Settings().Set(t.Context(), "accepted_parts", "") }); err != nil {
		t.Fatal(err)
	}
	reopen()
	if got := waiting(); !slices.Equal(got, []string{"retention"}) {
		t.Errorf("after the update: %q wait", got)
	}
	file(".cairn/space.toml", first+"[index]\nfile = \"other\"\n")
	file(".cairn/templates/idea.md", "# Of another\n")
	reopen()
	if got := waiting(); !slices.Equal(got, []string{"index", kb.TemplatesPart}) {
		t.Errorf("changed after the update: %q wait", got)
	}
}
