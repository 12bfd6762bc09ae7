package importer

import (
	"archive/zip"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Of each file of an archive, of which it may have 100,000, little more than the name is kept.
func TestFilesOfAnArchiveAreSmall(t *testing.T) {
	// Serial: it measures the heap.
	const files, most = 20_000, 200
	at := filepath.Join(t.TempDir(), "export.zip")
	out, err := os.Create(at)
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(out)
	for i := range files {
		f, err := w.Create(fmt.Sprintf("Project/A page of the export %032x.md", i))
		if err == nil {
			_, err = f.Write([]byte("# A page\n"))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	w = nil
	used := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := used()
	tree, err := openTree(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	if each := (used() - before) / files; len(tree.files) != files || each > most {
		t.Errorf("%d bytes for each of %d files, more than %d", each, len(tree.files), most)
	}
	if err := tree.close(); err != nil {
		t.Error(err)
	}
}
