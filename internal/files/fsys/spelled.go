package fsys

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Real returns the canonical path of a directory or file: without symbolic links, and
// spelled as its directories list it where the file system ignores case.
func Real(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	return spelled(real), nil
}

// spelled returns a path as its directories list it. Elements whose directory cannot be
// listed stay unchanged.
func spelled(path string) string {
	dir, name := filepath.Dir(path), filepath.Base(path)
	if dir == path || dir == "." {
		return path
	}
	dir = spelled(dir)
	path = filepath.Join(dir, name)
	other := otherCase(name)
	if other == name || !Exists(filepath.Join(dir, other)) {
		return path // not found, or the file system is case-sensitive
	}
	d, err := os.Open(dir)
	if err != nil {
		return path
	}
	names, err := d.Readdirnames(-1)
	if d.Close() != nil || err != nil || slices.Contains(names, name) {
		return path
	}
	if i := slices.IndexFunc(names, func(n string) bool { return kb.FoldPath(n) == kb.FoldPath(name) }); i >= 0 {
		return filepath.Join(dir, names[i])
	}
	return path
}

// otherCase exchanges upper and lower case.
func otherCase(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, name)
}
