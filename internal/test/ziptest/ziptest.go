// Package ziptest compares archives that the program embeds with the files that people change.
package ziptest

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// Check fails where an archive has other files than those of a directory with an ending, and
// writes it if asked to.
func Check(t *testing.T, archive, dir, ending string, write bool) {
	t.Helper()
	files := os.DirFS(dir)
	if write {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
		each(t, files, ending, func(name string, text []byte) {
			w, err := z.Create(name)
			if err == nil {
				_, err = w.Write(text)
			}
			if err != nil {
				t.Fatal(err)
			}
		})
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(archive, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	z, err := zip.OpenReader(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = z.Close() }()
	n := 0
	each(t, files, ending, func(name string, text []byte) {
		n++
		if got, err := fs.ReadFile(z, name); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s has another %s: write it with -update (%v)", archive, name, err)
		}
	})
	if n != len(z.File) {
		t.Errorf("%s has %d files, and %s has %d: write it with -update", archive, len(z.File), dir, n)
	}
}

func each(t *testing.T, files fs.FS, ending string, do func(name string, text []byte)) {
	t.Helper()
	err := fs.WalkDir(files, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(name, ending) {
			return err
		}
		text, err := fs.ReadFile(files, name)
		do(name, text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
