package exporter

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/fsystest"
	"github.com/cairn-kb/cairn/internal/kb"
)

const journalSpace = kb.ID("9f1d5c1e-0000-4000-8000-000000000001")

func export(t *testing.T, dir fsys.FS, texts map[string]string) (Export, error) {
	t.Helper()
	out := Export{}
	to := target{dir: dir, space: journalSpace, texts: map[string][]byte{}, out: &out}
	for name, text := range texts {
		to.texts[name] = []byte(text)
	}
	return out, to.update(t.Context())
}

func newDir() *fsys.Mem {
	now := time.Unix(0, 0)
	return fsys.NewMem(func() time.Time { now = now.Add(time.Second); return now })
}

// files are what stands in a directory, without the manifest.
func files(t *testing.T, dir fsys.FS) map[string]string {
	t.Helper()
	out := map[string]string{}
	var walk func(at string)
	walk = func(at string) {
		entries, err := dir.ReadDir(at)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			name := strings.TrimPrefix(at+"/"+e.Name(), "./")
			switch {
			case e.IsDir():
				walk(name)
			case name != manifestName:
				out[name] = fsystest.Get(t, dir, name)
			}
		}
	}
	walk(".")
	return out
}

// Wherever an export stops, with whatever the disk kept, the next one knows its files:
// those that are no longer to be there are removed, those that somebody changed are told
// of, and nothing of it is left behind.
func TestStoppedExport(t *testing.T) {
	t.Parallel()
	first := map[string]string{"a.md": "a", "b.md": "b", "d/c.md": "c", "z.md": "z"}
	second := map[string]string{"a.md": "a", "b.md": "b two", "d/c.md": "c two", "e/new.md": "new"}
	for n := 1; ; n++ {
		dir := newDir()
		if _, err := export(t, dir, first); err != nil {
			t.Fatal(err)
		}
		dir = dir.CrashClone(fsys.KeepAll)
		fault := fsys.NewFault(dir)
		fault.CrashAt(n)
		_, err := export(t, fault, second)
		finished := len(fault.Calls()) < n
		if finished != (err == nil) {
			t.Fatalf("stop at %d: %v", n, err)
		}
		rng := rand.New(rand.NewPCG(1, uint64(n)))
		for i := range 8 {
			keep := []fsys.Keep{fsys.KeepAll, fsys.KeepNone, func() bool { return rng.IntN(2) == 0 }}[min(i, 2)]
			after := dir.CrashClone(keep)
			// Now the pages are withheld, but for one.
			out, err := export(t, after, map[string]string{"a.md": "a"})
			if err != nil {
				t.Fatalf("stop at %d, the next: %v", n, err)
			}
			if got := files(t, after); !maps.Equal(got, map[string]string{"a.md": "a"}) {
				t.Fatalf("stop at %d of %v: %q, told %+v", n, fault.Calls(), got, out)
			}
		}
		after := dir.CrashClone(fsys.KeepAll)
		if _, err := export(t, after, second); err != nil {
			t.Fatal(err)
		}
		if got := files(t, after); !maps.Equal(got, second) {
			t.Fatalf("stop at %d, done again: %q", n, got)
		}
		if finished {
			if n < 20 {
				t.Fatalf("only %d calls were tried", n)
			}
			return
		}
	}
}

// What somebody wrote in the place of a file that a stopped export was to write stays, and
// is told of each time.
func TestStoppedExportKeepsWhatOthersWrote(t *testing.T) {
	t.Parallel()
	for n := 1; ; n++ {
		dir := newDir()
		fault := fsys.NewFault(dir)
		fault.CrashAt(n)
		_, err := export(t, fault, map[string]string{"a.md": "a", "b.md": "b"})
		after := dir.CrashClone(fsys.KeepAll)
		if err := fsys.WriteAtomic(t.Context(), after, "b.md", []byte("by hand"), fsys.Any(), fsys.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		known := false
		for range 2 {
			out, err := export(t, after, nil)
			if err != nil {
				t.Fatal(err)
			}
			if text, there := files(t, after)["b.md"]; !there || text != "by hand" {
				t.Fatalf("stop at %d: %q, told %+v", n, files(t, after), out)
			}
			if told := slices.Contains(out.Kept, "b.md"); known && !told {
				t.Fatalf("stop at %d: told once: %+v", n, out)
			} else {
				known = told
			}
		}
		if err == nil {
			return
		}
	}
}

// A full disk stops an export; what it did is known.
func TestExportOnAFullDisk(t *testing.T) {
	t.Parallel()
	dir := newDir()
	fault := fsys.NewFault(dir)
	fault.FailIf(func(c fsys.Call) bool { return c.Op == "link" && c.Name != manifestName && c.N > 30 }, syscall.ENOSPC)
	fault.FailIf(func(c fsys.Call) bool { return c.Op == "write" && c.N > 30 }, syscall.ENOSPC)
	texts := map[string]string{"a.md": "a", "b.md": "b", "c.md": "c"}
	if _, err := export(t, fault, texts); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("%v", err)
	}
	if out, err := export(t, dir, nil); err != nil || len(out.Removed) == 0 || len(files(t, dir)) > 0 {
		t.Errorf("%v: %+v, %q", err, out, files(t, dir))
	}
}

// What is no file is told of and neither followed nor opened; the others are exported.
func TestBlockedExport(t *testing.T) {
	t.Parallel()
	dir := newDir()
	texts := map[string]string{"a.md": "a", "b.md": "b", "c.md": "c", "d.md": "d", "e/e.md": "e", "f/f.md": "f", "g.md": "g"}
	fsystest.Put(t, dir, "real.md", "a")
	for _, err := range []error{
		dir.Symlink("real.md", "a.md"), dir.Symlink("nowhere", "b.md"), dir.Mkdir("c.md", 0o755), dir.Special("d.md", fs.ModeNamedPipe, ""),
		dir.Mkdir("real", 0o755), dir.Symlink("real", "f"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	fsystest.Put(t, dir, "e", "no directory")
	fault := fsys.NewFault(dir)
	out, err := export(t, fault, texts)
	if err != nil {
		t.Fatal(err)
	}
	var blocked []string
	for _, b := range out.Blocked {
		blocked = append(blocked, b.Name)
	}
	if got := fmt.Sprint(out.Written, blocked, out.Kept); got != "[g.md] [a.md b.md c.md d.md e/e.md f/f.md] []" {
		t.Error(got)
	}
	for _, c := range fault.Calls() {
		if c.Op == "open" && slices.Contains(blocked, c.Name) {
			t.Errorf("opened: %v", c)
		}
	}
	if got := fsystest.Get(t, dir, "real.md"); got != "a" {
		t.Errorf("the link was followed: %q", got)
	}

	// So it is where files were exported before.
	dir = newDir()
	if _, err := export(t, dir, map[string]string{"a.md": "a", "h/b.md": "b"}); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{dir.Rename("a.md", "mine.md"), dir.Symlink("mine.md", "a.md"), dir.Rename("h", "elsewhere"), dir.Symlink("elsewhere", "h")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		out, err = export(t, dir, nil)
		if err != nil || len(out.Removed) > 0 || len(out.Blocked) != 2 {
			t.Errorf("%v: %+v", err, out)
		}
	}
	if got := fsystest.Get(t, dir, "mine.md") + fsystest.Get(t, dir, "elsewhere/b.md"); got != "ab" {
		t.Errorf("the link was followed: %q", got)
	}
}

// The temporary files of others stay.
func TestTemporaryFilesOfOthers(t *testing.T) {
	t.Parallel()
	dir := newDir()
	names := &tempNames{seed: string(journalSpace)}
	var b [8]byte
	if _, err := names.Read(b[:]); err != nil {
		t.Fatal(err)
	}
	fsystest.Put(t, dir, ".cairn-tmp-0123456789abcdef", "of a space")
	fsystest.Put(t, dir, fsys.TempName(b), "what somebody wrote meanwhile")
	out, err := export(t, dir, map[string]string{"a.md": "a"})
	if got := files(t, dir); err != nil || len(got) != 3 || !slices.Equal(out.Kept, []string{fsys.TempName(b)}) {
		t.Errorf("%v: %q, %+v", err, got, out)
	}
}
