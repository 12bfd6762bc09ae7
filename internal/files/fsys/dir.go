package fsys

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Dir is a directory tree of the operating system.
type Dir struct {
	root *os.Root
	// escapes is os.Root's own unexported error for a path that leaves the
	// root, so that it can be recognised by identity.
	escapes error
}

// OpenDir opens the existing directory at an operating system path. The
// caller closes it.
func OpenDir(path string) (*Dir, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	d := &Dir{root: root}
	var pe *fs.PathError
	if _, err := root.Lstat(".."); errors.As(err, &pe) {
		d.escapes = pe.Err
	}
	return d, nil
}

// MakeDir makes the directory at an operating system path, and its missing
// parents, for the user alone (0700). One that exists is left as it is.
func MakeDir(path string) error { return os.MkdirAll(path, 0o700) }

// Path returns the operating system path that the Dir was opened with.
func (d *Dir) Path() string { return d.root.Name() }

// Close releases the directory. Files that are open stay usable.
func (d *Dir) Close() error { return d.root.Close() }

// Open implements FS.
func (d *Dir) Open(name string) (File, error) {
	local, err := localize("open", name)
	if err != nil {
		return nil, err
	}
	f, err := d.root.OpenFile(local, os.O_RDONLY|openNonblock, 0)
	if errors.Is(err, syscall.ENXIO) { // a socket
		err = ErrNotRegular
	}
	if err != nil {
		return nil, d.err("open", name, err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = ErrNotRegular
	}
	if err != nil {
		return nil, d.err("open", name, errors.Join(err, f.Close()))
	}
	return f, nil
}

// Create implements FS.
func (d *Dir) Create(name string, perm fs.FileMode) (File, error) {
	local, err := localize("create", name)
	if err != nil {
		return nil, err
	}
	f, err := d.root.OpenFile(local, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return nil, d.err("create", name, err)
	}
	return f, nil
}

// Lstat implements FS.
func (d *Dir) Lstat(name string) (fs.FileInfo, error) {
	local, err := localize("lstat", name)
	if err != nil {
		return nil, err
	}
	info, err := d.root.Lstat(local)
	return info, d.err("lstat", name, err)
}

// Readlink implements FS.
func (d *Dir) Readlink(name string) (string, error) {
	local, err := localize("readlink", name)
	if err != nil {
		return "", err
	}
	target, err := d.root.Readlink(local)
	return filepath.ToSlash(target), d.err("readlink", name, err)
}

// ReadDir implements FS. On a directory opened in a root the os package stats
// each entry relative to the open handle, so the cost is one fstatat per entry
// however deep the directory is.
func (d *Dir) ReadDir(name string) ([]fs.DirEntry, error) {
	local, err := localize("readdir", name)
	if err != nil {
		return nil, err
	}
	f, err := d.root.OpenFile(local, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, d.err("readdir", name, err)
	}
	entries, err := f.ReadDir(-1)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, d.err("readdir", name, err)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// Rename implements FS.
func (d *Dir) Rename(old, new string) error {
	return d.two("rename", old, new, d.root.Rename)
}

// Exchange implements FS.
func (d *Dir) Exchange(a, b string) error {
	if path.Dir(a) != path.Dir(b) {
		return &os.LinkError{Op: "exchange", Old: a, New: b, Err: fs.ErrInvalid}
	}
	return d.two("exchange", a, b, func(a, b string) (err error) {
		// The system call does not know the root, so it gets the open directory, and names
		// without a path.
		f, err := d.root.OpenFile(filepath.Dir(a), os.O_RDONLY|openNonblock, 0)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		return exchange(int(f.Fd()), filepath.Base(a), filepath.Base(b))
	})
}

// Link implements FS.
func (d *Dir) Link(old, new string) error {
	return d.two("link", old, new, d.root.Link)
}

// Remove implements FS.
func (d *Dir) Remove(name string) error {
	local, err := localize("remove", name)
	if err != nil {
		return err
	}
	return d.err("remove", name, d.root.Remove(local))
}

// Mkdir implements FS.
func (d *Dir) Mkdir(name string, perm fs.FileMode) error {
	local, err := localize("mkdir", name)
	if err != nil {
		return err
	}
	return d.err("mkdir", name, d.root.Mkdir(local, perm))
}

// SyncDir implements FS.
func (d *Dir) SyncDir(name string) error {
	local, err := localize("syncdir", name)
	if err != nil {
		return err
	}
	f, err := d.root.OpenFile(local, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return d.err("syncdir", name, err)
	}
	return d.err("syncdir", name, errors.Join(syncDirHandle(f), f.Close()))
}

func (d *Dir) two(op, old, new string, do func(old, new string) error) error {
	o, err := localize(op, old)
	if err != nil {
		return err
	}
	n, err := localize(op, new)
	if err != nil {
		return err
	}
	if err := do(o, n); err != nil {
		return &os.LinkError{Op: op, Old: old, New: new, Err: d.cause(err)}
	}
	return nil
}

// err names the operation and the path inside the root, instead of the
// system call and the path outside.
func (d *Dir) err(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: d.cause(err)}
}

func (d *Dir) cause(err error) error {
	if d.escapes != nil && errors.Is(err, d.escapes) {
		return ErrEscapes
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	var le *os.LinkError
	if errors.As(err, &le) {
		return le.Err
	}
	return err
}

// localize converts a name to the system's form, and refuses invalid names: NUL
// everywhere; drive letters, streams and device names on Windows.
func localize(op, name string) (string, error) {
	local, err := filepath.Localize(name)
	if err != nil {
		return "", &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	return local, nil
}
