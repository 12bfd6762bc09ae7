package importer_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
	"github.com/cairn-kb/cairn/internal/transfer/exporter"
	"github.com/cairn-kb/cairn/internal/transfer/foreign/foreigntest"
	"github.com/cairn-kb/cairn/internal/transfer/importer"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
	"github.com/cairn-kb/cairn/internal/upkeep/state"
)

// tree is what a directory holds, by path.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err == nil {
			out[filepath.ToSlash(rel)] = string(apptest.OK(os.ReadFile(name))(t))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func same(t *testing.T, got, want map[string]string, but ...string) {
	t.Helper()
	for _, name := range but {
		delete(got, name)
	}
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s is %q, not %q", name, got[name], text)
		}
		delete(got, name)
	}
	for name := range got {
		t.Errorf("%s is too much", name)
	}
}

// odd is a directory in which every kind of file stands that an import must not change.
func odd() map[string]string {
	return map[string]string{
		"README.md": "# Read me\n", "index.md": "# Old index\n", "schema.md": "types\n", "log.md": "# Log\n", "sub/index.md": "# A page\n",
		"crlf.md": "---\r\ntitle: Windows\r\ntags: [a]\r\n---\r\n\r\n# W\r\n\r\n---\r\n\r\n- **2026-01-02** | mail — Said\r\n", "latin.md": "# Caf\xe9\n", "empty.md": "",
		"note.org": "#+title: Org\n* One\n:PROPERTIES:\n:ID: 3f1a2b3c-0000-4000-8000-000000000001\n:END:\n", "A note.md": "a", "a Note.md": "b", "what: *odd*.md": "# Odd\n",
		"people/ada.md": "---\ntitle: Ada\nkey: 1.10 # kept\n---\n# Ada\n", "people/.raw/ada.json": "{\"sources\": {\"x\": {\"n\": 12345678901234567890}}}\n",
		"key.md": "aws_access_key_id = AKIAIOSFODNN7EXAMPLQ\n",
	}
}

// A directory comes back byte for byte, also after a second round; its bytes come back as
// they were read, whatever happened to the pages.
func TestDirectoryRoundTrip(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	a := b.Open()
	ctx, files := t.Context(), odd()
	files["photo.png"], files[".hidden.md"] = "png", "hidden"
	dir := b.Dir("vault", files)
	bring := func(dir, into string) importer.Receipt {
		t.Helper()
		return apptest.OK(importer.ImportDirectory(ctx, a, importer.ExportRequest{Into: into, Request: importer.Request{File: dir}}))(t)
	}
	dry := importer.ExportRequest{Into: "v", Request: importer.Request{File: dir, WriteOptions: api.WriteOptions{DryRun: true}}}
	const first = "documents 11+0+1; sidecars 1+0+0; kept files 3+0+0; other files 0+0+1"
	if got := counts(t, apptest.OK(importer.ImportDirectory(ctx, a, dry))(t)); got != first {
		t.Errorf("a dry run: %s", got)
	}
	r := bring(dir, "v")
	if got := counts(t, r); got != first || r.Batch == "" || !strings.Contains(losses(r), "photo.png: not a document") || !strings.Contains(losses(r), "key.md, line 1") {
		t.Errorf("%s, %s", got, losses(r))
	}
	out := func(req exporter.Request) exporter.Result {
		t.Helper()
		return apptest.OK(exporter.ExportDirectory(ctx, a, req))(t)
	}
	want := odd()
	for _, name := range []string{"README.md", "index.md", "schema.md"} {
		delete(want, name)
	}
	one, two := filepath.Join(b.Home, "one"), filepath.Join(b.Home, "two")
	if x := out(exporter.Request{Space: "v", Dir: one}); x.Documents != 11 || x.Sidecars != 1 || !x.Index {
		t.Errorf("%+v", x)
	}
	got := tree(t, one)
	if !strings.Contains(got["index.md"], "- [Ada](<people/ada.md>)") {
		t.Errorf("%s", got["index.md"])
	}
	same(t, got, want, "index.md")
	bring(one, "w")
	out(exporter.Request{Space: "w", Dir: two})
	same(t, tree(t, two), tree(t, one))
	if x := out(exporter.Request{Space: "w", Dir: two}); x.Same != 13 || x.Documents != 0 {
		t.Errorf("%+v", x)
	}
	if c := apptest.OK(exporter.Compare(ctx, a, dir, two))(t); len(c.Differences) != 0 || c.Pages != 11 {
		t.Errorf("%+v", c)
	}

	again := bring(dir, "v")
	if got := counts(t, again); got != "documents 0+11+1; sidecars 0+1+0; kept files 0+3+0; other files 0+0+1" || again.Batch != "" {
		t.Errorf("again: %s", got)
	}
	apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "v:people/ada", Text: []byte("# Other\n"), Overwrite: true}))(t)
	raw := filepath.Join(b.Home, "raw")
	out(exporter.Request{Raw: true, Import: r.Batch, Dir: raw})
	same(t, tree(t, raw), odd())
	for _, req := range []exporter.Request{{Raw: true, Dir: raw}, {Import: r.Batch, Dir: raw}} {
		if _, err := exporter.ExportDirectory(ctx, a, req); kb.CodeOf(err) != kb.Usage {
			t.Errorf("%+v: %v", req, err)
		}
	}
	if _, err := exporter.ExportDirectory(ctx, a, exporter.Request{Space: "v", Dir: two}); kb.CodeOf(err) != kb.Conflict {
		t.Errorf("over files of others: %v", err)
	}
	same(t, tree(t, two), tree(t, one))
	taken := b.Dir("taken", map[string]string{"log.md": "# Another log\n"})
	if _, err := exporter.ExportDirectory(ctx, a, exporter.Request{Space: "v", Dir: taken}); err == nil || !strings.Contains(err.Error(), " has 1 file already") {
		t.Errorf("over a file of others: %v", err)
	}
	list := apptest.OK(importer.Imports(ctx, a, 10, 0))(t)
	if list.Total != 2 || list.Items[1].ID != r.Batch || list.Items[1].Items != 15 {
		t.Errorf("%+v", list)
	}
}

// A file that changed since the last import is taken over, unless the page changed, too.
func TestDirectoryAgain(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	a := b.Open()
	ctx := t.Context()
	dir := b.Dir("vault", map[string]string{"one.md": "1", "two.md": "2", "three.md": "3"})
	req := importer.ExportRequest{Into: "v", Request: importer.Request{File: dir}}
	apptest.OK(importer.ImportDirectory(ctx, a, req))(t)
	for _, ref := range []string{"v:two", "v:three"} {
		apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: ref, Text: []byte("here"), Overwrite: true}))(t)
	}
	b.Dir("vault", map[string]string{"one.md": "1 more", "two.md": "2 more"})
	r := apptest.OK(importer.ImportDirectory(ctx, a, req))(t)
	if got := counts(t, r); !strings.HasPrefix(got, "documents 1+1+1;") || !strings.Contains(losses(r), "two.md: it changed here and there") {
		t.Errorf("%s, %s", got, losses(r))
	}
	for ref, want := range map[string]string{"v:one": "1 more", "v:two": "here", "v:three": "here"} {
		if text := apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: ref}))(t).Text; text != want {
			t.Errorf("%s: %s", ref, text)
		}
	}
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: dir, Name: "attached"}))(t)
	req.Into = "attached"
	if _, err := importer.ImportDirectory(ctx, a, req); kb.CodeOf(err) != kb.Usage {
		t.Errorf("into a directory: %v", err)
	}
	req.File = filepath.Join(dir, "none")
	if _, err := importer.ImportDirectory(ctx, a, req); kb.CodeOf(err) != kb.NotFound {
		t.Errorf("of none: %v", err)
	}
}

// A normalised document says what it said, in one form.
func TestNormalised(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	a := b.Open()
	ctx := t.Context()
	dir := b.Dir("vault", odd())
	apptest.OK(importer.ImportDirectory(ctx, a, importer.ExportRequest{Into: "v", Request: importer.Request{File: dir}}))(t)
	one := filepath.Join(b.Home, "one")
	apptest.OK(exporter.ExportDirectory(ctx, a, exporter.Request{Space: "v", Dir: one, Normalise: true}))(t)
	got := tree(t, one)
	for name, want := range map[string]string{
		"crlf.md":       "---\ntitle: Windows\ntags: [a]\n---\n\n# W\n\n---\n\n- **2026-01-02** | mail — Said\n",
		"latin.md":      "# Café\n",
		"people/ada.md": "---\ntitle: Ada\nkey: 1.10 # kept\n---\n\n# Ada\n",
		"note.org":      odd()["note.org"],
	} {
		if got[name] != want {
			t.Errorf("%s is %q", name, got[name])
		}
	}
	if c := apptest.OK(exporter.Compare(ctx, a, dir, one))(t); len(c.Differences) != 0 {
		t.Errorf("%+v", c)
	}
	apptest.OK(importer.ImportDirectory(ctx, a, importer.ExportRequest{Into: "w", Request: importer.Request{File: one}}))(t)
	two := filepath.Join(b.Home, "two")
	apptest.OK(exporter.ExportDirectory(ctx, a, exporter.Request{Space: "w", Dir: two, Normalise: true}))(t)
	same(t, tree(t, two), got)
	other := b.Dir("other", map[string]string{"crlf.md": "---\ntitle: Win\n---\n# W\n", "new.md": "x"})
	c := apptest.OK(exporter.Compare(ctx, a, dir, other))(t)
	said := ""
	for _, d := range c.Differences {
		said += d.Path + ": " + d.What + "\n"
	}
	for _, want := range []string{"crlf.md: the title", "crlf.md: the key tags is missing", "crlf.md: the timeline", "new.md: it is not in the original", "people/ada.md: it is not in the export"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not told of in\n%s", want, said)
		}
	}
}

// ending is a context that ends when it has been asked so often.
type ending struct {
	context.Context
	mu   sync.Mutex
	left int
}

func (e *ending) Err() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.left--; e.left < 0 {
		return context.Canceled
	}
	return e.Context.Err()
}

// A directory of more pages than are in memory at a time is one write all the same: links
// lead across its parts, pages that replace others change none that comes with them, and one
// undo takes all of it back. An import that is stopped has brought nothing.
func TestLargeDirectory(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	const n = 2100
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf("n%04d.md", i)] = fmt.Sprintf("# N%04d\n\n[[n%04d]]\n", i, n-1-i)
	}
	files["n0000.md"] += "\n- supersedes [[n2050]]\n"
	files["n2060.md"] += "\n- supersedes [[n0001]]\n"
	files[".raw/n2099.json"] = `{"sources": {"crm": 1}}` + "\n"
	b := apptest.New(t)
	root := b.Dir("large", files)
	a := b.Open()
	ctx := t.Context()
	for _, name := range []string{"kept", "whole"} {
		apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Name: name, Database: true, Preset: "capture"}))(t)
	}
	in := func(ctx context.Context, space string) (importer.Receipt, error) {
		return importer.ImportDirectory(ctx, a, importer.ExportRequest{Into: space, Request: importer.Request{File: root}})
	}
	const enough = 1 << 40
	whole := &ending{Context: ctx, left: enough}
	apptest.OK(in(whole, "whole"))(t)
	if _, err := in(&ending{Context: ctx, left: (enough - whole.left) * 3 / 4}, "kept"); err == nil {
		t.Error("an import went on whose caller had gone")
	}
	a = a.In("kept")
	if s := apptest.OK(state.CountStats(ctx, a, false))(t); s.Pages != 0 {
		t.Errorf("a stopped import brought %d pages", s.Pages)
	}
	r := apptest.OK(in(ctx, "kept"))(t)
	s := apptest.OK(state.CountStats(ctx, a, false))(t)
	if r.Total < n || len(r.Pages) != 1000 || s.Pages != n || s.Unresolved != 0 || s.RawData != 1 {
		t.Errorf("%d pages are told of, %d listed; %+v", r.Total, len(r.Pages), s)
	}
	dir := filepath.Join(b.Home, "out")
	apptest.OK(exporter.ExportDirectory(ctx, a, exporter.Request{Dir: dir}))(t)
	same(t, tree(t, dir), files, "index.md")
	writes := apptest.OK(history.Recent(ctx, a, history.RecentRequest{Since: "yesterday", Limit: 3 * n}))(t)
	for _, v := range writes.Items {
		if v.Write != r.Write {
			t.Fatalf("%s is of write %d, not %d", v.Ref, v.Write, r.Write)
		}
	}
	apptest.OK(change.Undo(ctx, a, history.UndoRequest{Write: r.Write}))(t)
	if s := apptest.OK(state.CountStats(ctx, a, false))(t); s.Pages != 0 {
		t.Errorf("after undo there are %d pages", s.Pages)
	}
}

// Whenever somebody writes a page while a directory is imported, what they wrote stays.
func TestDirectoryMeanwhile(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	refused := 0
	for at, done := 1, false; !done; at++ {
		b := apptest.New(t)
		a := b.Open()
		dir := b.Dir("vault", map[string]string{"one.md": "1", "two.md": "2"})
		req := importer.ExportRequest{Into: "v", Request: importer.Request{File: dir}}
		apptest.OK(importer.ImportDirectory(t.Context(), a, req))(t)
		b.Dir("vault", map[string]string{"one.md": "1 more"})
		wrote := false
		ctx := apptest.NewMeanwhile(t.Context(), at, func() {
			_, err := change.Put(store.WithPatience(t.Context(), time.Millisecond), a, change.PutRequest{Ref: "v:one", Text: []byte("here"), Overwrite: true})
			wrote = err == nil
		})
		_, err := importer.ImportDirectory(ctx, a, req)
		text := apptest.OK(read.Get(t.Context(), a, read.GetRequest{Ref: "v:one"}))(t).Text
		switch {
		case kb.CodeOf(err) == kb.Conflict && wrote && text == "here":
			refused++
		case err != nil || wrote && text != "here" || !wrote && text != "1 more":
			t.Errorf("at %d: %q, %v", at, text, err)
		}
		done = !ctx.Came()
	}
	if refused == 0 {
		t.Error("nobody wrote between the comparison and the write")
	}
}

// Two directories with a file of the same name, in folders of one space, are told apart.
func TestDirectoriesInFolders(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	a := b.Open()
	bring := func(name, text string) string {
		t.Helper()
		dir := b.Dir(name, map[string]string{"index-of-all.md": text})
		return counts(t, apptest.OK(importer.ImportDirectory(t.Context(), a, importer.ExportRequest{Into: "v", Folder: name, Request: importer.Request{File: dir}}))(t))
	}
	bring("first", "1")
	bring("second", "2")
	if got := bring("first", "1 more"); !strings.HasPrefix(got, "documents 1+0+0;") {
		t.Errorf("%s", got)
	}
}

// An import that breaks off leaves no space that it made.
func TestBrokenOffMakesNoSpace(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	broke := 0
	for name, ask := range map[string]func(context.Context, *apptest.Bed, *memory.Session) error{
		"directory": func(ctx context.Context, b *apptest.Bed, a *memory.Session) error {
			dir := b.Dir("vault", map[string]string{"one.md": "1", "two.md": "2"})
			_, err := importer.ImportDirectory(ctx, a, importer.ExportRequest{Into: "v", Request: importer.Request{File: dir}})
			return err
		},
		"quaid": func(ctx context.Context, _ *apptest.Bed, a *memory.Session) error {
			_, err := importer.ImportExport(ctx, a, importer.ExportRequest{Program: importer.Quaid, Into: "v", Request: importer.Request{File: quaidFile(t, foreigntest.Groups)}})
			return err
		},
		"kt": func(ctx context.Context, _ *apptest.Bed, a *memory.Session) error {
			_, err := importer.ImportKT(ctx, a, importer.Request{File: sample(t)})
			return err
		},
	} {
		for at, done := 1, false; !done; at += 19 {
			b := apptest.New(t)
			a := b.Open()
			cut, end := context.WithCancel(t.Context())
			ctx := apptest.NewMeanwhile(cut, at, end)
			err := ask(ctx, b, a)
			all := apptest.OK(a.Spaces.List(t.Context()))(t)
			if err != nil {
				broke++
			}
			if pages := apptest.OK(state.CountStats(t.Context(), a, true))(t).Pages; err != nil && pages == 0 && len(all) > 0 {
				t.Errorf("%s, broken off at %d (%v), leaves %d spaces", name, at, err, len(all))
			}
			done = !ctx.Came()
			end()
		}
	}
	if broke == 0 {
		t.Error("none broke off")
	}
}

// Imports that hold locks of their spaces do not wait for a large page that waits for these.
func TestLargePagesAmongImports(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "large texts, and a deadlock shows without it")
	b := apptest.New(t)
	a := b.Open()
	large := strings.Repeat("a line of text\n", 17<<20/15)
	var all sync.WaitGroup
	for _, into := range []string{"v", "w"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "large.md"), []byte("# Of "+into+"\n\n"+large), 0o600); err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			_, err := importer.ImportDirectory(t.Context(), a, importer.ExportRequest{Into: into, Request: importer.Request{File: dir}})
			if err != nil {
				t.Errorf("import into %s: %v", into, err)
			}
		})
	}
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Database: true, Name: "mem"}))(t)
	for i := range 2 {
		all.Go(func() {
			_, err := change.Put(t.Context(), a, change.PutRequest{Ref: fmt.Sprintf("mem:large%d", i), Text: []byte(large)})
			if err != nil {
				t.Errorf("put: %v", err)
			}
		})
	}
	all.Wait()
}
