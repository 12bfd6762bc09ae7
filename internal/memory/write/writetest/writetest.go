// Package writetest makes a memory with spaces for tests of the write path and
// of packages on top of it: a real database in a temporary directory, and
// directory spaces in memory that can crash and fail.
//
// Only tests import it.
package writetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/doc/org"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/fsystest"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/open"
	"github.com/cairn-kb/cairn/internal/store/postgres/pgtest"
	"github.com/cairn-kb/cairn/internal/store/sqlite/sqlitetest"
)

// Start is when the clock of a Memory starts.
var Start = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// Memory is a memory under test. Its clock moves a minute at each look, so
// that no two events share a time.
type Memory struct {
	T      *testing.T
	DB     store.Engine
	Writer *write.Writer

	at    string // path of its file, or URL
	clock *clock
}

// PostgreSQL is the name of the tests whose subtests have their memories in PostgreSQL.
const PostgreSQL = "TestOverPostgreSQL"

// OverPostgreSQL reports whether the memories of a test are in PostgreSQL.
func OverPostgreSQL(t *testing.T) bool { return strings.HasPrefix(t.Name(), PostgreSQL+"/") }

type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) tick() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Minute)
	return c.now
}

// New makes an empty memory.
func New(t *testing.T) *Memory {
	t.Helper()
	return Load(t, nil)
}

// Load makes a memory from what Save returned.
func Load(t *testing.T, saved []byte) *Memory {
	t.Helper()
	m := &Memory{T: t, clock: &clock{now: Start}}
	if saved != nil {
		m.clock.now = Start.Add(24 * time.Hour) // after everything that is saved
	}
	switch {
	case OverPostgreSQL(t):
		from := string(saved)
		if saved == nil {
			from = emptyDatabase(t)
		}
		m.at = pgtest.Shared(t).Database(t, from)
	case saved != nil:
		m.at = filepath.Join(tempDir(t), "memory.db")
		m.must(os.WriteFile(m.at, saved, 0o600))
	default:
		m.at = filepath.Join(tempDir(t), "memory.db")
		sqlitetest.WriteEmpty(t, m.at)
	}
	m.Reopen()
	t.Cleanup(func() { m.must(m.DB.Close()) })
	return m
}

// empty is the URL of an empty memory, to be copied.
var empty struct {
	sync.Mutex
	at string
}

func emptyDatabase(t *testing.T) string {
	t.Helper()
	empty.Lock()
	defer empty.Unlock()
	if empty.at == "" {
		at := pgtest.Shared(t).Keep(t, "")
		m, err := open.Memory(context.Background(), at, store.Options{Clock: func() time.Time { return Start }})
		if err == nil {
			err = m.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		empty.at = at
	}
	return empty.at
}

// Save returns the memory for Load: its file, or the URL of a copy. The memory goes on.
func (m *Memory) Save() []byte {
	m.T.Helper()
	if OverPostgreSQL(m.T) {
		m.must(m.DB.Close())
		m.DB = nil
		saved := pgtest.Shared(m.T).Keep(m.T, m.at)
		m.Reopen()
		return []byte(saved)
	}
	_, err := m.DB.(store.Compacter).Compact(context.Background())
	m.must(err)
	b, err := os.ReadFile(m.at)
	m.must(err)
	return b
}

// tempDir is a directory in memory where the system has one: these tests open
// thousands of databases, and that SQLite survives a crash is not their
// subject.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "cairn-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func (m *Memory) must(err error) {
	m.T.Helper()
	if err != nil {
		m.T.Fatal(err)
	}
}

// Reopen opens the database with a new Writer, like a new process.
func (m *Memory) Reopen() {
	m.T.Helper()
	if m.DB != nil {
		m.must(m.DB.Close())
	}
	db, err := open.Memory(context.Background(), m.at, store.Options{Clock: m.clock.tick})
	m.must(err)
	m.DB = db
	m.Writer = &write.Writer{
		Memory: db, Index: index.New(), Now: m.clock.tick,
		Codecs: []doc.Codec{markdown.Codec{}, org.Codec{}},
		Lock: func(ctx context.Context, s kb.Space) (func() error, error) {
			return db.Lock(ctx, string(s.ID), store.Exclusive, store.BusyTime)
		},
	}
}

// Now is the clock of the memory and its file systems.
func (m *Memory) Now() time.Time { return m.clock.tick() }

// Files returns a directory tree in memory with these files.
func (m *Memory) Files(files map[string]string) *fsys.Mem {
	m.T.Helper()
	mem := fsys.NewMem(m.clock.tick)
	for name, text := range files {
		Put(m.T, mem, name, text)
	}
	return mem
}

// Put writes a file, and the directories on the way to it.
func Put(t *testing.T, files fsys.FS, name, text string) {
	t.Helper()
	for i := range len(name) {
		if name[i] != '/' {
			continue
		}
		if err := files.Mkdir(name[:i], 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			t.Fatal(err)
		}
	}
	fsystest.Put(t, files, name, text)
}

// Tree returns every file below the root with its text, temporary ones too.
func Tree(t *testing.T, files fsys.FS) map[string]string {
	t.Helper()
	out := map[string]string{}
	var walk func(string)
	walk = func(dir string) {
		entries, err := files.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			if e.IsDir() {
				walk(name)
			} else {
				out[name] = fsystest.Get(t, files, name)
			}
		}
	}
	walk(".")
	return out
}

// Space adds a space over files; nil makes a database space.
func (m *Memory) Space(name string, files fsys.FS) *write.Space {
	m.T.Helper()
	s := &write.Space{
		Space:  kb.Space{ID: kb.ID(fmt.Sprintf("00000000-0000-4000-8000-%012x", len(name))), Name: name, Kind: kb.DatabaseSpace, Created: Start},
		Policy: &policy.Policy{Format: "markdown"}, Files: files, CheckPath: vault.CheckPath,
	}
	if files != nil {
		s.Kind, s.Root = kb.DirectorySpace, "/"+name
	}
	m.must(m.DB.Update(context.Background(), func(tx store.Tx) error { return tx.Spaces().Add(context.Background(), &s.Space) }))
	return s
}

// Apply runs a request that must succeed.
func (m *Memory) Apply(req write.Request) *write.Result {
	m.T.Helper()
	res, err := m.Writer.Apply(context.Background(), req)
	m.must(err)
	return res
}

// Pages returns the pages of a space by path and node.
func (m *Memory) Pages(s *write.Space) map[string]kb.Page {
	m.T.Helper()
	out := map[string]kb.Page{}
	m.must(m.DB.View(context.Background(), func(tx store.Tx) error {
		pages, _, err := tx.Pages().List(context.Background(), store.Filter{Spaces: []int64{s.Row}}, store.BySlug, 1<<30, 0)
		for _, p := range pages {
			key := p.Path
			if p.Node != "" {
				key += "#" + p.Node
			}
			out[key] = p
		}
		return err
	}))
	return out
}

// Bytes returns the newest stored version of a document.
func (m *Memory) Bytes(p kb.Page) string {
	m.T.Helper()
	var b []byte
	m.must(m.DB.View(context.Background(), func(tx store.Tx) (err error) {
		b, err = tx.History().Bytes(context.Background(), p.Hash)
		return err
	}))
	return string(b)
}

// Side returns the newest stored sidecar of a document; "" for none.
func (m *Memory) Side(p kb.Page) string {
	m.T.Helper()
	if p.Side.IsZero() {
		return ""
	}
	p.Hash = p.Side
	return m.Bytes(p)
}

// Versions returns the history of a page, newest first.
func (m *Memory) Versions(s *write.Space, id kb.ID) []kb.Version {
	m.T.Helper()
	var out []kb.Version
	m.must(m.DB.View(context.Background(), func(tx store.Tx) (err error) {
		out, _, err = tx.History().Versions(context.Background(), store.VersionFilter{Spaces: []int64{s.Row}, Page: id}, 1<<30, 0)
		return err
	}))
	return out
}

// Links returns "path -> path" for every link of a space, with "?" for one
// that leads nowhere and "??" for an ambiguous one, sorted by the store.
func (m *Memory) Links(s *write.Space) []string {
	m.T.Helper()
	var out []string
	m.must(m.DB.View(context.Background(), func(tx store.Tx) error {
		listed, _, err := tx.Pages().List(context.Background(), store.Filter{Spaces: []int64{s.Row}}, store.BySlug, 1<<30, 0)
		for _, p := range listed {
			ends, err := tx.Links().From(context.Background(), p.Row)
			if err != nil {
				return err
			}
			for _, l := range ends {
				to := "?"
				if l.Candidates > 1 {
					to = "??"
				}
				if l.To != 0 {
					to = l.Page.Path
				}
				out = append(out, p.Path+" -> "+to)
			}
		}
		return err
	}))
	return out
}

// Pending counts the unfinished journal entries.
func (m *Memory) Pending() int {
	m.T.Helper()
	var n int
	m.must(m.DB.View(context.Background(), func(tx store.Tx) error {
		entries, err := tx.Journal().Pending(context.Background())
		n = len(entries)
		return err
	}))
	return n
}
