package emacs

import (
	"flag"
	"os"
	"testing"

	"github.com/cairn-kb/cairn/internal/test/ziptest"
)

var update = flag.Bool("update", false, "write client.zip")

// The archive has cairn.el as it is in this directory.
func TestArchive(t *testing.T) {
	t.Parallel()
	ziptest.Check(t, "client.zip", ".", "cairn.el", *update)
	// The program has the archive of its build.
	want, err := os.ReadFile("cairn.el")
	if err != nil {
		t.Fatal(err)
	}
	if !*update && Client() != string(want) {
		t.Error("the program prints another cairn.el")
	}
}
