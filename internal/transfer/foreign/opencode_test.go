package foreign_test

import (
	"bytes"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/transfer/foreign"
	"github.com/cairn-kb/cairn/internal/transfer/foreign/foreigntest"
)

func TestOpenCode(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "opencode.db")
	foreigntest.OpenCode(t, file)
	all, err := foreign.OpenCode{}.Sessions(t.Context(), file)
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	var id string
	for id = range all {
	}
	lines := 0
	if err := (foreign.OpenCode{}).Lines(t.Context(), file, id, func(line []byte) bool {
		if lines++; lines == 1 && !bytes.Contains(line, []byte(`"directory":"/home/ada/api"`)) {
			t.Errorf("the first line: %s", line)
		}
		return true
	}); err != nil || lines < 10 {
		t.Errorf("%d lines, %v", lines, err)
	}
	lines = 0
	if err := (foreign.OpenCode{}).Lines(t.Context(), file, id, func([]byte) bool { lines++; return false }); err != nil || lines != 1 {
		t.Errorf("%d lines, %v", lines, err)
	}
	// A closed database has no log, and none is made.
	if files, err := os.ReadDir(filepath.Dir(file)); err != nil || len(files) != 1 {
		t.Errorf("%v, %v", files, err)
	}
	// A part that is still written changes the time of its session.
	foreigntest.OpenCodeAdds(t, file, id, "And a test")
	later, err := foreign.OpenCode{}.Sessions(t.Context(), file)
	if err != nil || !later[id].Equal(time.UnixMilli(1995963308611)) {
		t.Errorf("%v, then %v, %v", all, later, err)
	}
	// A time that is no number hides nothing.
	foreigntest.OpenCodeStores(t, file, `UPDATE part SET time_updated = 'soon', time_created = 'now' WHERE id = 'prt_zz'`)
	foreigntest.OpenCodeStores(t, file, `UPDATE message SET time_updated = '2026-11-29' WHERE id = 'msg_z'`)
	odd, err := foreign.OpenCode{}.Sessions(t.Context(), file)
	if err != nil || !odd[id].Equal(time.UnixMilli(1995963308600)) {
		t.Errorf("%v, %v", odd, err)
	}
	if err := (foreign.OpenCode{}).Lines(t.Context(), file, id, func([]byte) bool { return true }); err != nil {
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
	if logged, err := (foreign.OpenCode{}).Sessions(t.Context(), file); err != nil || !logged[id].Equal(time.UnixMilli(1995963309000)) {
		t.Errorf("%v, %v", logged, err)
	}
	text := filepath.Join(t.TempDir(), "text.db")
	if err := os.WriteFile(text, []byte("not a database at all, but long enough to look like one"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (foreign.OpenCode{}).Sessions(t.Context(), text); kb.CodeOf(err) != kb.Invalid || !strings.Contains(err.Error(), "not a SQLite database") {
		t.Errorf("%v", err)
	}
}
