package setup

import (
	"path/filepath"
	"strings"
)

// Place is what the paths of configurations depend on.
type Place struct {
	OS   string // as runtime.GOOS
	Home string // absolute; "" when there is none
	Dir  string // directory of the project, absolute
	Own  string // cairn's own directory of configuration, absolute
	// Binary is where cairn is, absolute; "" when that is not known.
	Binary string
	// Look returns where the PATH finds a program, "" when it does not. Without
	// it nothing is found.
	Look func(program string) string
	Env  func(string) string
}

// path returns where a path of the table is: below the home (~), the
// directory of configurations ({config}), that of applications' data ({apps}),
// Zed's ({zed}), or below the project.
func (p Place) path(name string) string {
	root, rest, _ := strings.Cut(name, "/")
	rest = filepath.FromSlash(rest)
	switch root {
	case "~":
		return filepath.Join(p.Home, rest)
	case "{config}":
		return filepath.Join(p.config(), rest)
	case "{apps}":
		return filepath.Join(p.apps(), rest)
	case "{zed}":
		if p.OS == "windows" {
			return filepath.Join(p.apps(), "Zed", rest)
		}
		return filepath.Join(p.config(), "zed", rest)
	}
	return filepath.Join(p.Dir, filepath.FromSlash(name))
}

// config is the directory that command-line clients take on every system.
func (p Place) config() string {
	if dir := p.Env("XDG_CONFIG_HOME"); filepath.IsAbs(dir) && p.OS != "darwin" {
		return dir
	}
	return filepath.Join(p.Home, ".config")
}

// apps is where desktop apps keep their settings.
func (p Place) apps() string {
	switch p.OS {
	case "darwin":
		return filepath.Join(p.Home, "Library", "Application Support")
	case "windows":
		if dir := p.Env("APPDATA"); dir != "" {
			return dir
		}
		return filepath.Join(p.Home, "AppData", "Roaming")
	}
	return p.config()
}
