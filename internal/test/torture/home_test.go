package torture

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsystest"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
	storeopen "github.com/cairn-kb/cairn/internal/store/open"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// options are those of an App whose memory and spaces lie below home.
func options(home, actor string) memory.Options {
	return memory.Options{
		Hooks: upkeep.Hooks(),
		Place: space.Place{Env: func(string) string { return "" }, Dir: home, Home: home, Host: host()},
		Now:   time.Now, Space: "notes", Actor: kb.Actor{Kind: kb.Agent, Name: actor}, Workers: 2,
	}
}

// host is the name of this machine, as commands have it.
var host = sync.OnceValue(func() string {
	name, _ := os.Hostname() // without one nothing is tied to it
	return name
})

// asPerson returns the session of a person: agents change no space.
func asPerson(a *memory.Session) *memory.Session { return a.As(kb.Actor{Kind: kb.Human}) }

// root is the directory of the space "notes".
func root(home string) string { return filepath.Join(home, "notes") }

// newHome makes a home directory with the directory space "notes", which
// holds these files, and the database space "mem".
func newHome(t *testing.T, files map[string]string) string {
	t.Helper()
	return newHomeAt(t, "", files)
}

// newHomeAt is newHome with the memory at a location, "" for a file in the home directory.
func newHomeAt(t *testing.T, where string, files map[string]string) string {
	t.Helper()
	home := fsystest.TempDir(t)
	if where != "" {
		writeFile(t, filepath.Join(home, ".config", "cairn", "config.toml"), fmt.Sprintf("db = %q\n", where))
	}
	if err := os.Mkdir(root(home), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		writeFile(t, filepath.Join(root(home), filepath.FromSlash(name)), text)
	}
	a := apptest.OK(memory.Open(t.Context(), options(home, "test"), true))(t)
	apptest.OK(gitsync.AddSpace(t.Context(), asPerson(a), space.AddRequest{Root: root(home), Name: "notes"}))(t)
	apptest.OK(gitsync.AddSpace(t.Context(), asPerson(a), space.AddRequest{Database: true, Name: "mem"}))(t)
	// A process that reads the files of a memory which it has open gives up
	// SQLite's locks on them, on Unix, as it closes what it read.
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return home
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// open opens the memory until the test ends.
func open(t *testing.T, home string) *memory.Session {
	t.Helper()
	a := apptest.OK(memory.Open(t.Context(), options(home, "test"), true))(t)
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// database opens the database behind the App, to look at what no use case
// shows.
func database(ctx context.Context, home string) (engine, error) {
	path, err := space.DatabasePath(options(home, "").Place)
	if err != nil {
		return nil, err
	}
	db, err := storeopen.Memory(ctx, path, store.Options{Clock: time.Now, Host: host(), MustExist: true})
	if err != nil {
		return nil, err
	}
	return db.(engine), nil
}

// engine is a memory that checks itself.
type engine interface {
	store.Engine
	store.Validator
}

// view runs f on one state of the memory.
func view(t *testing.T, home string, f func(tx store.Tx) error) {
	t.Helper()
	db := apptest.OK(database(t.Context(), home))(t)
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := db.View(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}

// process is this test binary in another role. A data race ends it at once;
// what it complains of fails the test when the process is awaited.
func process(t *testing.T, role, arg string) (*exec.Cmd, *strings.Builder) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childEnv+"="+role+" "+arg, "GORACE=halt_on_error=1")
	complaints := &strings.Builder{}
	cmd.Stderr = complaints
	return cmd, complaints
}
