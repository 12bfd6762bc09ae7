package torture

import (
	"context"
	"errors"
	"fmt"
	"github.com/cairn-kb/cairn/internal/memory"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/fsystest"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// The mistakes seen in programs of this kind, each by its name; those of
// servers are in servers_test.go, and looking at all links again for every note
// in linear_test.go. Held elsewhere are: searching with no database
// (internal/test/scenarios, TestSearchingWithNoMemoryMakesNone), and an interrupted first
// index that has kept nothing (internal/memory/reconcile,
// TestInterruptedSyncKeepsWhatItDid).

func TestMistakeKilledProcessLocksTheCommandLineOut(t *testing.T) {
	t.Parallel()
	home := newHome(t, map[string]string{"a.md": "a\n"})
	cmd, _ := hold(t, home)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed, so always an error
	a := open(t, home)
	for _, space := range []string{"notes", "mem"} {
		apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: space + ":new", Text: []byte("new\n")}))(t)
	}
	apptest.OK(gitsync.Sync(t.Context(), a, gitsync.SyncRequest{}))(t)
}

// adder adds a directory and syncs it. Its argument is the home directory and
// the name of the directory in it.
func adder(arg string) error {
	var home, name string
	if _, err := fmt.Sscan(arg, &home, &name); err != nil {
		return err
	}
	var b [1]byte
	if _, err := os.Stdin.Read(b[:]); err != nil { // all begin at once
		return err
	}
	ctx := context.Background()
	a, err := memory.Open(ctx, options(home, name), true)
	if err != nil {
		return err
	}
	if _, err = gitsync.AddSpace(ctx, asPerson(a), space.AddRequest{Root: filepath.Join(home, name), Name: name}); err == nil {
		_, err = gitsync.Sync(ctx, a, gitsync.SyncRequest{Space: name, Progress: func(_, phase string, done, _ int) {
			if phase == "indexing" {
				fmt.Println(done)
			}
		}})
	}
	return errors.Join(err, a.Close())
}

// linkedNotes makes a directory of n notes, each with links to its neighbours.
func linkedNotes(t *testing.T, dir string, n int) {
	t.Helper()
	for i := range n {
		writeFile(t, filepath.Join(dir, fmt.Sprintf("d%d/note %d.md", i%7, i)),
			fmt.Sprintf("# Note %d\n\n[[note %d]] and [before](<../d%d/note %d.md>)\n", i, (i+1)%n, (i+n-1)%n%7, (i+n-1)%n))
	}
}

func TestMistakeAddingADirectoryIsLockedNowAndThen(t *testing.T) {
	t.Parallel()
	const processes, notes = 6, 30
	home := fsystest.TempDir(t)
	var begin, await []func()
	for i := range processes {
		name := fmt.Sprintf("dir%d", i)
		linkedNotes(t, filepath.Join(home, name), notes)
		cmd, complaints := process(t, "adder", home+" "+name)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		begin = append(begin, func() {
			if _, err := in.Write([]byte("\n")); err != nil {
				t.Error(err)
			}
		})
		await = append(await, func() {
			if err := cmd.Wait(); err != nil {
				t.Errorf("%s: %v: %s", name, err, complaints)
			}
		})
	}
	for _, f := range slices.Concat(begin, await) {
		f()
	}
	a := open(t, home)
	for _, s := range apptest.OK(a.Spaces.List(t.Context()))(t) {
		if s.Pages == nil || *s.Pages != notes {
			t.Errorf("%s has %v pages", s.Name, s.Pages)
		}
	}
}

// A killed import leaves a name that can be synced, added and removed.
func TestMistakeKilledImportLeavesADeadName(t *testing.T) {
	t.Parallel()
	const imported = 850 // of which 400 are committed together
	home := fsystest.TempDir(t)
	linkedNotes(t, filepath.Join(home, "dir"), imported)
	cmd, complaints := process(t, "adder", home+" dir")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write([]byte("\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil { // the first batch is in
		t.Fatalf("%v: %s", err, complaints)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed, so always an error
	a := open(t, home)
	if s := apptest.OK(a.Spaces.Show(t.Context(), "dir"))(t); s.Pages == nil || *s.Pages == 0 {
		t.Error("nothing was kept of what was indexed")
	}
	apptest.OK(gitsync.AddSpace(t.Context(), asPerson(a), space.AddRequest{Root: filepath.Join(home, "dir")}))(t)
	apptest.OK(gitsync.Sync(t.Context(), a, gitsync.SyncRequest{Space: "dir"}))(t)
	if s := apptest.OK(a.Spaces.Show(t.Context(), "dir"))(t); s.Pages == nil || *s.Pages != imported {
		t.Errorf("%v pages", s.Pages)
	}
	apptest.OK(asPerson(a).Spaces.Remove(t.Context(), space.RemoveRequest{Name: "dir"}))(t)
	apptest.OK(gitsync.AddSpace(t.Context(), asPerson(a), space.AddRequest{Root: filepath.Join(home, "dir"), Name: "dir"}))(t)
}

func TestMistakeExpectedVersionOfANewPageIsAccepted(t *testing.T) {
	t.Parallel()
	a := open(t, newHome(t, nil))
	expected := 7
	for _, space := range []string{"notes", "mem"} {
		_, err := change.Put(t.Context(), a, change.PutRequest{
			WriteOptions: api.WriteOptions{Expected: &expected}, Ref: space + ":new", Text: []byte("new\n"),
		})
		if kb.CodeOf(err) != kb.Conflict || kb.AsError(err).Details["current_version"] != 0 {
			t.Errorf("%s: got %v", space, err)
		}
		if _, err := read.Get(t.Context(), a, read.GetRequest{Ref: space + ":new"}); kb.CodeOf(err) != kb.NotFound {
			t.Errorf("%s: the page was made: %v", space, err)
		}
	}
}

func TestMistakeBinaryFileIsIndexedAsText(t *testing.T) {
	t.Parallel()
	a := open(t, newHome(t, map[string]string{
		"picture.md": "\x89PNG\r\n\x1a\n\x00\x00\x00 hiddenword \x00\xff\xfe\x00", "words.md": "plainword\n",
	}))
	apptest.OK(gitsync.Sync(t.Context(), a, gitsync.SyncRequest{}))(t)
	for word, want := range map[string]int{"hiddenword": 0, "plainword": 1} {
		if got := apptest.OK(read.Search(t.Context(), a, retrieve.SearchRequest{Query: word}))(t); got.Total != want {
			t.Errorf("%d hits for %s", got.Total, word)
		}
	}
	said := false
	for _, c := range apptest.OK(doctor.Doctor(t.Context(), a, false))(t) {
		said = said || c.State != "ok" && strings.Contains(strings.Join(c.Items, " "), "picture.md")
	}
	if !said {
		t.Error("nobody was told of the file")
	}
}

func TestMistakeBadFrontmatterIsSilent(t *testing.T) {
	t.Parallel()
	a := open(t, newHome(t, map[string]string{"a.md": "---\ntitle: [never closed\ntags: {a\n---\n# Heading\n\nfindable words\n"}))
	r := apptest.OK(gitsync.Sync(t.Context(), a, gitsync.SyncRequest{}))(t)[0]
	if r.Warnings != 1 {
		t.Errorf("%d warnings", r.Warnings)
	}
	if got := apptest.OK(read.Search(t.Context(), a, retrieve.SearchRequest{Query: "findable"}))(t); got.Total != 1 {
		t.Errorf("%d hits", got.Total)
	}
	page := apptest.OK(read.Get(t.Context(), a, read.GetRequest{Ref: "a"}))(t)
	if len(page.Warnings) == 0 || page.Warnings[0].Line == 0 {
		t.Errorf("warnings %+v", page.Warnings)
	}
}

func TestMistakeRelativeLinksAreNotRead(t *testing.T) {
	t.Parallel()
	files := map[string]string{"d/target.md": "# T\n"}
	kinds := map[string]string{
		"plain.md": "[x](d/target.md)", "dot.md": "[x](./d/target.md)", "e/up.md": "[x](../d/target.md)",
		"d/beside.md": "[x](target.md)", "bare.md": "[x](d/target)", "wiki.md": "[[target]]", "section.md": "[x](d/target.md#t)",
		"angle.md": "[x](<d/target.md>)", "reference.md": "[x][r]\n\n[r]: d/target.md",
	}
	for name, text := range kinds {
		files[name] = text + "\n"
	}
	a := open(t, newHome(t, files))
	apptest.OK(gitsync.Sync(t.Context(), a, gitsync.SyncRequest{}))(t)
	var from []string
	for _, l := range apptest.OK(links.List(t.Context(), a, api.LinksRequest{Way: api.In, Ref: "d/target"}))(t).Items {
		from = append(from, strings.TrimPrefix(l.From, "notes:")+".md")
	}
	for name, text := range kinds {
		if !slices.Contains(from, name) {
			t.Errorf("%q is not read", text)
		}
	}
}

// snapshot is every file below a directory with its bytes, mode and time.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(name)
		out[name] = fmt.Sprint(info.Mode(), info.ModTime(), string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestMistakeFirstIndexRewritesEveryFile(t *testing.T) {
	t.Parallel()
	home := fsystest.TempDir(t)
	dir := filepath.Join(home, "dir")
	linkedNotes(t, dir, 40)
	writeFile(t, filepath.Join(dir, "crlf.md"), "---\r\ntitle:   odd \r\n---\r\ntext")
	writeFile(t, filepath.Join(dir, "latin.org"), "#+title: caf\xe9\n")
	before := snapshot(t, dir)
	a := open(t, home)
	apptest.OK(gitsync.AddSpace(t.Context(), asPerson(a), space.AddRequest{Root: dir}))(t)
	apptest.OK(gitsync.Sync(t.Context(), a, gitsync.SyncRequest{Space: "dir", Full: true}))(t)
	after := snapshot(t, dir)
	delete(after, filepath.Join(dir, ".cairn", "space.toml"))
	for name := range after {
		if after[name] != before[name] {
			t.Errorf("%s is not as it was", name)
		}
	}
	if len(after) != len(before) {
		t.Errorf("%d files, were %d", len(after), len(before))
	}
}

func TestMistakeFoldersNamedBuildAreLeftOut(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for _, name := range []string{"build", "dist", "target", "out", "vendor", "bin", "tmp", "node_modules", "env", "venv"} {
		files[name+"/note.md"] = "# " + name + "\n"
	}
	a := open(t, newHome(t, files))
	r := apptest.OK(gitsync.Sync(t.Context(), a, gitsync.SyncRequest{}))(t)[0]
	skipped := map[string]bool{}
	for _, s := range r.Skipped {
		skipped[strings.SplitN(s.Path, "/", 2)[0]] = true
	}
	for name := range files {
		dir := filepath.Dir(name)
		if !slices.Contains(r.Added, name) && (dir == "build" || !skipped[dir]) {
			t.Errorf("%s was left out without a word", name)
		}
	}
}
