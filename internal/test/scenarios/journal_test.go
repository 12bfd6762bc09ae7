package scenarios_test

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/sqlite"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/backup"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// plantRecord puts a record into the journal of a closed memory.
func plantRecord(t *testing.T, path, record string) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{MustExist: true})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(t.Context(), func(tx store.Tx) error {
		_, err := tx.Journal().Append(t.Context(), []byte(record))
		return err
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

// A record that cannot be read locks nobody out of what is in the memory. It
// may be half of a write, so nothing is written on top of it.
func TestUnreadableJournalRecord(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, record := range map[string]string{
		"newer": `{"version":99}`, "damaged": `{"vers`, "no change": `{"version":1,"ops":[{"space":1}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			b, _, _ := backedUp(t)
			a := b.Open()
			before := dump(t, a)
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
			plantRecord(t, b.Database(), record)
			a = b.Open()
			if diff := cmp.Diff(before, dump(t, a)); diff != "" {
				t.Error(diff)
			}
			_, err := change.Put(ctx, a, change.PutRequest{Ref: "garden:later", Text: []byte("# Later\n")})
			if kb.CodeOf(err) != kb.Damaged || apptest.Words(kb.AsError(err)) == "" {
				t.Errorf("a write was not refused: %v", err)
			}
			found := false
			for _, c := range apptest.OK(doctor.Doctor(ctx, a, false))(t) {
				found = found || c.Name == "journal" && c.State == "error" && c.Remedy != ""
			}
			if !found {
				t.Error("doctor does not report it")
			}
			file := apptest.OK(backup.Backup(ctx, a, "way-out.db"))(t).To
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
			apptest.OK(backup.Restore(ctx, b.Opts, backup.RestoreRequest{File: file}))(t)
			apptest.OK(change.Put(ctx, b.Open(), change.PutRequest{Ref: "garden:later", Text: []byte("# Later\n")}))(t)
		})
	}
}

// fullDatabase is a database on a disk that is full.
type fullDatabase struct{ store.Engine }

func (fullDatabase) Update(context.Context, func(store.Tx) error) error {
	return fsys.Explain(syscall.ENOSPC, "write the memory")
}

// A write that cannot be finished, since the disk is full, keeps nobody from
// reading; it is finished when there is room.
func TestUnfinishedWriteOnAFullDisk(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	b := apptest.New(t)
	root := b.Dir("notes", map[string]string{"a.md": "A\n"})
	a := b.Open()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	apptest.DieAt(a, write.StepIndex, errors.New("killed"))
	if _, err := change.Put(ctx, a, change.PutRequest{Ref: "b", Text: []byte("B\n")}); err == nil {
		t.Fatal("the write did not die")
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}

	b.Opts.WrapFiles, b.Opts.WrapDatabase = nil, func(db store.Engine) store.Engine { return fullDatabase{db} }
	full := b.Open()
	if notes := strings.Join(full.Recovered(), "\n"); !strings.Contains(notes, "waits to be finished") || !strings.Contains(notes, "the disk is full") {
		t.Errorf("notes %q", notes)
	}
	if got := apptest.OK(read.Get(ctx, full, read.GetRequest{Ref: "a"}))(t); got.Text != "A\n" {
		t.Errorf("a is %q", got.Text)
	}
	if _, err := change.Put(ctx, full, change.PutRequest{Ref: "c", Text: []byte("C\n")}); !fsys.Unwritable(err) {
		t.Errorf("a write: %v", err)
	}
	if err := full.Close(); err != nil {
		t.Fatal(err)
	}

	b.Opts.WrapFiles, b.Opts.WrapDatabase = nil, nil
	later := b.Open()
	if notes := strings.Join(later.Recovered(), "\n"); !strings.Contains(notes, "finished an interrupted") {
		t.Errorf("notes %q", notes)
	}
	if got := apptest.OK(read.Get(ctx, later, read.GetRequest{Ref: "b"}))(t); got.Text != "B\n" {
		t.Errorf("b is %q", got.Text)
	}
}
