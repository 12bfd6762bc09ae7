package sqlite

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// extracted extracts into a directory of its own, and checks that nothing but
// the part is left there.
func extracted(t *testing.T, file string) (*DB, error) {
	t.Helper()
	dir := t.TempDir()
	part := filepath.Join(dir, "part")
	if _, err := extract(t.Context(), file, part, Options{Clock: fixedClock}); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v %v", entries, err)
	}
	return openAt(t, part, Options{MustExist: true}), nil
}

func TestExtractBringsEverySchemaUpToDate(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	all, step := embeddedMigrations(t), slowtest.Step(4)
	for _, m := range all {
		if (len(all)-m.Number)%step != 0 {
			continue
		}
		file := filepath.Join(t.TempDir(), "backup.db")
		old := readFixture(t, m.Number)
		if err := os.WriteFile(file, old, 0o400); err != nil {
			t.Fatal(err)
		}
		got, err := extracted(t, file)
		if err != nil {
			t.Fatal(err)
		}
		fresh := open(t)
		fill(t, fresh, m.Number)
		if err := fresh.Update(t.Context(), func(tx store.Tx) error { return tx.Journal().Clear(t.Context(), 1) }); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(contents(t, fresh), contents(t, got)); diff != "" {
			t.Errorf("schema %d (-want +got):\n%s", m.Number, diff)
		}
		if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, old) {
			t.Errorf("the backup changed: %v", err)
		}
		if entries, err := os.ReadDir(filepath.Dir(file)); err != nil || len(entries) != 1 {
			t.Errorf("beside the backup: %v %v", entries, err)
		}
	}
}

// A copy made with cp while the memory was open has a log beside it.
func TestExtractReadsTheLogOfACopy(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	db := openAt(t, path, Options{})
	set(t, db, "k", "only in the log")
	got, err := extracted(t, path)
	if err != nil {
		t.Fatal(err)
	}
	if v := get(t, got, "k"); v != "only in the log" {
		t.Errorf("got %q", v)
	}
}

func TestExtractRefuses(t *testing.T) {
	t.Parallel()
	newer := made(t)
	if _, err := openWith(t, newer, withNext(embeddedMigrations(t), "CREATE TABLE later (x TEXT) STRICT")); err != nil {
		t.Fatal(err)
	}
	damaged := filepath.Join(t.TempDir(), "damaged.db")
	whole := readFixture(t, len(embeddedMigrations(t)))
	if err := os.WriteFile(damaged, whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(t.TempDir(), "empty.db")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]string{"newer": newer, "truncated": damaged, "empty": empty, "foreign": foreign(t), "no database": "restore_test.go"} {
		_, err := extracted(t, file)
		if kb.CodeOf(err) != kb.Damaged {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// foreign makes a database of another program.
func foreign(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "other.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := connect(dsn(path, true, false, store.BusyTime))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(c.interruptible(t.Context(), "CREATE TABLE theirs (x)"), c.close()); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFoldMakesOneFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	set(t, openAt(t, path, Options{}), "k", "v")
	copied := filepath.Join(t.TempDir(), "memory.db")
	for _, suffix := range []string{"", "-wal"} { // as a killed process leaves it
		b, err := os.ReadFile(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(copied+suffix, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if whole, err := foldLog(t.Context(), copied, Options{}); err != nil || !whole {
		t.Fatal(whole, err)
	}
	if _, err := os.Stat(copied + "-wal"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the log is still there: %v", err)
	}
	if got := get(t, openAt(t, copied, Options{}), "k"); got != "v" {
		t.Errorf("got %q", got)
	}
}

func TestFoldLeavesWhatItCannotFold(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	set(t, openAt(t, path, Options{}), "k", "v")
	_, err := foldLog(t.Context(), path, Options{BusyTime: 1})
	if kb.CodeOf(err) != kb.Conflict {
		t.Errorf("open elsewhere: %v", err)
	}
	_, err = foldLog(t.Context(), foreign(t), Options{})
	if kb.CodeOf(err) != kb.Damaged {
		t.Errorf("another program's: %v", err)
	}
	damaged := filepath.Join(t.TempDir(), "damaged.db")
	if err := os.WriteFile(damaged, []byte("no database, though it is longer than a header of one would be at the least, which is a hundred bytes"), 0o600); err != nil {
		t.Fatal(err)
	}
	if whole, err := foldLog(t.Context(), damaged, Options{}); whole || err != nil {
		t.Error(whole, err)
	}
}
