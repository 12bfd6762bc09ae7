// Package presets creates the initial pages of a space. A preset contains them as
// files; existing files are kept. The package also reports pages for which the
// preset has a newer text than the one that they were created from.
package presets
