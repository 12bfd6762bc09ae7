// Package emacs holds the client for Emacs, cairn.el, as the binary hands it out. What it
// does is written in docs/emacs.md; its tests, cairn-test.el, run with the real binary.
//
// Imports nothing of ours.
package emacs

import (
	"archive/zip"
	_ "embed"
	"io/fs"
	"strings"
)

//go:embed client.zip
var archive string // cairn.el: TestArchive writes it

// Client returns the text of cairn.el.
func Client() string {
	z, err := zip.NewReader(strings.NewReader(archive), int64(len(archive)))
	if err != nil {
		panic(err) // it is a part of the program
	}
	text, err := fs.ReadFile(z, "cairn.el")
	if err != nil {
		panic(err)
	}
	return string(text)
}
