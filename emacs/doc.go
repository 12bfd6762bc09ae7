// Package emacs holds the client for Emacs, cairn.el, as the binary hands it out. What it
// does is written in docs/emacs.md; its tests, cairn-test.el, run with the real binary.
//
// Imports nothing of ours.
package emacs

import _ "embed"

// Client is the text of cairn.el.
//
//go:embed cairn.el
var Client []byte
