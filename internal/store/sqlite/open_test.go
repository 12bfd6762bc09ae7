package sqlite

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// open makes a memory in a directory of its own.
func open(t testing.TB) *DB {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "memory.db"), Options{})
}

func openAt(t testing.TB, path string, o Options) *DB {
	t.Helper()
	db, err := Open(context.Background(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func set(t testing.TB, db *DB, key, value string) {
	t.Helper()
	ctx := context.Background()
	if err := db.Update(ctx, func(tx store.Tx) error { return tx.Settings().Set(ctx, key, value) }); err != nil {
		t.Fatal(err)
	}
}

func get(t testing.TB, db *DB, key string) (value string) {
	t.Helper()
	ctx := context.Background()
	if err := db.View(ctx, func(tx store.Tx) (err error) { value, err = tx.Settings().Get(ctx, key); return err }); err != nil {
		t.Fatal(err)
	}
	return value
}

// made returns the path of a closed memory with one setting.
func made(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "memory.db")
	db, err := Open(context.Background(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	set(t, db, "k", "v")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func wantCode(t testing.TB, err error, code kb.Code) *kb.Error {
	t.Helper()
	var e *kb.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("error %v, want code %s", err, code)
	}
	return e
}

func TestOpenPathsWithOddCharacters(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a b", "a?mode=memory", "a#b", "a%41", "a&b=c", "ü", "a;b", "a'b\"c", `a\b`} {
		if runtime.GOOS == "windows" && strings.ContainsAny(name, `?"\`) {
			continue // not a name there
		}
		path := filepath.Join(t.TempDir(), name, name+".db")
		db, err := Open(context.Background(), path, Options{})
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		set(t, db, "k", name)
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		if files := besideLocks(t, path); !slices.Equal(files, []string{name + ".db"}) {
			t.Errorf("%q: files %q", name, files)
		}
		if got := get(t, openAt(t, path, Options{MustExist: true}), "k"); got != name {
			t.Errorf("%q: got %q", name, got)
		}
	}
}

func TestMissingMemoryIsNotMade(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{MustExist: true}, {ReadOnly: true}} {
		dir := filepath.Join(t.TempDir(), "sub")
		_, err := Open(context.Background(), filepath.Join(dir, "memory.db"), o)
		if e := wantCode(t, err, kb.Damaged); e.Reason != kb.NoDatabase || !strings.Contains(e.Message, "no memory at") {
			t.Errorf("%q, reason %q", e.Message, e.Reason)
		}
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("directory: %v", err)
		}
	}
}

func TestOnlyTheOwnerMayRead(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no such modes")
	}
	path := filepath.Join(t.TempDir(), "new", "dir", "memory.db")
	db := openAt(t, path, Options{})
	set(t, db, "k", "v")
	for file, want := range map[string]os.FileMode{
		path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600, filepath.Dir(path): 0o700 | os.ModeDir, filepath.Dir(filepath.Dir(path)): 0o700 | os.ModeDir,
	} {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("%s: %s, want %s", file, info.Mode(), want)
		}
	}
}

func TestFilesThatAreNoMemoryStayAsTheyAre(t *testing.T) {
	t.Parallel()
	whole, err := os.ReadFile(made(t))
	if err != nil {
		t.Fatal(err)
	}
	foreign := bytes.Clone(whole)
	copy(foreign[68:], "\x00\x00\x12\x34") // application_id
	newer := bytes.Clone(whole)
	copy(newer[60:], "\x00\x00\x27\x0f") // user_version 9999
	flipped := bytes.Clone(whole)
	for i := 100; i < pageSize; i++ { // the first page after the header: the schema
		flipped[i] ^= 0x55
	}
	for name, tc := range map[string]struct {
		content []byte
		says    string
		reason  kb.Reason
	}{
		"text":        {[]byte(strings.Repeat("this is a note, not a database\n", 200)), "not a cairn memory", kb.NotAMemory},
		"short text":  {[]byte("hello"), "not a cairn memory", kb.NotAMemory},
		"truncated":   {whole[:len(whole)/2/pageSize*pageSize], "damaged", kb.MemoryCorrupt},
		"overwritten": {flipped, "damaged", kb.MemoryCorrupt},
		"another":     {foreign, "another program", kb.ForeignDatabase},
		"newer":       {newer, "schema 9999", kb.NewerSchema},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "memory.db")
			if err := os.WriteFile(path, tc.content, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Open(context.Background(), path, Options{})
			e := wantCode(t, err, kb.Damaged)
			if !strings.Contains(e.Message, tc.says) || !strings.Contains(e.Message, path) || e.Reason != tc.reason {
				t.Errorf("message %q, reason %q", e.Message, e.Reason)
			}
			after, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(after, tc.content) {
				t.Error("the file was changed")
			}
		})
	}
	t.Run("directory", func(t *testing.T) {
		_, err := Open(context.Background(), t.TempDir(), Options{})
		wantCode(t, err, kb.Damaged)
	})
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	db := openAt(t, made(t), Options{ReadOnly: true})
	if got := get(t, db, "k"); got != "v" {
		t.Errorf("got %q", got)
	}
	err := db.Update(context.Background(), func(store.Tx) error { return nil })
	wantCode(t, err, kb.Internal)
}

func TestBusyWriterIsAConflict(t *testing.T) {
	t.Parallel()
	path := made(t)
	holder, waiter := openAt(t, path, Options{}), openAt(t, path, Options{BusyTime: time.Millisecond})
	ctx := context.Background()
	if err := holder.Update(ctx, func(store.Tx) error {
		err := waiter.Update(ctx, func(store.Tx) error { return nil })
		if e := wantCode(t, err, kb.Conflict); e.Details["busy"] != true || e.Hint == "" {
			t.Errorf("details %v, hint %q", e.Details, e.Hint)
		}
		// Readers and other handles that open do not wait.
		if got := get(t, openAt(t, path, Options{BusyTime: time.Millisecond}), "k"); got != "v" {
			t.Errorf("got %q", got)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	set(t, waiter, "k", "after")
}

func TestDamagedBytesOfAVersionAreNoticed(t *testing.T) {
	t.Parallel()
	db := open(t)
	ctx := context.Background()
	space := addSpace(t, db, "s")
	body := []byte(strings.Repeat("what the page said ", 100))
	v := &store.NewVersion{Bytes: body, Version: kb.Version{Space: space, Page: "x", Hash: sum(body)}}
	for name, sql := range map[string]string{
		"bytes": "UPDATE blobs SET bytes = CAST(substr(bytes, 1, 20) || x'00' || substr(bytes, 22) AS BLOB)",
		"codec": "UPDATE blobs SET codec = 7",
		"raw":   "UPDATE blobs SET codec = 0",
		"size":  "UPDATE blobs SET size = 1 << 60",
		"other": "UPDATE blobs SET codec = 0, bytes = x''",
	} {
		err := db.Update(ctx, func(w store.Tx) error {
			if err := w.History().Record(ctx, &kb.Write{Time: time.Unix(1, 0)}, []*store.NewVersion{v}); err != nil {
				t.Fatal(err)
			}
			if _, err := w.(*tx).c.exec(ctx, sql); err != nil {
				t.Fatal(err)
			}
			_, err := w.History().Bytes(ctx, v.Hash)
			return err
		})
		t.Log(name)
		wantCode(t, err, kb.Damaged)
	}
}

// errUndo makes an update undo everything.
var errUndo = errors.New("undo this")

func TestBackup(t *testing.T) {
	t.Parallel()
	db := open(t)
	set(t, db, "k", "v")
	file := filepath.Join(t.TempDir(), "copy of it.db")
	ctx := context.Background()
	for _, value := range []string{"first", "second"} { // the second replaces the first
		set(t, db, "k", value)
		if err := db.Update(ctx, func(tx store.Tx) error { // while another writes
			if err := tx.Settings().Set(ctx, "k", "uncommitted"); err != nil {
				return err
			}
			return errors.Join(db.Backup(ctx, file), errUndo)
		}); !errors.Is(err, errUndo) {
			t.Fatal(err)
		}
	}
	files, err := os.ReadDir(filepath.Dir(file))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	if info, err := files[0].Info(); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	copied := openAt(t, file, Options{MustExist: true})
	if got := get(t, copied, "k"); got != "second" {
		t.Errorf("got %q", got)
	}
	// A copy is used as a memory is: who reads it does not block who writes.
	if err := copied.View(ctx, func(tx store.Tx) error {
		if _, err := tx.Settings().Get(ctx, "k"); err != nil {
			return err
		}
		set(t, openAt(t, file, Options{MustExist: true, BusyTime: time.Millisecond}), "k", "third")
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func TestCompactLeavesOneSmallFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	db, err := Open(context.Background(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	filled(t, db)
	ctx := context.Background()
	big := strings.Repeat("much text ", 100_000)
	set(t, db, "big", big)
	before, err := db.Info(ctx)
	if err != nil {
		t.Fatal(err)
	}
	set(t, db, "big", "")
	if left, err := db.Compact(ctx); err != nil || left != 0 {
		t.Fatalf("%d bytes are left, %v", left, err)
	}
	after, err := db.Info(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if after.Bytes > before.Bytes-int64(len(big)) {
		t.Errorf("%d bytes, %d before", after.Bytes, before.Bytes)
	}
	if wal, err := os.Stat(path + "-wal"); err != nil || wal.Size() != 0 {
		t.Errorf("log: %v, %v", wal, err)
	}
	if err := db.Validate(ctx); err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if files := besideLocks(t, path); len(files) != 1 {
		t.Errorf("%q", files)
	}
}

// besideLocks lists what is in a memory's directory, without its locks.
func besideLocks(t *testing.T, path string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != filepath.Base(path)+".locks" {
			names = append(names, e.Name())
		}
	}
	return names
}

// Beside a reader compacting does what it can and says what is left; the reader goes on
// seeing what it saw. Once it has ended, the rest is done.
func TestCompactBesideAReader(t *testing.T) {
	t.Parallel()
	path := made(t)
	ctx := context.Background()
	reading, compacting := openAt(t, path, Options{}), openAt(t, path, Options{BusyTime: time.Millisecond})
	set(t, compacting, "k", "older")
	if err := reading.View(ctx, func(tx store.Tx) error {
		before, err := tx.Settings().Get(ctx, "k") // takes the snapshot
		if err != nil {
			return err
		}
		set(t, compacting, "k", "newer")
		left, err := compacting.Compact(ctx)
		if err != nil || left <= 0 {
			t.Errorf("%d bytes are left, %v", left, err)
		}
		again, err := tx.Settings().Get(ctx, "k")
		if before != "older" || again != before {
			t.Errorf("the reader has %q, then %q", before, again)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if got := get(t, compacting, "k"); got != "newer" {
		t.Errorf("got %q", got)
	}
	if left, err := compacting.Compact(ctx); err != nil || left != 0 {
		t.Errorf("%d bytes are left, %v", left, err)
	}
	if err := compacting.Validate(ctx); err != nil {
		t.Error(err)
	}
}

// A memory that rests works on, whoever uses it meanwhile.
func TestRest(t *testing.T) {
	t.Parallel()
	db := open(t)
	ctx := context.Background()
	set(t, db, "k", "v")
	err := db.Update(ctx, func(tx store.Tx) error {
		db.Rest(ctx) // while there is a writer, and a reader
		return db.View(ctx, func(inner store.Tx) error {
			db.Rest(ctx)
			value, err := inner.Settings().Get(ctx, "k")
			return errors.Join(err, tx.Settings().Set(ctx, "k", value+"w"))
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	db.Rest(ctx)
	if got := get(t, db, "k"); got != "vw" {
		t.Errorf("after a rest: %q", got)
	}
	c, kept, _ := db.readers.Take(ctx)
	if !kept {
		t.Fatal("a rest closed all connections")
	}
	db.release(c)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db.Rest(ctx)
}

// What is written into a file that was deleted or replaced would be lost with the
// process.
func TestWritingIntoAFileThatIsGone(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("files that are open cannot be removed here")
	}
	db := open(t)
	set(t, db, "before", "1")
	write := func() error {
		return db.Update(context.Background(), func(tx store.Tx) error { return tx.Settings().Set(context.Background(), "x", "2") })
	}
	away := db.path + ".away"
	if err := os.Rename(db.path, away); err != nil {
		t.Fatal(err)
	}
	if err := write(); kb.CodeOf(err) != kb.Damaged {
		t.Errorf("deleted: %v", err)
	}
	if err := os.WriteFile(db.path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := write(); kb.CodeOf(err) != kb.Damaged {
		t.Errorf("replaced: %v", err)
	}
	if err := os.Rename(away, db.path); err != nil {
		t.Fatal(err)
	}
	if err := write(); err != nil || get(t, db, "x") != "2" {
		t.Errorf("put back: %v", err)
	}
}
