// Package presets holds the policies that spaces start from, as data files.
// Adding a preset is adding a file.
//
// Imports nothing of ours.
package presets

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed *.toml
var files embed.FS

// Names returns the presets in order of name.
func Names() []string {
	names, err := fs.Glob(files, "*.toml")
	if err != nil { // the pattern is constant
		panic(err)
	}
	for i, n := range names {
		names[i] = strings.TrimSuffix(n, ".toml")
	}
	return names
}

// Text returns a preset's policy as TOML, and false when there is none of
// that name.
func Text(name string) ([]byte, bool) {
	text, err := files.ReadFile(name + ".toml")
	return text, err == nil
}
