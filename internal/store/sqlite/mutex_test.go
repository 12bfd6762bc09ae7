package sqlite

import (
	"path/filepath"
	"testing"
)

// A new version of the driver may have its connection elsewhere: then nothing fails, and each value
// costs a mutex again.
func TestConnectionsHaveNoMutex(t *testing.T) {
	t.Parallel()
	c, err := connect("file://" + filepath.ToSlash(filepath.Join(t.TempDir(), "new.db")))
	if err != nil {
		t.Fatal(err)
	}
	if c.mutex.db == 0 || *c.mutex.place() != 0 || c.mutex.was == 0 {
		t.Fatalf("the mutex of the connection is %+v", c.mutex)
	}
	if err := c.pragma(t.Context(), "CREATE TABLE t (a)"); err != nil {
		t.Error(err)
	}
	kept := c.mutex
	c.mutex.giveBack()
	if *kept.place() != kept.was || c.mutex.db != 0 {
		t.Error("the mutex was not returned, and would not be freed")
	}
	if err := c.close(); err != nil {
		t.Error(err)
	}
}
