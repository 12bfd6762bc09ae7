package sqlite

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/store"
)

// A write with a little cache has one, each time, and the next write the usual one.
func TestLittleCache(t *testing.T) {
	t.Parallel()
	d := openAt(t, t.TempDir()+"/m.db", Options{})
	kibibytes := func() (n int64) {
		t.Helper()
		if err := d.writer.query(t.Context(), "PRAGMA cache_size", nil, func(r row) error { n = -r.Int(0); return nil }); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for range 2 {
		if err := d.Update(store.WithLittleCache(t.Context()), func(store.Tx) error {
			if n := kibibytes(); n != littleCache {
				t.Errorf("%d KiB in the write", n)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if n := kibibytes(); n != writerCache {
			t.Errorf("%d KiB after it", n)
		}
	}
}

// The pages that a connection keeps are freed each time it is asked to.
func TestShrinksAgain(t *testing.T) {
	t.Parallel()
	d := openAt(t, t.TempDir()+"/m.db", Options{})
	for range 3 {
		d.writer.shrink(t.Context())
	}
	if d.writer.stmts["PRAGMA shrink_memory"] != nil {
		t.Error("the statement is kept: it acts only when it is compiled")
	}
}

// A connection keeps none of the bytes that it wrote and read last: they may be those of a
// large document.
func TestConnectionsKeepNoBytes(t *testing.T) {
	t.Parallel()
	d := openAt(t, t.TempDir()+"/m.db", Options{})
	large := make([]byte, largeValue)
	err := d.Update(t.Context(), func(tx store.Tx) error {
		if _, err := tx.Journal().Append(t.Context(), large); err != nil {
			return err
		}
		if !d.writer.filled {
			t.Error("the cache is not known to have pages of a large value")
		}
		entries, err := tx.Journal().Pending(t.Context())
		if err == nil && (len(entries) != 1 || len(entries[0].Record) != len(large)) {
			t.Errorf("%d entries", len(entries))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if d.writer.filled {
		t.Error("the cache keeps pages of a large value")
	}
	for _, n := range d.writer.named {
		if b, ok := n.Value.([]byte); ok {
			t.Errorf("an argument of %d bytes is kept", len(b))
		}
	}
	for sql, s := range d.writer.stmts {
		for _, v := range s.cols {
			if v != nil {
				t.Errorf("%s keeps a row", sql)
				break
			}
		}
	}
}
