//go:build unix

package importer

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/cairn-kb/cairn/internal/files/fsys"
)

// An export that is a FIFO is refused: nobody may ever write to it.
func TestExportsThatAreNoFiles(t *testing.T) {
	t.Parallel()
	fifo := filepath.Join(t.TempDir(), "export")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := onDisk(fifo).open(); !errors.Is(err, fsys.ErrNotRegular) {
		t.Errorf("opened: %v", err)
	}
	if _, _, err := unzipped(fifo); !errors.Is(err, fsys.ErrNotRegular) {
		t.Errorf("as an archive: %v", err)
	}
	if _, err := Detect(t.Context(), fifo); err == nil {
		t.Error("detected")
	}
}
