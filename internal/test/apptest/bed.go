package apptest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsystest"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/sqlite"
	"github.com/cairn-kb/cairn/internal/store/sqlite/sqlitetest"
	"github.com/cairn-kb/cairn/internal/upkeep"
)

// Bed is a home directory for a memory, which does not exist before something
// makes it.
type Bed struct {
	T    *testing.T
	Home string
	// Opts are those of an App within the home directory, for a person and by
	// the real clock. A test may change them before it opens the memory.
	Opts memory.Options
}

// New makes a home directory of a test's own.
func New(t *testing.T) *Bed {
	t.Helper()
	home := fsystest.TempDir(t)
	return &Bed{t, home, memory.Options{
		Hooks: upkeep.Hooks(),
		Place: space.Place{Env: func(string) string { return "" }, Dir: home, Home: home},
		Now:   time.Now, Actor: kb.Actor{Kind: kb.Human}, Hint: Words,
	}}
}

// Words are a hint as tests put it: what the error says itself, its reason, and
// the facts that a surface would name.
func Words(e *kb.Error) string {
	out := e.Hint + " " + string(e.Reason)
	for _, name := range slices.Sorted(maps.Keys(e.Facts)) {
		out += fmt.Sprintf(" %s=%v", name, e.Facts[name])
	}
	return strings.TrimSpace(out)
}

// Open opens the memory until the test ends.
func (b *Bed) Open() *memory.Session {
	b.T.Helper()
	b.create()
	a := OK(memory.Open(b.T.Context(), b.Opts, true))(b.T)
	b.T.Cleanup(func() {
		if err := a.Close(); err != nil {
			b.T.Error(err)
		}
	})
	return a
}

// create writes the memory, unless there is one: faster than opening does it.
func (b *Bed) create() {
	b.T.Helper()
	path := b.Database()
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && !strings.Contains(path, "://") {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			b.T.Fatal(err)
		}
		sqlitetest.WriteEmpty(b.T, path)
	}
}

// Lazy returns the memory, to be opened when it is first asked for and closed
// when the test ends.
func (b *Bed) Lazy() *memory.Lazy {
	b.T.Helper()
	b.create()
	return b.Absent()
}

// Absent is Lazy for a memory that does not exist yet.
func (b *Bed) Absent() *memory.Lazy {
	m := memory.NewLazy(b.Opts)
	b.T.Cleanup(func() {
		if err := m.Close(); err != nil {
			b.T.Error(err)
		}
	})
	return m
}

// Dir makes a directory with these files below the home directory.
func (b *Bed) Dir(name string, files map[string]string) string {
	b.T.Helper()
	root := filepath.Join(b.Home, name)
	for path, text := range files {
		file := filepath.Join(root, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			b.T.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			b.T.Fatal(err)
		}
	}
	return root
}

// Database returns the path of the memory's file.
func (b *Bed) Database() string {
	b.T.Helper()
	return OK(space.DatabasePath(b.Opts.Place))(b.T)
}

// Plant changes the memory's rows behind its back.
func (b *Bed) Plant(change func(tx store.Tx) error) {
	b.T.Helper()
	db := OK(sqlite.Open(b.T.Context(), b.Database(), sqlite.Options{}))(b.T)
	if err := db.Update(b.T.Context(), change); err != nil {
		b.T.Fatal(err)
	}
	if err := db.Close(); err != nil {
		b.T.Fatal(err)
	}
}

// Accept accepts, as a person, the policy that the directory of a space has now.
func Accept(t testing.TB, s *memory.Session, name string) {
	t.Helper()
	person := s.As(kb.Actor{Kind: kb.Human}).Spaces
	shown := OK(person.Show(t.Context(), name))(t)
	if err := person.Accept(t.Context(), name, []byte(shown.Policy)); err != nil {
		t.Fatal(err)
	}
}

// OK returns what a call returned, and ends the test when it failed:
//
//	page := apptest.OK(a.Get(ctx, request))(t)
func OK[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatalf("%v (hint: %s)", err, Words(kb.AsError(err)))
		}
		return v
	}
}

// DieAt makes writes stop before a step, as those of a killed process do; "" is never.
func DieAt(s *memory.Session, at write.Step, death error) {
	s.Writer.Step = func(step write.Step) error {
		if step == at {
			return death
		}
		return nil
	}
}

// Unfinished counts the writes in the journal.
func Unfinished(ctx context.Context, s *memory.Session) (n int, err error) {
	err = s.DB.View(ctx, func(tx store.Tx) error {
		pending, err := tx.Journal().Pending(ctx)
		n = len(pending)
		return err
	})
	return n, err
}

// Presets are the pages of presets as functions; see memory.PresetFiles.
type Presets struct {
	List func(preset string) []string
	Read func(preset, path string) ([]byte, bool)
}

// Files calls List.
func (p Presets) Files(preset string) []string { return p.List(preset) }

// File calls Read.
func (p Presets) File(preset, path string) ([]byte, bool) { return p.Read(preset, path) }
