package skills

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"flag"
	"io"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write assets.zip")

// The archive in the binary has the skills of assets.
func TestPacked(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir("assets")
	if err != nil || len(entries) == 0 {
		t.Fatal(err)
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	for _, e := range entries {
		want, err := os.ReadFile("assets/" + e.Name() + "/" + File)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := builtIn(e.Name()); !*update && (err != nil || !bytes.Equal(got, want)) {
			t.Errorf("%s: run go test ./internal/surface/skills -run TestPacked -update: %v", e.Name(), err)
		}
		w, err := z.Create(e.Name() + "/" + File)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(want); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); *update {
		if err := errors.Join(err, os.WriteFile("assets.zip", out.Bytes(), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}
