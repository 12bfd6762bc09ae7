package fsys

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Loose is a file or directory that users other than its owner may access.
type Loose struct {
	Path string
	Mode fs.FileMode // its present permissions
}

func (l Loose) String() string { return fmt.Sprintf("%s: %04o", l.Path, l.Mode) }

// private are the permissions of the owner.
const private = 0o700

// LooseBeside lists the permissions of other users on a file and on all files and
// directories in its directory that are named after it, with their contents: a database has
// a log, locks and copies next to it. It follows no symbolic links. On systems without such
// permissions it lists nothing.
func LooseBeside(file string) ([]Loose, error) {
	if runtime.GOOS == "windows" {
		return nil, nil
	}
	siblings, err := os.ReadDir(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	var out []Loose
	for _, s := range siblings {
		if !strings.HasPrefix(s.Name(), filepath.Base(file)) {
			continue
		}
		err := filepath.WalkDir(filepath.Join(filepath.Dir(file), s.Name()), func(path string, e fs.DirEntry, err error) error {
			if err == nil && (e.Type().IsRegular() || e.IsDir()) {
				var info fs.FileInfo
				if info, err = e.Info(); err == nil && info.Mode().Perm()&^private != 0 {
					out = append(out, Loose{path, info.Mode().Perm()})
				}
			}
			if errors.Is(err, fs.ErrNotExist) {
				return nil // a log that was just merged into the database
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b Loose) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// Tighten removes the permissions of other users that LooseBeside listed. Files that were
// removed in the meantime are skipped.
func Tighten(loose []Loose) error {
	var errs []error
	for _, l := range loose {
		if err := os.Chmod(l.Path, l.Mode&private); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
