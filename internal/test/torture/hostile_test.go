package torture

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/reconcile"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// No page is made, and none moved, to a name that is dangerous anywhere.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	home := newHome(t, map[string]string{"page.md": "# Page\n", "folder/in.md": "in\n", "folder/e\u0301.md": "accent\n"})
	c := newCommands(t, home, "mallory")
	apptest.OK(c.Sync(t.Context(), gitsync.SyncRequest{}))(t)
	before := snapshot(t, home)
	for what, name := range map[string]string{
		"parent":            "../out",
		"parent in between": "folder/../../out",
		"absolute":          filepath.Join(home, "out.md"),
		"line feed":         "two\nlines",
		"colon":             "folder/a:b",
		"trailing dot":      "folder./x",
		"trailing blank":    "folder /x",
		"256 bytes":         strings.Repeat("n", 256-len(".md")+1),
		"device":            "CON",
		"device and more":   "folder/aux.txt.md",
		"backslash":         `folder\out`,
		"hidden":            ".hidden",
		"escape":            "red\x1b[31m",
		"reordered":         "a\u202eb",
		"no encoding":       "\xff\xfe",
		"empty part":        "folder//x",
		"other case":        "folder/IN",
		"case of folder":    "Folder/x",
		"normal form":       "folder/\u00e9",
	} {
		for op, do := range map[string]func() (api.Written, error){
			"put": func() (api.Written, error) {
				return c.Put(t.Context(), change.PutRequest{Ref: name, Text: []byte("text\n")})
			},
			"mv": func() (api.Written, error) {
				return c.Move(t.Context(), change.MoveRequest{Ref: "page", To: name})
			},
		} {
			w, err := do()
			if op == "mv" && err == nil { // cleaned to a name within the space
				if p := w.Pages[0].Path; p == "folder/x.md" {
					apptest.OK(c.Move(t.Context(), change.MoveRequest{Ref: "folder/x", To: "page"}))(t)
					continue
				}
			}
			switch kb.CodeOf(err) {
			case kb.Invalid, kb.Refused, kb.NotFound, kb.Conflict:
			default:
				t.Errorf("%s with %s in the name: %v %+v", op, what, err, w)
			}
		}
	}
	after := snapshot(t, root(home))
	for name, state := range snapshot(t, root(home)) {
		if text := strings.Contains(before[name], "# Page"); !text && before[name] != state {
			t.Errorf("%s was made or changed", name)
		}
	}
	if len(after) != 4 { // the three pages and the space's policy
		t.Errorf("files %q", slices.Sorted(maps.Keys(after)))
	}
	if _, err := os.Stat(filepath.Join(home, "out.md")); err == nil {
		t.Error("a page was made outside")
	}
}

// MiB of memory that a command may take at its peak, whatever it reads.
const (
	smallMemory = 100  // documents up to a few MB
	manyMemory  = 150  // a directory of 24,000
	largeMemory = 2000 // one document near the limit of 64 MiB
)

// What a directory can hold is read, or left out and named; the command that
// reads it takes bounded memory and leaves the files as they are.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "the work is done by a binary without the detector")
	lines := func(n int, f func(i int) string) []byte {
		var b bytes.Buffer
		for i := range n {
			b.WriteString(f(i))
		}
		return b.Bytes()
	}
	noise := make([]byte, 1<<16)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	bomb := "---\na: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c <= 'k'; c++ {
		bomb += fmt.Sprintf("%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n", c, c, c-1, c-1, c-1, c-1, c-1, c-1, c-1, c-1, c-1)
	}
	const n = 10_000
	for _, tc := range []struct {
		what, name string
		text       []byte
		skipped    string // why it is left out; "" when it is read
		memory     int
	}{
		{"YAML bomb", "a.md", []byte(bomb + "---\nfindable\n"), "", smallMemory},
		{"YAML anchors and aliases", "a.md", []byte("---\na: &x one\ntitle: *x\n<<: *x\n---\nfindable\n"), "", smallMemory},
		{"YAML tag that constructs", "a.md", []byte("---\ntitle: !!python/object/apply:os.system [\"touch owned\"]\n---\nfindable\n"), "", smallMemory},
		{"bytes of no encoding", "a.md", append([]byte("findable\n"), noise...), "", smallMemory},
		{"file of 100 MB", "a.md", bytes.Repeat([]byte("findable text\n"), 100<<20/14), "file is too large", smallMemory},
		{"line of 50 MB", "a.md", append([]byte("findable "), bytes.Repeat([]byte("word and more "), 50<<20/14)...), "", largeMemory},
		{"nested quotes", "a.md", []byte(strings.Repeat("> ", n) + "findable\n"), "", smallMemory},
		{"nested lists", "a.md", append([]byte("findable\n\n"), lines(n/10, func(i int) string { return strings.Repeat("  ", i) + "- x\n" })...), "", smallMemory},
		{"nested lists, deep", "a.md", append([]byte("findable\n\n"), lines(n/5, func(i int) string { return strings.Repeat("  ", i) + "- x\n" })...), "", smallMemory},
		{"nested quotes in lines", "a.md", append([]byte("findable\n\n"), lines(n/5, func(i int) string { return strings.Repeat("> ", i) + "x\n" })...), "", smallMemory},
		{"nested quotes of lists", "a.md", append([]byte("findable\n\n"), lines(n/10, func(i int) string { return strings.Repeat("> - ", i) + "x\n" })...), "", smallMemory},
		{"nested Org lists", "a.org", append([]byte("findable\n\n"), lines(n/5, func(i int) string { return strings.Repeat("  ", i) + "- x\n" })...), "", smallMemory},
		{"nested Org blocks", "a.org", append([]byte("findable\n"), lines(2*n, func(i int) string { return "#+" + []string{"begin", "end"}[i/n] + "_quote\n" })...), "", smallMemory},
		{"nested Org drawers", "a.org", append([]byte("findable\n"), lines(2*n, func(i int) string { return []string{":D:\n", ":END:\n"}[i/n] })...), "", smallMemory},
		{"nested YAML in lines", "a.md", slices.Concat([]byte("---\n"), lines(n/5, func(i int) string { return strings.Repeat(" ", i) + "k:\n" }), []byte("---\nfindable\n")), "", smallMemory},
		{"lists on one line", "a.md", []byte(strings.Repeat("- ", n) + "findable\n"), "", smallMemory},
		{"nested headings", "a.org", append([]byte("findable\n"), lines(n/10, func(i int) string { return strings.Repeat("*", i+1) + " h\n" })...), "", smallMemory},
		{"heading of 10,000 stars", "a.org", []byte("findable\n" + strings.Repeat("*", n) + " h\n"), "", smallMemory},
		{"nested brackets", "a.md", []byte(strings.Repeat("[", n) + "findable" + strings.Repeat("]", n) + "\n"), "", smallMemory},
		{"nested Org brackets", "a.org", []byte(strings.Repeat("[[", n) + "findable" + strings.Repeat("]]", n) + "\n"), "", smallMemory},
		{"nested YAML", "a.md", []byte("---\na: " + strings.Repeat("[", n) + "\n---\nfindable\n"), "", smallMemory},
		{"a million links", "a.md", append([]byte("findable\n"), lines(1_000_000, func(i int) string { return fmt.Sprintf("[[p%d]]\n", i) })...), "", largeMemory},
		{"a million tags", "a.md", append([]byte("findable\n"), lines(1_000_000, func(i int) string { return fmt.Sprintf("#tag%d\n", i) })...), "", largeMemory},
	} {
		t.Run(tc.what, func(t *testing.T) {
			if tc.memory == largeMemory && !*large {
				slowtest.Skip(t, "tens of megabytes in one document")
			}
			home := newHome(t, map[string]string{"b.md": "# Beside\n"})
			file := filepath.Join(root(home), tc.name)
			if err := os.WriteFile(file, tc.text, 0o644); err != nil {
				t.Fatal(err)
			}
			c := measured(t, newCommands(t, home, "reader"))
			r := apptest.OK(c.Sync(t.Context(), gitsync.SyncRequest{}))(t)[0]
			checkPeak(t, c, tc.memory)
			want := 1
			if tc.skipped != "" {
				want = 0
				if len(r.Skipped) != 1 || r.Skipped[0].Path != tc.name || r.Skipped[0].Reason != tc.skipped {
					t.Errorf("left out %+v", r.Skipped)
				}
			} else if !slices.Contains(r.Added, tc.name) || len(r.Failed) > 0 {
				t.Errorf("not read: %+v", r)
			}
			var found api.SearchResult
			if err := c.run(nil, &found, "search", "findable"); want > 0 && (err != nil || found.Total != want) && tc.what != "bytes of no encoding" {
				t.Errorf("%d hits: %v", found.Total, err)
			}
			if now := apptest.OK(os.ReadFile(file))(t); !bytes.Equal(now, tc.text) {
				t.Error("the file was changed")
			}
			if _, err := os.Stat(filepath.Join(home, "owned")); err == nil {
				t.Error("the document ran a command")
			}
		})
	}
}

// 24,000 files in one directory are one sync, of bounded memory.
func TestHostileManyFiles(t *testing.T) {
	t.Parallel()
	slowtest.Skip(t, "24,000 files")
	const files = 24_000
	home := newHome(t, nil)
	for i := range files {
		if err := os.WriteFile(filepath.Join(root(home), fmt.Sprintf("%d.md", i)), fmt.Appendf(nil, "# Note %d\n", i), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := measured(t, newCommands(t, home, "reader"))
	r := apptest.OK(c.Sync(t.Context(), gitsync.SyncRequest{}))(t)[0]
	checkPeak(t, c, manyMemory)
	if len(r.Added) != files {
		t.Errorf("%d files were read", len(r.Added))
	}
}

// A link out of the space is neither read nor written through, whether it is a
// file or a directory.
func TestHostileLinks(t *testing.T) {
	t.Parallel()
	home := newHome(t, map[string]string{"in.md": "in\n"})
	outside := filepath.Join(home, "outside")
	writeFile(t, filepath.Join(outside, "target.md"), "outsideword\n")
	for name, to := range map[string]string{"file.md": "target.md", "dir": ""} {
		if err := os.Symlink(filepath.Join(outside, to), filepath.Join(root(home), name)); err != nil {
			t.Skip(err)
		}
	}
	before := snapshot(t, outside)
	c := newCommands(t, home, "mallory")
	r := apptest.OK(c.Sync(t.Context(), gitsync.SyncRequest{}))(t)[0]
	if len(r.Skipped) != 2 || len(r.Added) != 1 {
		t.Errorf("%+v", r)
	}
	for _, ref := range []string{"file", "dir/new", "dir/target"} {
		if _, err := c.Put(t.Context(), change.PutRequest{Ref: ref, Text: []byte("through\n"), Overwrite: true}); kb.CodeOf(err) != kb.Refused {
			t.Errorf("put %s: %v", ref, err)
		}
		if _, err := c.Move(t.Context(), change.MoveRequest{Ref: "in", To: ref}); kb.CodeOf(err) != kb.Refused && kb.CodeOf(err) != kb.Conflict {
			t.Errorf("mv to %s: %v", ref, err)
		}
		if _, err := c.Get(t.Context(), read.GetRequest{Ref: ref}); kb.CodeOf(err) != kb.NotFound {
			t.Errorf("get %s: %v", ref, err)
		}
	}
	if after := snapshot(t, outside); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("outside is now %v", after)
	}
}

// swapAt lets the directory d become a link at the n-th call to the file system
// of a space, and returns whether there was such a call.
func swapAt(t *testing.T, space *write.Space, n int, home, outside string) *bool {
	fault := fsys.NewFault(space.Files)
	space.Files = fault
	var swapped bool
	fault.FailIf(func(c fsys.Call) bool {
		if c.N == n {
			swapped = true
			if err := os.Rename(filepath.Join(root(home), "d"), filepath.Join(root(home), "was")); err != nil {
				t.Error(err)
			}
			if err := os.Symlink(outside, filepath.Join(root(home), "d")); err != nil {
				t.Error(err)
			}
		}
		return false
	}, nil)
	return &swapped
}

// A directory that becomes a link out of the space during a write, at any call
// to the file system, leads nothing outside.
func TestHostileLinkDuringWrite(t *testing.T) {
	t.Parallel()
	for n := 1; ; n++ {
		home := newHome(t, map[string]string{"d/page.md": "old\n"})
		outside := filepath.Join(home, "outside")
		writeFile(t, filepath.Join(outside, "page.md"), "old\n")
		db := apptest.OK(database(t.Context(), home))(t)
		w, spaces, err := newWriter(t.Context(), home, db)
		if err != nil {
			t.Fatal(err)
		}
		swapped := swapAt(t, spaces["notes"], n, home, outside)
		_, err = w.Apply(t.Context(), write.Request{Operation: "put", Changes: []write.Change{{
			Space: spaces["notes"], Path: "d/page.md", Action: write.Put{Bytes: []byte("new\n"), Overwrite: true},
		}}})
		if err != nil && kb.AsError(err).Hint == "" {
			t.Errorf("call %d: %v without a hint", n, err)
		}
		if after := apptest.OK(os.ReadDir(outside))(t); len(after) != 1 || string(apptest.OK(os.ReadFile(filepath.Join(outside, "page.md")))(t)) != "old\n" {
			t.Fatalf("call %d: outside holds %v", n, after)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		if !*swapped {
			if n < 5 {
				t.Errorf("only %d calls were made", n)
			}
			return
		}
	}
}

// A directory that becomes a link out of the space during a sync, at any call
// to the file system, lets nothing from outside in.
func TestHostileLinkDuringSync(t *testing.T) {
	t.Parallel()
	outsideText := []byte("outside\n")
	for n := 1; ; n++ {
		home := newHome(t, map[string]string{"d/page.md": "old\n", "d/e/page.md": "old\n", "x.md": "x\n"})
		outside := filepath.Join(home, "outside")
		for _, name := range []string{"page.md", "new.md", "e/page.md"} {
			writeFile(t, filepath.Join(outside, name), string(outsideText))
		}
		db := apptest.OK(database(t.Context(), home))(t)
		w, spaces, err := newWriter(t.Context(), home, db)
		if err != nil {
			t.Fatal(err)
		}
		swapped := swapAt(t, spaces["notes"], n, home, outside)
		syncer := &reconcile.Syncer{Writer: w, Rules: vault.Rules{Extensions: []string{".md"}}, Workers: 1}
		if _, err := syncer.Sync(t.Context(), spaces["notes"], reconcile.Options{}); err != nil {
			t.Errorf("call %d: %v", n, err)
		}
		err = db.View(t.Context(), func(tx store.Tx) error {
			if _, err := tx.History().Bytes(t.Context(), kbHash(string(outsideText))); kb.CodeOf(err) != kb.NotFound {
				t.Errorf("call %d: what is outside was read: %v", n, err)
			}
			return nil
		})
		if err := errors.Join(err, db.Close()); err != nil {
			t.Error(err)
		}
		if !*swapped {
			if n < 5 {
				t.Errorf("only %d calls were made", n)
			}
			return
		}
	}
}
