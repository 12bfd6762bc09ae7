package space_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// A part of a space that a person mounts at another place, and adds there, keeps the rules of
// the space, and agents make no space in it.
func TestMountedPartsKeepTheirRules(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	root := b.Dir("notes", strictFiles())
	at := b.Dir("elsewhere", map[string]string{"hidden-by-the-mount": ""})
	if err := unix.Mount(filepath.Join(root, "rules"), at, "", unix.MS_BIND, ""); err != nil {
		t.Skipf("directories cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(at, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	a := b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: root, Name: "notes"}))(t)
	agent := a.As(kb.AgentNamed("robot"))
	if err := os.Mkdir(filepath.Join(at, "empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := gitsync.AddSpace(t.Context(), agent, space.AddRequest{Root: filepath.Join(at, "empty"), Name: "mine"}); kb.AsError(err).Reason != kb.PersonOnly {
		t.Errorf("an agent adds a directory of the mount: %v", err)
	}
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: at, Name: "elsewhere"}))(t)
	_, err := change.Put(t.Context(), agent, change.PutRequest{Ref: "elsewhere:new.md", Text: []byte("# New\n")})
	if kb.CodeOf(err) != kb.Refused || kb.AsError(err).Details["space"] != "notes" {
		t.Errorf("an agent writes by way of the mount: %v", err)
	}
}
