package scenarios_test

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// A directory that was cloned can bring a policy that lets credentials pass:
// that is said when it becomes a space, and not each time afterwards.
func TestPolicyThatSwitchesTheScanOffIsTold(t *testing.T) {
	t.Parallel()
	const off, on = "format = \"markdown\"\n[secrets]\noff = true\n", "format = \"markdown\"\n"
	b := apptest.New(t)
	added := b.Dir("added", map[string]string{".cairn/space.toml": off})
	attached := b.Dir("attached", map[string]string{".cairn/space.toml": off})
	plain := b.Dir("plain", map[string]string{".cairn/space.toml": on})
	a := b.Open()
	told := func(s api.Space) bool { return strings.Contains(strings.Join(s.Warnings, "\n"), "secret scan off") }
	if s := apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: added, DryRun: true}))(t); !told(s) {
		t.Errorf("planned: %q", s.Warnings)
	}
	if s := apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: added}))(t); !told(s) {
		t.Errorf("added: %q", s.Warnings)
	}
	if s := apptest.OK(a.Spaces.Attach(t.Context(), attached))(t); !told(s) {
		t.Errorf("attached: %q", s.Warnings)
	}
	if s := apptest.OK(a.Spaces.Attach(t.Context(), attached))(t); told(s) {
		t.Errorf("attached again: %q", s.Warnings)
	}
	some := b.Dir("some", map[string]string{".cairn/space.toml": "format = \"markdown\"\n[secrets]\nallow = [\"jwt\", \"password\"]\n"})
	if s := apptest.OK(a.Spaces.Attach(t.Context(), some))(t); !strings.Contains(strings.Join(s.Warnings, "\n"), "of these rules be written into this space: jwt, password") {
		t.Errorf("with rules that pass: %q", s.Warnings)
	}
	if s := apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: plain}))(t); told(s) {
		t.Errorf("without it: %q", s.Warnings)
	}
}
