// Package presets holds the policies that spaces start from, and the templates of new
// pages, as data files. Adding one is adding a file.
//
// Imports nothing of ours.
package presets

import (
	"embed"
	"io/fs"
	"path"
	"strings"
)

//go:embed *.toml templates
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

// Templates returns the names of the templates of new pages, in order.
func Templates() []string {
	names, err := fs.Glob(files, "templates/*.md")
	if err != nil { // the pattern is constant
		panic(err)
	}
	for i, n := range names {
		names[i] = strings.TrimSuffix(path.Base(n), ".md")
	}
	return names
}

// Template returns the text of a template with this extension, and false when there is
// none of that name.
func Template(name, ext string) ([]byte, bool) {
	text, err := files.ReadFile("templates/" + name + ext)
	return text, err == nil
}
