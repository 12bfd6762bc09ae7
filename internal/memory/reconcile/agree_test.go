package reconcile_test

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/fsystest"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/memory/reconcile"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/memory/write/writetest"
	"github.com/cairn-kb/cairn/internal/store"
)

// steady is a clock that moves a little at each look, so that files are saved
// in the moment in which they are indexed.
type steady struct {
	mu  sync.Mutex
	now time.Time
}

func (c *steady) look(by time.Duration) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(by)
	return c.now
}

// Whatever others do to the files, and however coarse the clock of the file
// system, a sync before a question finds it.
func TestSyncMissesNothing(t *testing.T) {
	t.Parallel()
	for seed := range int64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewSource(seed))
			m := writetest.New(t)
			c := &steady{now: writetest.Start}
			m.Writer.Now = func() time.Time { return c.look(300 * time.Millisecond) }
			// As on FAT: two saves within two seconds have the same time.
			files := fsys.NewMem(func() time.Time { return c.look(100 * time.Millisecond).Truncate(2 * time.Second) })
			s := m.Space("notes", files)
			there := map[string]bool{}
			for round := range 120 {
				for range r.Intn(4) {
					change(t, r, files, there)
				}
				if r.Intn(8) == 0 {
					c.look(time.Hour) // what was saved long ago proves something
				}
				if _, err := syncer(m).Sync(t.Context(), s, reconcile.Options{ToRead: true, Yes: true}); err != nil {
					t.Fatal(err)
				}
				wantAgreement(t, m, s, files, round)
			}
		})
	}
}

// change does what an editor, git or a file manager does. Texts are of one
// length, so that sizes tell nothing.
func change(t *testing.T, r *rand.Rand, files *fsys.Mem, there map[string]bool) {
	t.Helper()
	dirs := []string{"", "a/", "a/b/", "c/"}
	name := fmt.Sprintf("%sn%d.md", dirs[r.Intn(len(dirs))], r.Intn(6))
	all := slices.Sorted(maps.Keys(there))
	gone := func(name string) {
		if err := files.Remove(name); err != nil {
			t.Fatal(err)
		}
		delete(there, name)
	}
	switch k := r.Intn(10); {
	case k < 5 || len(all) == 0: // a new note, or other bytes in an old one
		if there[name] {
			gone(name)
		}
		writetest.Put(t, files, name, fmt.Sprintf("# %04d\n", r.Intn(10000)))
		there[name] = true
	case k == 5:
		gone(all[r.Intn(len(all))])
	case k == 9: // bytes and time go to another name
		if from := all[r.Intn(len(all))]; !there[name] {
			writetest.Put(t, files, name, "") // makes its directory
			if err := files.Rename(from, name); err != nil {
				t.Fatal(err)
			}
			delete(there, from)
			there[name] = true
		}
	case k == 6 || k == 7 && r.Intn(2) == 0: // sidecars come, change and go, with and without a note
		side := vault.SidecarPath(name)
		_, err := files.Lstat(side)
		if err == nil {
			if err := files.Remove(side); err != nil {
				t.Fatal(err)
			}
		}
		if err != nil || r.Intn(2) == 0 {
			writetest.Put(t, files, side, fmt.Sprintf("{%04d}", r.Intn(10000)))
		}
	case k == 8: // ignored, or no longer
		rules := []string{"", "n1.md\n", "/c/\n", "*\n!n2.md\n", "b\n"}[r.Intn(5)]
		if err := fsys.WriteAtomic(t.Context(), files, ".gitignore", []byte(rules), fsys.Any(), fsys.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

// wantAgreement compares what is indexed with what is there.
func wantAgreement(t *testing.T, m *writetest.Memory, s *write.Space, files fsys.FS, round int) {
	t.Helper()
	list, err := vault.Scan(t.Context(), files, syncer(m).Rules)
	if err != nil {
		t.Fatal(err)
	}
	want, got := map[string]string{}, map[string]string{}
	for _, f := range list.Files {
		want[f.Path] = index.Hash([]byte(fsystest.Get(t, files, f.Path))).String()
		if f.Side != (vault.Side{}) {
			want[f.Path] += " " + index.Hash([]byte(fsystest.Get(t, files, vault.SidecarPath(f.Path)))).String()
		}
	}
	if err := m.DB.View(t.Context(), func(tx store.Tx) error {
		all, err := tx.Documents().States(t.Context(), s.Row)
		for _, d := range all {
			got[d.Path] = d.Hash.String()
			if d.Side.Exists() {
				got[d.Path] += " " + d.Side.Hash.String()
			}
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(got, want) {
		t.Fatalf("round %d: indexed are\n%v\nthere are\n%v", round, got, want)
	}
}
