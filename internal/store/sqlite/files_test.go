package sqlite

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

func skipWhereOpenFilesStay(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("files that are open can be neither moved nor removed here")
	}
}

// hold is a process that has a memory open and does what it is told: "set KEY",
// "get KEY", or "close".
func hold(ctx context.Context, db *DB) error {
	fmt.Println("open")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		verb, key, _ := strings.Cut(lines.Text(), " ")
		said := "done"
		var err error
		switch verb {
		case "set":
			err = db.Update(ctx, func(tx store.Tx) error { return tx.Settings().Set(ctx, key, "1") })
		case "get":
			err = db.View(ctx, func(tx store.Tx) (err error) { said, err = tx.Settings().Get(ctx, key); return err })
		case "close":
			err = db.Close()
		}
		if err != nil {
			said = string(kb.CodeOf(err)) + " " + err.Error()
		}
		fmt.Println(said)
	}
	return lines.Err()
}

// holder is such a process, seen from outside.
type holder struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func startHolder(t *testing.T, path string) *holder {
	t.Helper()
	h := &holder{t: t, cmd: process(t, "holder", path)}
	h.cmd.Stderr = os.Stderr
	var err error
	if h.in, err = h.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	h.out = bufio.NewScanner(out)
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = h.in.Close(), h.cmd.Wait() })
	h.want("open")
	return h
}

func (h *holder) want(prefix string) {
	h.t.Helper()
	if !h.out.Scan() || !strings.HasPrefix(h.out.Text(), prefix) {
		h.t.Fatalf("the other process said %q, want %s", h.out.Text(), prefix)
	}
}

func (h *holder) tell(line, want string) {
	h.t.Helper()
	if _, err := io.WriteString(h.in, line+"\n"); err != nil {
		h.t.Fatal(err)
	}
	h.want(want)
}

func (h *holder) kill() {
	h.t.Helper()
	if err := h.cmd.Process.Kill(); err != nil {
		h.t.Fatal(err)
	}
	_ = h.cmd.Wait()
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func openShort(path string) (*DB, error) {
	return Open(context.Background(), path, Options{BusyTime: 50 * time.Millisecond})
}

// refused opens a memory that must not be opened, and checks that this changes no
// file of it.
func refused(t *testing.T, path string, code kb.Code) {
	t.Helper()
	read := func() map[string][]byte {
		files := map[string][]byte{}
		for _, name := range append(companionFiles(path), path) {
			text, err := os.ReadFile(name)
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			if err == nil {
				files[name] = text
			}
		}
		return files
	}
	before := read()
	db, err := openShort(path)
	if err == nil {
		t.Fatal("it was opened", db.Close())
	}
	if e := wantCode(t, err, code); !strings.Contains(e.Hint, "Nothing was changed") {
		t.Errorf("hint %q", e.Hint)
	}
	after := read()
	for name := range before {
		if !bytes.Equal(before[name], after[name]) && !strings.HasSuffix(name, "-shm") { // marks of who reads
			t.Errorf("%s changed", name)
		}
	}
	if len(before) != len(after) {
		t.Errorf("%d files, then %d", len(before), len(after))
	}
}

func wantSettings(t *testing.T, path string, keys ...string) {
	t.Helper()
	db := openAt(t, path, Options{MustExist: true})
	for _, key := range keys {
		if got := get(t, db, key); got != "1" {
			t.Errorf("%s in %s is %q", key, path, got)
		}
	}
	if err := errors.Join(db.Validate(context.Background()), db.Close()); err != nil {
		t.Error(err)
	}
}

// A memory that is moved away under a process that has it open: the process
// writes and reads nothing more, no other memory is begun beside its log, and
// what it acknowledged is in the file that was moved.
func TestMemoryMovedAwayUnderAProcess(t *testing.T) {
	t.Parallel()
	skipWhereOpenFilesStay(t)
	path := made(t)
	away := path + ".old"
	h := startHolder(t, path)
	h.tell("set before", "done")
	rename(t, path, away)
	h.tell("set after", "damaged")
	h.tell("get before", "damaged")
	refused(t, path, kb.Damaged)
	h.tell("close", "done")
	wantSettings(t, away, "before")
	if left := companionFiles(path); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	db := openAt(t, path, Options{}) // now there is a new one
	if got := get(t, db, "before"); got != "" {
		t.Errorf("before is %q in a new memory", got)
	}
}

// The same where the process is killed: its log waits for the file that it
// belongs to.
func TestMemoryMovedAwayUnderAProcessThatIsKilled(t *testing.T) {
	t.Parallel()
	skipWhereOpenFilesStay(t)
	path := made(t)
	h := startHolder(t, path)
	h.tell("set before", "done")
	rename(t, path, path+".old")
	h.kill()
	refused(t, path, kb.Damaged)
	if err := os.WriteFile(path, nil, 0o600); err != nil { // nor with an empty file
		t.Fatal(err)
	}
	refused(t, path, kb.Damaged)
	rename(t, path+".old", path)
	wantSettings(t, path, "before")
}

// Another memory in the place of one that is open must not be used with the log
// of that one.
func TestMemoryReplacedUnderAProcess(t *testing.T) {
	t.Parallel()
	skipWhereOpenFilesStay(t)
	path, other := made(t), made(t)
	h := startHolder(t, path)
	h.tell("set before", "done")
	rename(t, path, path+".old")
	rename(t, other, path)
	refused(t, path, kb.Conflict)
	h.tell("set after", "damaged")
	h.tell("close", "done")
	wantSettings(t, path+".old", "before")
	if err := openAt(t, path, Options{MustExist: true}).Validate(context.Background()); err != nil {
		t.Error(err)
	}
}

// A file that takes the place between the beginning of a write and its end.
func TestMemoryMovedAwayDuringAWrite(t *testing.T) {
	t.Parallel()
	skipWhereOpenFilesStay(t)
	ctx := context.Background()
	db := open(t)
	set(t, db, "before", "1")
	err := db.Update(ctx, func(tx store.Tx) error {
		rename(t, db.path, db.path+".old")
		return tx.Settings().Set(ctx, "during", "1")
	})
	wantCode(t, err, kb.Damaged)
	rename(t, db.path+".old", db.path)
	if got := get(t, db, "during"); got != "" {
		t.Error("a refused write is there")
	}
	set(t, db, "after", "1")
}

// The log or its index, deleted under a process that has the memory open: nobody
// opens the memory beside it, it writes nothing more, and saves what it
// acknowledged, at once when it notices, else as it ends.
func TestLogDeletedUnderAProcess(t *testing.T) {
	t.Parallel()
	skipWhereOpenFilesStay(t)
	for _, tc := range []struct {
		name    string
		suffix  []string
		notices bool
	}{{"log", []string{"-wal"}, true}, {"index", []string{"-shm"}, true}, {"both", []string{"-wal", "-shm"}, true}, {"unnoticed", []string{"-wal", "-shm"}, false}} {
		t.Run(tc.name, func(t *testing.T) {
			path := made(t)
			h := startHolder(t, path)
			var keys []string
			for i := range 20 {
				keys = append(keys, "k"+strconv.Itoa(i))
				h.tell("set "+keys[i], "done")
			}
			for _, suffix := range tc.suffix {
				if err := os.Remove(path + suffix); err != nil {
					t.Fatal(err)
				}
			}
			refused(t, path, kb.Conflict)
			if tc.notices {
				h.tell("set after", "damaged")
				h.tell("get k0", "damaged")
				h.kill()
			} else {
				h.tell("close", "done")
			}
			wantSettings(t, path, keys...)
		})
	}
}

// Where another program made a log of its own, ours is not folded into the
// database that it uses, and its log is not removed.
func TestLogReplacedUnderAProcess(t *testing.T) {
	t.Parallel()
	skipWhereOpenFilesStay(t)
	path := made(t)
	h := startHolder(t, path)
	h.tell("set before", "done")
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := errors.Join(os.Remove(path+suffix), os.WriteFile(path+suffix, []byte("another's"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	h.tell("set after", "damaged")
	h.tell("close", "done")
	after, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the database was written (%v)", err)
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		if text, err := os.ReadFile(path + suffix); string(text) != "another's" {
			t.Errorf("%s: %q, %v", suffix, text, err)
		}
	}
}

// A link to a memory has its log beside the memory, and both names can be used
// at once.
func TestMemoryBehindALink(t *testing.T) {
	t.Parallel()
	skipWhereOpenFilesStay(t)
	path := made(t)
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	first := startHolder(t, link)
	first.tell("set a", "done")
	second := startHolder(t, link)
	second.tell("set b", "done")
	third := startHolder(t, path)
	third.tell("set c", "done")
	first.tell("get c", "1")
	if err := os.Remove(path + "-shm"); err != nil {
		t.Fatal(err)
	}
	for _, h := range []*holder{first, second, third} {
		h.tell("set d", "damaged")
	}
}

// A copy of a memory with all that is beside it, its locks too, is a memory.
func TestCopyOfADirectoryOpens(t *testing.T) {
	t.Parallel()
	path := made(t)
	h := startHolder(t, path)
	h.tell("set before", "done")
	dir := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(dir, os.DirFS(filepath.Dir(path))); err != nil {
		t.Fatal(err)
	}
	wantSettings(t, filepath.Join(dir, filepath.Base(path)), "before")
}

// A memory that another program has copied without a log gets one, and is shared
// as others are.
func TestMemoryWithoutALogGetsOne(t *testing.T) {
	t.Parallel()
	path := made(t)
	c, err := connect(dsn(path, true, false, time.Second))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(c.interruptible(context.Background(), "PRAGMA journal_mode = DELETE"), c.close()); err != nil {
		t.Fatal(err)
	}
	h := startHolder(t, path)
	if left := companionFiles(path); len(left) != 2 {
		t.Errorf("beside it are %v", left)
	}
	db := openAt(t, path, Options{})
	set(t, db, "mine", "1")
	h.tell("get mine", "1")
}
