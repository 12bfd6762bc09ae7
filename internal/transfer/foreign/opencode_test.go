package foreign_test

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/transfer/foreign"
	"github.com/cairn-kb/cairn/internal/transfer/foreign/foreigntest"
)

// times opens a database and returns its sessions.
func times(t *testing.T, file string) (map[string]time.Time, error) {
	db, err := foreign.OpenOpenCode(t.Context(), file)
	if err != nil {
		return nil, err
	}
	all, err := db.Sessions(t.Context())
	return all, errors.Join(err, db.Close())
}

// lines opens a database and reads a session.
func lines(t *testing.T, file, id string, line func([]byte) bool) error {
	db, err := foreign.OpenOpenCode(t.Context(), file)
	if err != nil {
		return err
	}
	return errors.Join(db.Lines(t.Context(), id, line), db.Close())
}

func TestOpenCode(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "opencode.db")
	foreigntest.OpenCode(t, file)
	all, err := times(t, file)
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	var id string
	for id = range all {
	}
	n := 0
	if err := lines(t, file, id, func(line []byte) bool {
		if n++; n == 1 && !bytes.Contains(line, []byte(`"directory":"/home/ada/api"`)) {
			t.Errorf("the first line: %s", line)
		}
		return true
	}); err != nil || n < 10 {
		t.Errorf("%d lines, %v", n, err)
	}
	n = 0
	if err := lines(t, file, id, func([]byte) bool { n++; return false }); err != nil || n != 1 {
		t.Errorf("%d lines, %v", n, err)
	}
	// A closed database has no log, and none is made.
	if files, err := os.ReadDir(filepath.Dir(file)); err != nil || len(files) != 1 {
		t.Errorf("%v, %v", files, err)
	}
	// A part that is still written changes the time of its session.
	foreigntest.OpenCodeAdds(t, file, id, "And a test")
	later, err := times(t, file)
	if err != nil || !later[id].Equal(time.UnixMilli(1995963308611)) {
		t.Errorf("%v, then %v, %v", all, later, err)
	}
	// A time that is no number hides nothing.
	foreigntest.OpenCodeStores(t, file, `UPDATE part SET time_updated = 'soon', time_created = 'now' WHERE id = 'prt_zz'`)
	foreigntest.OpenCodeStores(t, file, `UPDATE message SET time_updated = '2026-11-29' WHERE id = 'msg_z'`)
	odd, err := times(t, file)
	if err != nil || !odd[id].Equal(time.UnixMilli(1995963308600)) {
		t.Errorf("%v, %v", odd, err)
	}
	if err := lines(t, file, id, func([]byte) bool { return true }); err != nil {
		t.Error(err)
	}
	// What is in the log only is read, too.
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), `PRAGMA journal_mode = WAL; UPDATE session SET time_updated = 1995963309000`); err != nil {
		t.Fatal(err)
	}
	if logged, err := times(t, file); err != nil || !logged[id].Equal(time.UnixMilli(1995963309000)) {
		t.Errorf("%v, %v", logged, err)
	}
	text := filepath.Join(t.TempDir(), "text.db")
	if err := os.WriteFile(text, []byte("not a database at all, but long enough to look like one"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := times(t, text); kb.CodeOf(err) != kb.Invalid || !strings.Contains(err.Error(), "not a SQLite database") {
		t.Errorf("%v", err)
	}
}

// TestOpenCodeIsCopiedOnce: a log that no process has an index of can only be read from a copy.
func TestOpenCodeIsCopiedOnce(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "opencode.db")
	foreigntest.OpenCode(t, file)
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), `PRAGMA journal_mode = WAL; UPDATE session SET time_updated = 1995963309000`); err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(t.TempDir(), "opencode.db")
	for _, suffix := range []string{"", "-wal"} {
		text, err := os.ReadFile(file + suffix)
		if err != nil || len(text) == 0 {
			t.Fatal(len(text), err)
		}
		if err := os.WriteFile(left+suffix, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	from, err := foreign.OpenOpenCode(t.Context(), left)
	if err != nil {
		t.Fatal(err)
	}
	// What is read from here on is in the copy.
	for _, suffix := range []string{"", "-wal"} {
		if err := os.Remove(left + suffix); err != nil {
			t.Fatal(err)
		}
	}
	all, err := from.Sessions(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	for id, at := range all {
		n := 0
		if err := from.Lines(t.Context(), id, func([]byte) bool { n++; return true }); err != nil || n < 10 || !at.Equal(time.UnixMilli(1995963309000)) {
			t.Errorf("%d lines, changed %v, %v", n, at, err)
		}
	}
	if err := from.Close(); err != nil {
		t.Error(err)
	}
}
