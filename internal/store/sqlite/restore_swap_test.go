package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"syscall"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
)

// inDir is a directory with these files, all durable.
func inDir(t *testing.T, contents map[string]string) *fsys.Mem {
	t.Helper()
	m := fsys.NewMem(func() time.Time { return time.Unix(1, 0) })
	for name, text := range contents {
		if err := fsys.WriteAtomic(context.Background(), m, name, []byte(text), fsys.Absent(), fsys.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// text is what a file holds, "" when it is not there.
func dbfileText(t *testing.T, files fsys.FS, name string) string {
	t.Helper()
	b, _, err := fsys.ReadFile(context.Background(), files, name, 1<<20)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return string(b)
}

// At whatever call the swap stops, and whatever of it a power loss takes back,
// one whole database has the memory's name, and the old one is not lost.
func TestSwapIsAllOrNothing(t *testing.T) {
	t.Parallel()
	noLinks := func(c fsys.Call) bool { return c.Op == "link" }
	for name, links := range map[string]bool{"hard links": true, "no hard links": false} {
		t.Run(name, func(t *testing.T) {
			for n := 1; ; n++ {
				m := inDir(t, map[string]string{"m.db": "old", "m.part": "new"})
				f := fsys.NewFault(m)
				if !links {
					f.FailIf(noLinks, syscall.EPERM)
				}
				f.CrashAt(n)
				err := swapIn(f, swap{Live: "m.db", Part: "m.part", Kept: "m.kept", Replaces: true})
				for which, keep := range map[string]fsys.Keep{"nothing": fsys.KeepNone, "everything": fsys.KeepAll} {
					after := m.CrashClone(keep)
					live, kept := dbfileText(t, after, "m.db"), dbfileText(t, after, "m.kept")
					if live != "old" && (live != "new" || kept != "old") {
						t.Errorf("stopped at call %d, kept %s of it: memory %q, kept %q", n, which, live, kept)
					}
				}
				if len(f.Calls()) < n {
					if err != nil || dbfileText(t, m, "m.db") != "new" || dbfileText(t, m, "m.kept") != "old" {
						t.Errorf("in the end: %v", err)
					}
					return
				}
				if err == nil {
					t.Errorf("stopped at call %d, and no error", n)
				}
			}
		})
	}
}

// A log that could not be folded goes with its database, before another one
// has its name.
func TestSwapTakesTheLogAway(t *testing.T) {
	t.Parallel()
	m := inDir(t, map[string]string{"m.db": "old", "m.db-wal": "log", "m.part": "new"})
	names := swap{Live: "m.db", Part: "m.part", Kept: "m.kept", Replaces: true, Logs: []string{"m.db-wal", "m.db-journal"}}
	for n := 1; ; n++ {
		after := m.CrashClone(fsys.KeepAll)
		f := fsys.NewFault(after)
		f.CrashAt(n)
		err := swapIn(f, names)
		if dbfileText(t, after, "m.db") == "new" && dbfileText(t, after, "m.db-wal") != "" {
			t.Errorf("stopped at call %d: the log of the old memory is Beside the new one", n)
		}
		if len(f.Calls()) < n {
			if err != nil || dbfileText(t, after, "m.kept-wal") != "log" {
				t.Errorf("the log is lost: %v", err)
			}
			return
		}
	}
}
