package emacs

import (
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "pack cairn.el")

// The binary hands out cairn.el as it is here.
func TestClient(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("cairn.el")
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		var out bytes.Buffer
		z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		_, err = z.Write(want)
		if err := errors.Join(err, z.Close(), os.WriteFile("cairn.el.gz", out.Bytes(), 0o644)); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, err := Client(); err != nil || got != string(want) {
		t.Error("run go test ./emacs -update", err)
	}
}
