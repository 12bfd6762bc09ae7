package space

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/write"
)

// The policy says where new pages go, and how their files are called.
func TestNewPath(t *testing.T) {
	for _, tc := range []struct {
		pol         policy.Policy
		title, want string
	}{
		{policy.Policy{}, "The Slow Loom: a tale", "the-slow-loom-a-tale.md"},
		{policy.Policy{Folder: "inbox"}, "The Slow Loom", "inbox/the-slow-loom.md"},
		{policy.Policy{Folder: "in/box", Names: policy.ByTitle}, "AC/DC: the \"Slow\" Loom?", "in/box/AC-DC - the Slow Loom.md"},
		{policy.Policy{Names: policy.ByTitle}, "...", "untitled.md"},
		{policy.Policy{Names: policy.ByTitle}, "con", "con-note.md"},
	} {
		pol := tc.pol
		if got := NewPath(&write.Space{Policy: &pol}, tc.title, ".md"); got != tc.want {
			t.Errorf("%q goes to %s, want %s", tc.title, got, tc.want)
		}
	}
}
