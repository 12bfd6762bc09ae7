// Package emacs holds the client for Emacs, cairn.el, as the binary hands it out. What it
// does is written in docs/emacs.md; its tests, cairn-test.el, run with the real binary.
//
// Imports nothing of ours.
package emacs

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
)

// packed is cairn.el, packed by TestClient with -update.
//
//go:embed cairn.el.gz
var packed []byte

// Client returns the text of cairn.el.
func Client() (string, error) {
	in, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(in)
	return string(text), err
}
