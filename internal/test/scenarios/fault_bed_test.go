package scenarios_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/fsystest"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/assertion"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep"
	"github.com/cairn-kb/cairn/internal/upkeep/backup"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// faultMode is what becomes of a disk.
type faultMode struct {
	name  string
	kinds []error // taken in turn
	stays bool    // not one call fails, but all from it on
	step  int     // how many calls lie between two that fail
}

var faultModes = []faultMode{
	{"one call", []error{syscall.ENOSPC, syscall.EIO, syscall.EACCES, syscall.EROFS}, false, 1},
	{"directories go away", []error{syscall.ENOENT}, true, 3},
	{"disk stays full", []error{syscall.ENOSPC}, true, 7},
}

// countdown lets one call fail, of all the calls to file systems and to the
// memory; or the calls to file systems from one on.
type countdown struct {
	mu       sync.Mutex
	n, at    int
	armed    bool
	stays    bool   // from the call on
	dead     bool   // as is the memory then
	do       func() // what somebody else does at the call, which does not fail
	err      error
	op, name string // of the first call that failed
}

func (c *countdown) hit(op, name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.armed || c.stays && !c.dead && name == "memory" {
		return false
	}
	c.n++
	if c.n == c.at {
		c.op, c.name = op, name
		if c.do != nil {
			c.do()
		}
	}
	return c.do == nil && (c.n == c.at || c.stays && c.n > c.at)
}

// arm begins to count.
func (c *countdown) arm(at int, m faultMode) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n, c.at, c.armed, c.stays, c.dead, c.do = 0, at, true, m.stays, false, nil
	c.err = m.kinds[at%len(m.kinds)]
}

// crash begins to count, and lets all calls from one on fail, as if the process were gone.
func (c *countdown) crash(at int) {
	c.arm(at, faultMode{kinds: []error{fsys.ErrCrashed}, stays: true})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dead = true
}

// meanwhile begins to count, and has somebody else do something just before a call.
func (c *countdown) meanwhile(at int, do func()) (did func() bool) {
	c.arm(at, faultMode{kinds: []error{fsys.ErrCrashed}})
	c.mu.Lock()
	defer c.mu.Unlock()
	done := false
	c.do = func() {
		do()
		done = true
	}
	return func() bool { return done }
}

// disarm stops, and returns how many calls there were.
func (c *countdown) disarm() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.armed = false
	return c.n
}

// files lets calls to a file system fail.
func (c *countdown) files(inner fsys.FS) fsys.FS {
	f := fsys.NewFault(inner)
	for _, err := range []error{syscall.ENOSPC, syscall.EIO, syscall.EACCES, syscall.EROFS, syscall.ENOENT, fsys.ErrCrashed} {
		f.FailIf(func(call fsys.Call) bool {
			if c.kind() == syscall.EACCES && call.Op == "readdir" && call.Name != "." {
				return false // such a directory is left out on purpose: vault.Listing.Whole
			}
			return c.kind() == err && c.hit(call.Op, call.Name)
		}, err)
	}
	return f
}

func (c *countdown) kind() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// brokenDatabase lets transactions fail: before they begin, and when they commit.
type brokenDatabase struct {
	sqliteEngine
	c *countdown
}

// sqliteEngine is an engine with all that SQLite is able to do.
type sqliteEngine interface {
	store.Engine
	store.Backuper
	store.Compacter
	store.Validator
	store.Rester
	store.FileBacked
}

func (d brokenDatabase) fail(op string) error {
	if !d.c.hit(op, "memory") {
		return nil
	}
	return fsys.Explain(d.c.kind(), "use the memory at %s", d.Path()) // as store/sqlite says it
}

func (d brokenDatabase) Info(ctx context.Context) (store.Info, error) {
	if err := d.fail("info"); err != nil {
		return store.Info{}, err
	}
	return d.sqliteEngine.Info(ctx)
}

func (d brokenDatabase) Backup(ctx context.Context, file string) error {
	if err := d.fail("backup"); err != nil {
		return err
	}
	return d.sqliteEngine.Backup(ctx, file)
}

func (d brokenDatabase) Compact(ctx context.Context) (int64, error) {
	if err := d.fail("compact"); err != nil {
		return 0, err
	}
	return d.sqliteEngine.Compact(ctx)
}

func (d brokenDatabase) View(ctx context.Context, f func(store.Tx) error) error {
	if err := d.fail("view"); err != nil {
		return err
	}
	return d.sqliteEngine.View(ctx, f)
}

func (d brokenDatabase) Update(ctx context.Context, f func(store.Tx) error) error {
	if err := d.fail("begin"); err != nil {
		return err
	}
	return d.sqliteEngine.Update(ctx, func(tx store.Tx) error {
		if err := f(tx); err != nil {
			return err
		}
		return d.fail("commit")
	})
}

// faultBed is a memory in the state from which every use case starts: the
// directory space "notes", whose files are in memory, and the database space
// "mem".
type faultBed struct {
	root  string // where the directories seem to be
	db    []byte
	files *fsys.Mem
	extra *fsys.Mem // of the directory "more", which is no space yet
	now   func() time.Time
}

// faultClock ticks for files and memory alike.
var faultClock struct {
	sync.Mutex
	t time.Time
}

func faultNow() time.Time {
	faultClock.Lock()
	defer faultClock.Unlock()
	if faultClock.t.IsZero() {
		faultClock.t = time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
	}
	faultClock.t = faultClock.t.Add(time.Minute)
	return faultClock.t
}

// newFaultBed makes the state.
func newFaultBed(t *testing.T) *faultBed {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &faultBed{root: root, now: faultNow}
	for _, dir := range []string{"notes", "more"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	b.files, b.extra = fsys.NewMem(faultNow), fsys.NewMem(faultNow)
	if err := errors.Join(b.files.Mkdir("d", 0o755), b.files.Mkdir(".obsidian", 0o755)); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"a.md":   "---\ntitle: A\ntags: [x]\n---\n# A\n\n- knows [[b]]\n\n---\n\n- **2026-01-01** | s — begun\n",
		"d/b.md": "# B\n\n[a](../a.md)\n",
		"c.md":   "see [[a]]\n", "gone.md": "gone\n", "last.md": "last\n",
	} {
		fsystest.Put(t, b.files, name, text)
	}
	fsystest.Put(t, b.extra, "more.md", "more\n")
	s := b.scene(t)
	a, ctx := s.app, t.Context()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: filepath.Join(root, "notes"), Name: "notes"}))(t)
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Database: true, Name: "mem"}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{Space: "notes"}))(t)
	apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "mem:m1", Text: []byte("one [[m2]]\n")}))(t)
	apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "mem:m2", Text: []byte("two\n")}))(t)
	apptest.OK(change.Delete(ctx, a, change.DeleteRequest{Ref: "notes:gone"}))(t)
	agent := a.For(memory.Caller{Space: "notes", Actor: kb.Actor{Kind: kb.Agent, Name: "x"}})
	for _, ref := range []string{"notes:a", "notes:c", "mem:m1"} {
		apptest.OK(change.EditPage(ctx, agent, change.EditRequest{Ref: ref, Edits: []doc.Edit{doc.Append{Text: "by x\n"}}}))(t)
	}
	apptest.OK(change.Put(ctx, agent, change.PutRequest{Ref: "notes:new/of-x", Text: []byte("new\n")}))(t)
	apptest.OK(change.EditPage(ctx, a, change.EditRequest{Ref: "notes:c", Edits: []doc.Edit{doc.Prepend{Text: "by a person\n"}}}))(t)
	for _, city := range []string{"Bonn", "Rome"} {
		apptest.OK(assertion.Add(ctx, a, api.AssertRequest{Subject: "notes:a", Predicate: "lives_in", Object: city, On: "notes:c"}))(t)
	}
	apptest.OK(change.EditPage(ctx, a, change.EditRequest{Ref: "notes:last", Edits: []doc.Edit{doc.Append{Text: "more\n"}}}))(t)
	apptest.OK(backup.Compact(ctx, a))(t)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	s.app = nil
	db, err := os.ReadFile(s.opts.DB)
	if err != nil {
		t.Fatal(err)
	}
	b.db, b.files = db, s.files
	return b
}

// scene is a copy of the bed, with a countdown in all that may fail.
type scene struct {
	t     *testing.T
	root  string // of the bed
	home  string // of the memory
	opts  memory.Options
	app   *memory.Session
	files *fsys.Mem
	extra *fsys.Mem
	count *countdown
}

func (b *faultBed) scene(t *testing.T) *scene {
	t.Helper()
	home, err := os.MkdirTemp("/dev/shm", "cairn-faults-") // that flushing works is not the subject
	if err != nil {
		home = t.TempDir()
	}
	s := &scene{t: t, root: b.root, home: home, count: &countdown{}, files: b.files.CrashClone(fsys.KeepAll), extra: b.extra.CrashClone(fsys.KeepAll)}
	s.opts = memory.Options{
		Hooks: upkeep.Hooks(),
		Place: space.Place{Env: func(string) string { return "" }, Dir: home, Home: home, DB: filepath.Join(home, "memory.db")}, Space: "notes", Actor: kb.Actor{Kind: kb.Human},
		Now: b.now, Workers: 1,
	}
	if b.db != nil {
		if err := os.WriteFile(s.opts.DB, b.db, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.opts.WrapFiles, s.opts.WrapDatabase = func(d *fsys.Dir) fsys.FS {
		switch d.Path() {
		case filepath.Join(b.root, "notes"):
			return s.count.files(s.files)
		case filepath.Join(b.root, "more"):
			return s.count.files(s.extra)
		}
		return s.count.files(d)
	}, func(db store.Engine) store.Engine { return brokenDatabase{db.(sqliteEngine), s.count} }
	s.open()
	return s
}

// open opens the memory, as the next process does.
func (s *scene) open() {
	s.t.Helper()
	var err error
	if s.app, err = memory.Open(s.t.Context(), s.opts, true); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) close() {
	s.t.Helper()
	if s.app != nil {
		if err := s.app.Close(); err != nil {
			s.t.Error(err)
		}
	}
	if err := os.RemoveAll(s.home); err != nil {
		s.t.Error(err)
	}
}

// created is the time at which something was put into a sidecar.
var created = regexp.MustCompile(`"(created_at|crm|Created)": ?"[0-9T:Z-]*"`)

// asserted is the id of the assertion with an object.
func (s *scene) asserted(ctx context.Context, object string) (int64, error) {
	l, err := assertion.List(ctx, s.app, api.AssertionsRequest{Object: object})
	if err == nil && len(l.Items) == 0 {
		err = kb.Errorf(kb.NotFound, "nobody asserts that of %s", object).WithHint("Nothing was lost.")
	}
	if err != nil {
		return 0, err
	}
	return l.Items[0].ID, nil
}

// state is everything that a user has: the files, and what the memory says.
func (s *scene) state() map[string]string {
	s.t.Helper()
	out := map[string]string{}
	for _, m := range []struct {
		name string
		mem  *fsys.Mem
	}{{"notes", s.files}, {"more", s.extra}} {
		tree(s.t, m.mem, ".", func(name, text string) {
			if !fsys.IsTemp(name) { // looked at apart
				out[m.name+"/"+name] = created.ReplaceAllString(text, "")
			}
		})
	}
	var b bytes.Buffer
	if _, err := doctor.Dump(s.t.Context(), s.app, &b); err != nil {
		s.t.Fatal(err)
	}
	// Times and the ids of a new space differ each time, and mean nothing here.
	text := regexp.MustCompile(`"updated":"[^"]*"`).ReplaceAllString(b.String(), "")
	text = created.ReplaceAllString(text, "")
	text = regexp.MustCompile(`"sidecar":"[^"]*"`).ReplaceAllString(text, `"sidecar":""`) // a sum of text with times
	out["memory"] = regexp.MustCompile(`("space":"more","path":"[^"]*","id":)"[^"]*"`).ReplaceAllString(text, "$1")
	delete(out, "more/.cairn/space.toml") // a new id each time; that it is there, spaces say
	said := apptest.OK(assertion.List(s.t.Context(), s.app, api.AssertionsRequest{Space: "*", Status: "all"}))(s.t)
	for _, x := range said.Items {
		out["assertions"] += fmt.Sprintln(x.ID, x.Ref, x.Subject, x.SubjectRef, x.Predicate, x.Object, x.ValidFrom, x.ValidUntil, x.Supersedes, x.Lines, x.Lost)
	}
	spaces := apptest.OK(s.app.Spaces.List(s.t.Context()))(s.t)
	for _, sp := range spaces {
		out["spaces"] += sp.Name + "\n"
	}
	return out
}

// temps are the temporary files that lie about.
func (s *scene) temps() (out []string) {
	for _, m := range []*fsys.Mem{s.files, s.extra} {
		tree(s.t, m, ".", func(name, _ string) {
			if fsys.IsTemp(name) {
				out = append(out, name)
			}
		})
	}
	return out
}

func tree(t *testing.T, m *fsys.Mem, dir string, each func(name, text string)) {
	t.Helper()
	entries, err := m.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := e.Name()
		if dir != "." {
			name = dir + "/" + name
		}
		switch {
		case e.IsDir():
			tree(t, m, name, each)
		case e.Type() == 0:
			each(name, fsystest.Get(t, m, name))
		}
	}
}
