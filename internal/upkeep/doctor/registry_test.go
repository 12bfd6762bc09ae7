package doctor_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// The page about care lists all checks of a memory, in order.
func TestChecksAreInTheDocs(t *testing.T) {
	t.Parallel()
	var want strings.Builder
	for _, c := range doctor.Registry() {
		if c.Passes != "" {
			fmt.Fprintf(&want, "| %s | %s | %s |\n", c.Name, c.Passes, c.Repair)
		}
	}
	page := apptest.OK(os.ReadFile("../../../docs/care.md"))(t)
	if !strings.Contains(string(page), want.String()) {
		t.Errorf("docs/care.md lacks this table:\n%s", want.String())
	}
}

// Each result has the name of a check that the registry describes.
func TestResultsAreOfTheRegistry(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	a, ctx := b.Open(), t.Context()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: b.Dir("garden", map[string]string{"a.md": "See [[b]].\n"}), Name: "garden"}))(t)
	all := apptest.OK(doctor.Doctor(ctx, a, true))(t)
	all = append(all, apptest.OK(doctor.Validate(ctx, a, true))(t)...)
	all = append(all, apptest.OK(doctor.ValidatePart(ctx, a, doctor.Links|doctor.Assertions|doctor.Embeddings, ""))(t)...)
	known := map[string]bool{}
	for _, c := range doctor.Registry() {
		if c.Passes != "" && c.Repair != "" {
			known[c.Name] = true
		}
	}
	for _, c := range all {
		if !known[c.Name] && !known[strings.TrimSuffix(c.Name, " garden")] {
			t.Errorf("no row of the registry describes %q", c.Name)
		}
	}
	if len(all) < 30 {
		t.Errorf("only %d results", len(all))
	}
}

// A check of one space looks at no other one.
func TestValidateOneSpace(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	a, ctx := b.Open(), t.Context()
	for _, name := range []string{"garden", "house"} {
		apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: b.Dir(name, map[string]string{"a.md": "A page.\n"}), Name: name}))(t)
	}
	for _, given := range []string{"house", "House"} {
		var names []string
		for _, c := range apptest.OK(doctor.ValidatePart(ctx, a, doctor.Stored|doctor.Files, given))(t) {
			names = append(names, c.Name)
		}
		if got := strings.Join(names, ", "); strings.Contains(got, "garden") || !strings.Contains(got, "index of house") {
			t.Errorf("with %s: checked %s", given, got)
		}
	}
	if _, err := doctor.ValidatePart(ctx, a, doctor.Stored, "attic"); kb.CodeOf(err) != kb.NotFound {
		t.Errorf("an unknown space gives %v", err)
	}
}
