package app_test

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/app"
)

// A directory that was cloned can bring a policy that lets credentials pass:
// that is said when it becomes a space, and not each time afterwards.
func TestPolicyThatSwitchesTheScanOffIsTold(t *testing.T) {
	const off, on = "format = \"markdown\"\n[secrets]\noff = true\n", "format = \"markdown\"\n"
	b := newBed(t)
	added := b.dir("added", map[string]string{".cairn/space.toml": off})
	attached := b.dir("attached", map[string]string{".cairn/space.toml": off})
	plain := b.dir("plain", map[string]string{".cairn/space.toml": on})
	a := b.open()
	told := func(s app.Space) bool { return strings.Contains(strings.Join(s.Warnings, "\n"), "secret scan off") }
	if s := ok[app.Space](t)(a.SpaceAdd(t.Context(), app.SpaceAdd{Root: added, DryRun: true})); !told(s) {
		t.Errorf("planned: %q", s.Warnings)
	}
	if s := ok[app.Space](t)(a.SpaceAdd(t.Context(), app.SpaceAdd{Root: added})); !told(s) {
		t.Errorf("added: %q", s.Warnings)
	}
	if s := ok[app.Space](t)(a.Attach(t.Context(), attached)); !told(s) {
		t.Errorf("attached: %q", s.Warnings)
	}
	if s := ok[app.Space](t)(a.Attach(t.Context(), attached)); told(s) {
		t.Errorf("attached again: %q", s.Warnings)
	}
	if s := ok[app.Space](t)(a.SpaceAdd(t.Context(), app.SpaceAdd{Root: plain})); told(s) {
		t.Errorf("without it: %q", s.Warnings)
	}
}
