// Package presets holds the policies that spaces start from, and the templates of new
// pages, as data files. Adding one is adding a file, and a directory of its name for the
// pages that a space of it begins with.
//
// Imports nothing of ours.
package presets

import (
	"embed"
	"io/fs"
	"path"
	"strings"
)

//go:embed *.toml templates all:context guarded
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

// Files returns the paths of the pages that a preset has from the start, in order: those
// in the directory of its name.
func Files(preset string) []string {
	if preset == "" || strings.ContainsAny(preset, `./\`) || preset == "templates" {
		return nil
	}
	var out []string
	_ = fs.WalkDir(files, preset, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out = append(out, strings.TrimPrefix(p, preset+"/"))
		}
		return nil // a preset without a directory has no pages
	})
	return out
}

// File returns the text of one of Files, and false when there is none.
func File(preset, path string) ([]byte, bool) {
	text, err := files.ReadFile(preset + "/" + path)
	return text, err == nil
}
