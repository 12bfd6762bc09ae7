// Package presets makes the initial pages of a space. A preset brings them as
// files; existing files stay. It also reports pages with a newer text in the
// preset than the one that they were made of.
package presets
