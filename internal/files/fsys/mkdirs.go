package fsys

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"
)

// mkdirs makes dir and its missing parents, flushes each into its parent, and
// returns those that it made, outermost first, even on failure.
func mkdirs(fsys FS, dir string) (made []string, err error) {
	if !fs.ValidPath(dir) {
		return nil, &fs.PathError{Op: "mkdir", Path: dir, Err: fs.ErrInvalid}
	}
	for _, d := range parents(dir) {
		err := checkDir(fsys, d)
		if !errors.Is(err, fs.ErrNotExist) {
			if err != nil {
				return made, err
			}
			continue
		}
		err = fsys.Mkdir(d, newDirPerm)
		if errors.Is(err, fs.ErrExist) {
			// Another process made it in between.
			err = checkDir(fsys, d)
		} else if err == nil {
			made = append(made, d)
		}
		if err != nil {
			return made, err
		}
		if err := fsys.SyncDir(path.Dir(d)); err != nil {
			return made, err
		}
	}
	return made, nil
}

// checkParents refuses a directory that is reached through a symbolic link: one document
// would have two names, and a write to one of them would look like an external change to the
// other.
func checkParents(fsys FS, dir string) error {
	for _, d := range parents(dir) {
		if err := checkDir(fsys, d); err != nil {
			return err
		}
	}
	return nil
}

func checkDir(fsys FS, dir string) error {
	info, err := fsys.Lstat(dir)
	switch {
	case err != nil:
		return err
	case info.Mode().Type() == fs.ModeSymlink:
		return &fs.PathError{Op: "check", Path: dir, Err: ErrSymlink}
	case !info.IsDir():
		return &fs.PathError{Op: "check", Path: dir, Err: syscall.ENOTDIR}
	}
	return nil
}

// parents returns every directory on the way to dir and dir itself, outermost
// first, without the root.
func parents(dir string) []string {
	if dir == "." {
		return nil
	}
	var all []string
	for i := range len(dir) {
		if dir[i] == '/' {
			all = append(all, dir[:i])
		}
	}
	return append(all, strings.TrimSuffix(dir, "/"))
}

// removeEmpty removes the directories that a failed write made. Directories that are no
// longer empty stay.
func removeEmpty(fsys FS, made []string) error {
	var errs []error
	for _, d := range slices.Backward(made) {
		err := fsys.Remove(d)
		if err == nil || errors.Is(err, fs.ErrNotExist) || isNotEmpty(err) {
			continue
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// RemoveEmptied removes a directory and the directories below it where they have no files.
// Hidden directories and links count as files. On an error the directory stays, and the
// error is ignored.
func RemoveEmptied(fsys FS, dir string) {
	if checkParents(fsys, dir) != nil {
		return
	}
	entries, err := fsys.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			RemoveEmptied(fsys, path.Join(dir, e.Name()))
		}
	}
	_ = fsys.Remove(dir) // fails if the directory is not empty
}
