// Package presets makes the pages that a space begins with. A preset brings them as
// files; what is in the space already stays as it is. It also tells which of them have a
// newer text in the preset than the one that they were made of.
package presets
