package doctor_test

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// One of a thing is not told of as several.
func TestDoctorCountsOne(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	a, ctx := b.Open(), t.Context()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: b.Dir("garden", map[string]string{"a.md": "See [[b]].\n"}), Name: "garden"}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	said := map[string]string{}
	for _, c := range apptest.OK(doctor.Doctor(ctx, a, false))(t) {
		said[c.Name] = c.Reason
	}
	for name, want := range map[string]string{"links garden": "1 link, 1 broken", "files garden": "1 note"} {
		if said[name] != want {
			t.Errorf("%s: %q, want %q", name, said[name], want)
		}
	}
}
