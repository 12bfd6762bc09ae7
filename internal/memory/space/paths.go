package space

import (
	"cmp"
	"path/filepath"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// Place holds the inputs from the process: environment and directories.
type Place struct {
	Env  func(string) string // environment; never nil
	Dir  string              // working directory, absolute; "" if unknown
	Home string              // home directory, absolute; "" if unknown
	DB   string              // requested database, "" to decide
	Host string              // name of this machine, "" if unknown
}

// ThisHost returns the name of this machine, to distinguish machines that share a
// memory: CAIRN_HOST, else the system's host name.
func (o Place) ThisHost() string { return cmp.Or(o.Env("CAIRN_HOST"), o.Host) }

// DatabasePath returns the location of the memory, an absolute path or a URL:
// the requested one, else CAIRN_DB, else the configured one, else memory.db in
// the user's data directory. kb.Usage for a URL with a password in it.
func DatabasePath(o Place) (string, error) {
	if o.DB != "" {
		return o.database(o.DB)
	}
	if p := o.Env("CAIRN_DB"); p != "" {
		return o.database(p)
	}
	cfg, err := Load(o)
	if err != nil {
		return "", err
	}
	if p, source, err := cfg.Get("db"); err == nil && source == "file" && p != "" {
		return o.database(p)
	}
	if o.Home == "" && !filepath.IsAbs(o.Env("XDG_DATA_HOME")) {
		return "", kb.Errorf(kb.Usage, "no home directory to keep the memory in").
			WithReason(kb.NoDatabasePath)
	}
	return filepath.Join(o.dataHome(), "cairn", "memory.db"), nil
}

// database is Absolute for a path or URL.
func (o Place) database(location string) (string, error) {
	if err := store.CheckURL(location); err != nil {
		return "", err
	}
	if store.IsURL(location) {
		return location, nil
	}
	return o.Absolute(location), nil
}

// Path returns the path of the configuration file, whether or not it exists,
// and "" without a home directory.
func Path(o Place) string {
	if p := o.Env("CAIRN_CONFIG"); p != "" {
		return o.Absolute(p)
	}
	base := o.Env("XDG_CONFIG_HOME")
	if !filepath.IsAbs(base) { // the standard requires ignoring relative ones
		if o.Home == "" {
			return ""
		}
		base = filepath.Join(o.Home, ".config")
	}
	return filepath.Join(base, "cairn", "config.toml")
}

// ModelsDir returns the directory for packed models, shared by all memories of the
// user.
func (o Place) ModelsDir() (string, error) {
	if o.Home == "" && !filepath.IsAbs(o.Env("XDG_DATA_HOME")) {
		return "", kb.Errorf(kb.Usage, "no home directory to keep the model in").WithReason(kb.NoDatabasePath)
	}
	return filepath.Join(o.dataHome(), "cairn", "models"), nil
}

// SessionsDir returns the directory for the pages of past sessions of the memory at
// a path or URL: next to its database, or to its token; see TokenPath.
func (o Place) SessionsDir(memory string) (string, error) {
	if !store.IsURL(memory) {
		return memory + ".sessions", nil
	}
	if o.Home == "" && !filepath.IsAbs(o.Env("XDG_DATA_HOME")) {
		return "", kb.Errorf(kb.Usage, "no home directory to keep the sessions in").WithReason(kb.NoDatabasePath)
	}
	name, err := o.nameOf(memory)
	return filepath.Join(o.dataHome(), "cairn", name+".sessions"), err
}

func (o Place) dataHome() string {
	if d := o.Env("XDG_DATA_HOME"); filepath.IsAbs(d) {
		return d
	}
	return filepath.Join(o.Home, ".local", "share")
}

// Located is Absolute for stored paths: a path below a removed working directory
// would be a different place in each directory.
func (o Place) Located(p string) (string, error) {
	abs := o.Absolute(p)
	if !filepath.IsAbs(abs) {
		return "", kb.Errorf(kb.Usage, "cannot locate %s: the working directory was removed", p).
			WithHint("Give the whole path, or go to another directory.")
	}
	return abs, nil
}

// Absolute resolves a path typed by a user.
func (o Place) Absolute(p string) string {
	if rest, ok := cutHome(p); ok && o.Home != "" {
		return filepath.Join(o.Home, rest)
	}
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(o.Dir, p)
}

func cutHome(p string) (string, bool) {
	if p == "~" {
		return "", true
	}
	if len(p) > 1 && p[0] == '~' && (p[1] == '/' || p[1] == filepath.Separator) {
		return p[2:], true
	}
	return "", false
}
