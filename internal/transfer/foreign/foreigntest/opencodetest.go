package foreigntest

import (
	"database/sql"
	_ "embed"
	"os"
	"path/filepath"
	"testing"
)

//go:embed opencode.sql
var openCode string

// OpenCode writes a database recorded from OpenCode 1.18.33, with a session and the session
// of its sub-agent.
func OpenCode(t *testing.T, file string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	run(t, file, openCode)
}

// OpenCodeAdds adds a request to a session, and a part of an unknown type.
func OpenCodeAdds(t *testing.T, file, session, text string) {
	t.Helper()
	run(t, file, `INSERT INTO message VALUES ('msg_z', ?1, 1995963308600, 1995963308600, '{"role":"user"}')`, session)
	run(t, file, `INSERT INTO part VALUES ('prt_z', 'msg_z', ?1, 1995963308600, 1995963308600, json_object('type', 'text', 'text', ?2)),
		('prt_zz', 'msg_z', ?1, 1995963308600, 1995963308611, '{"type":"hologram"}')`, session, text)
}

// OpenCodeStores executes a statement in a database.
func OpenCodeStores(t *testing.T, file, statement string) {
	t.Helper()
	run(t, file, statement)
}

func run(t *testing.T, file, statement string, args ...any) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err == nil {
		_, err = db.Exec(statement, args...)
	}
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}
