//go:build unix

package torture

import (
	"github.com/cairn-kb/cairn/internal/memory"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/cairn-kb/cairn/internal/files/fsystest"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// refuses asks what a server must not do, and returns what it says.
func (w *web) refuses(method, path, body string) string {
	w.t.Helper()
	r := apptest.OK(http.NewRequestWithContext(w.t.Context(), method, w.url+path, strings.NewReader(body)))(w.t)
	r.Header.Set("Authorization", "Bearer "+w.token)
	r.Header.Set("Content-Type", "application/json")
	answer := apptest.OK(http.DefaultClient.Do(r))(w.t)
	text := apptest.OK(io.ReadAll(answer.Body))(w.t)
	if err := answer.Body.Close(); err != nil || answer.StatusCode < 400 {
		w.t.Errorf("%s %s: %s %s", method, path, answer.Status, text)
	}
	return string(text)
}

// The files of a memory are moved, replaced or deleted while a server has it open.
// Whatever was acknowledged, by the server or by a command, is in the memory that
// is there in the end, or in the one that was moved; nothing else is acknowledged
// meanwhile.
func TestFilesOfTheMemoryGoUnderAServer(t *testing.T) {
	t.Parallel()
	move := func(from, to string) func(*testing.T, string) {
		return func(t *testing.T, db string) {
			if err := os.Rename(db+from, db+to); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, tc := range map[string]struct {
		do   func(t *testing.T, db string)
		undo func(t *testing.T, db string)
	}{
		"moved":             {move("", ".old"), move(".old", "")},
		"the index is gone": {func(t *testing.T, db string) { remove(t, db+"-shm") }, nil},
		"the log is gone":   {func(t *testing.T, db string) { remove(t, db+"-wal") }, nil},
		"both are gone":     {func(t *testing.T, db string) { remove(t, db+"-wal", db+"-shm") }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			home := fsystest.TempDir(t)
			a := apptest.OK(memory.Open(t.Context(), options(home, "test"), true))(t)
			apptest.OK(gitsync.AddSpace(t.Context(), asPerson(a), space.AddRequest{Database: true, Name: "notes"}))(t)
			if err := a.Close(); err != nil { // this process must not have it open
				t.Fatal(err)
			}
			c := newCommands(t, home, "cli")
			db := apptest.OK(space.DatabasePath(options(home, "").Place))(t)
			server, client := serveHTTP(t, home)
			for i := range 10 {
				client.ask("PUT", "/api/v1/pages/notes:s"+strconv.Itoa(i), `{"text":"by the server\n"}`)
				apptest.OK(c.Put(t.Context(), change.PutRequest{Ref: "notes:c" + strconv.Itoa(i), Text: []byte("by a command\n")}))(t)
			}
			tc.do(t, db)
			_, err := c.Put(t.Context(), change.PutRequest{Ref: "notes:late", Text: []byte("lost?\n")})
			if code := kb.CodeOf(err); code != kb.Damaged && code != kb.Conflict {
				t.Errorf("a command: %v", err)
			}
			if said := client.refuses("PUT", "/api/v1/pages/notes:later", `{"text":"lost?\n"}`); !strings.Contains(said, "while this process had") {
				t.Errorf("the server: %s", said)
			}
			client.refuses("GET", "/api/v1/pages/notes:s1", "")
			if err := server.cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			_ = server.end() // it may say that it could not write
			if tc.undo != nil {
				tc.undo(t, db)
			}
			for i := range 10 {
				for _, page := range []string{"notes:s", "notes:c"} {
					if _, err := c.Get(t.Context(), read.GetRequest{Ref: page + strconv.Itoa(i)}); err != nil {
						t.Errorf("%s%d: %v", page, i, err)
					}
				}
			}
			if out, err := c.command("db", "validate").CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

func remove(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
}
