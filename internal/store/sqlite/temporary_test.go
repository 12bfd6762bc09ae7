package sqlite

import (
	"os"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTemporary(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	var dbs [2]*DB
	for i := range dbs {
		db, err := OpenTemporary(ctx, Options{Clock: fixedClock})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(db.Path()); err == nil {
			t.Errorf("%s is a file", db.Path())
		}
		// Not even root, as whom tests may run, may take it for a place on the disk.
		if runtime.GOOS != "windows" {
			if err := os.MkdirAll(db.Path()+".locks", 0o700); err == nil {
				t.Errorf("a directory can be made beside %s", db.Path())
			}
		}
		dbs[i] = db
	}
	const schema = 3
	file := open(t)
	fill(t, file, schema)
	fill(t, dbs[0], schema)
	if diff := cmp.Diff(contents(t, file), contents(t, dbs[0])); diff != "" {
		t.Errorf("it keeps other things than a file: %s", diff)
	}
	if err := dbs[0].Validate(ctx); err != nil {
		t.Error(err)
	}
	fill(t, dbs[1], schema) // a second one does not see the first
	for _, db := range dbs {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}
