package fsys

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
)

// WriteOptions are the optional settings of a write.
type WriteOptions struct {
	// Perm is the mode of a new file before the umask; 0 means 0644. A file
	// that is replaced keeps its mode.
	Perm fs.FileMode
	// Random names the temporary file; nil means crypto/rand.
	Random io.Reader
	// DirLater leaves it to the caller to flush the directory before the write counts as
	// done: a caller that writes many files into a directory flushes it once.
	DirLater bool
	// FlushLater leaves it to the caller to flush the temporary file, with a Flush of its
	// directory, before it is placed.
	FlushLater bool
}

// newDirPerm is the mode, before the umask, of parent directories made on
// the way to a new file.
const newDirPerm = 0o755

// tempTries is the number of taken names after which writeTemp gives up. With eight random
// bytes, even one taken name is a sign of a broken random source.
const tempTries = 4

// WriteAtomic replaces the content of name with data: it writes a temporary
// file in the same directory, flushes it, renames it over name and flushes the
// directory. Missing parent directories are created. When it fails, name is
// unchanged and the temporary file and the new directories are removed, with
// one exception: an error that wraps ErrNotDurable means that the change took
// place.
//
// A failed precondition wraps ErrChanged. Names that go through a symbolic
// link, are not regular files, or are marked read-only are refused. Hard links
// to the old file keep the old bytes.
func WriteAtomic(ctx context.Context, fsys FS, name string, data []byte, pre Precondition, opts WriteOptions) (err error) {
	if pre.kind == preUnset {
		return &fs.PathError{Op: "write", Path: name, Err: fs.ErrInvalid}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	dir := path.Dir(name)
	made, err := mkdirs(fsys, dir)
	committed := false
	defer func() {
		if err != nil && !committed {
			err = errors.Join(err, removeEmpty(fsys, made))
		}
	}()
	if err != nil {
		return err
	}
	s, err := stage(ctx, fsys, name, data, pre, opts)
	if err != nil {
		return err
	}
	committed, err = s.place(ctx)
	return err
}

// Staged is the new content of a file, on disk but not yet in place. If it is never placed,
// the file is left over, as after a crash: see RemoveTemps.
type Staged struct {
	fsys       FS
	name, temp string
	data       []byte
	pre        Precondition
	opts       WriteOptions
	seen       fs.FileInfo // of the file when the precondition was checked, nil without one
}

// Stage does the slow part of WriteAtomic without visible changes: it writes
// the new bytes to a flushed temporary file in the directory of name, which
// must exist. Several files may be staged at the same time.
func Stage(ctx context.Context, fsys FS, name string, data []byte, pre Precondition, opts WriteOptions) (*Staged, error) {
	if pre.kind == preUnset {
		return nil, &fs.PathError{Op: "write", Path: name, Err: fs.ErrInvalid}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := checkParents(fsys, path.Dir(name)); err != nil {
		return nil, err
	}
	return stage(ctx, fsys, name, data, pre, opts)
}

func stage(ctx context.Context, fsys FS, name string, data []byte, pre Precondition, opts WriteOptions) (*Staged, error) {
	// The precondition is checked before the bytes are written as well as after, so that a
	// write that cannot succeed costs nothing and leaves nothing.
	current, err := pre.check(ctx, fsys, name, nil)
	if err != nil {
		return nil, err
	}
	temp, err := writeTemp(fsys, path.Dir(name), data, current, opts)
	if err != nil {
		return nil, err
	}
	return &Staged{fsys: fsys, name: name, temp: temp, data: data, pre: pre, opts: opts, seen: current}, nil
}

// Place makes the name hold the bytes, if the precondition still holds. Its
// errors are those of WriteAtomic.
func (s *Staged) Place(ctx context.Context) error {
	_, err := s.place(ctx)
	return err
}

func (s *Staged) place(ctx context.Context) (committed bool, err error) {
	defer func() {
		if err != nil && !committed {
			err = errors.Join(err, s.fsys.Remove(s.temp))
		}
	}()
	if err := ctx.Err(); err != nil {
		return false, err
	}
	// Where two names can be exchanged, replace compares the bytes.
	if _, err := s.pre.check(ctx, s.fsys, s.name, s.seen); err != nil {
		return false, err
	}
	if committed, err = replace(context.WithoutCancel(ctx), s.fsys, s.temp, s.name, s.data, s.pre); err != nil || s.opts.DirLater {
		return committed, err
	}
	return true, FlushDir(s.fsys, path.Dir(s.name))
}

// Temp returns the name of the temporary file.
func (s *Staged) Temp() string { return s.temp }

// FlushDir makes the names in a directory durable; its error wraps ErrNotDurable.
func FlushDir(fsys FS, dir string) error {
	if err := fsys.SyncDir(dir); err != nil {
		return notDurable(dir, err)
	}
	return nil
}

// replace puts temp, which has the content data, at name and reports whether
// name has changed. A plain rename would silently overwrite a change that
// another program made just before. So if name must not exist, it uses a link
// instead, and if name must have certain content, it exchanges the two files
// and checks the old one.
func replace(ctx context.Context, fsys FS, temp, name string, data []byte, pre Precondition) (committed bool, err error) {
	if pre.kind == preUnchanged {
		committed, err := swap(ctx, fsys, temp, name, data, pre.old)
		if !errors.Is(err, errors.ErrUnsupported) {
			return committed, err
		}
		if _, err := pre.check(ctx, fsys, name, nil); err != nil {
			return false, err
		}
	}
	if pre.kind == preAbsent {
		return PlaceNew(fsys, temp, name)
	}
	if err := fsys.Rename(temp, name); err != nil {
		return false, err
	}
	return true, nil
}

// PlaceNew renames temp to a name that no file has, and reports whether it did. It replaces
// nothing; see replace.
func PlaceNew(fsys FS, temp, name string) (committed bool, err error) {
	err = fsys.Link(temp, name)
	switch {
	case err == nil:
		if err := fsys.Remove(temp); err != nil {
			return true, notDurable(name, err)
		}
		return true, nil
	case errors.Is(err, fs.ErrExist):
		return false, &fs.PathError{Op: "write", Path: name, Err: errAppeared}
	}
	// The file system has no hard links (FAT, some network file systems): rename.
	if _, err := fsys.Lstat(name); err == nil {
		return false, &fs.PathError{Op: "write", Path: name, Err: errAppeared}
	}
	if err := fsys.Rename(temp, name); err != nil {
		return false, err
	}
	return true, nil
}

// swap exchanges temp and name. If name did not have the content old, it swaps
// them back.
func swap(ctx context.Context, fsys FS, temp, name string, data, old []byte) (committed bool, err error) {
	err = fsys.Exchange(temp, name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, &fs.PathError{Op: "write", Path: name, Err: errGone}
	}
	if err != nil {
		return false, err
	}
	if err = holds(ctx, fsys, temp, old); err == nil {
		if err := fsys.Remove(temp); err != nil {
			return true, notDurable(name, err)
		}
		return true, nil
	}
	if berr := fsys.Exchange(temp, name); berr != nil && !errors.Is(berr, fs.ErrNotExist) {
		return true, errors.Join(err, berr) // temp has the only copy: it stays
	}
	// A program that has replaced our file since then has a newer version.
	if errors.Is(holds(ctx, fsys, temp, data), ErrChanged) {
		err = errors.Join(err, fsys.Exchange(temp, name))
	}
	return false, err
}

// writeTemp makes a closed file in dir that holds data, with the mode of the file that it
// will replace, and returns its name. It is flushed unless the caller does that later.
func writeTemp(fsys FS, dir string, data []byte, current fs.FileInfo, opts WriteOptions) (temp string, err error) {
	perm := opts.Perm
	if perm == 0 {
		perm = 0o644
	}
	if current != nil {
		perm = 0o600 // until Chmod below, so that it is at no time more open
	}
	temp, f, err := createTemp(fsys, dir, perm, opts.Random)
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, fsys.Remove(temp))
		}
	}()
	err = fill(f, data, current, opts)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return temp, err
}

func fill(f File, data []byte, current fs.FileInfo, opts WriteOptions) error {
	if current != nil {
		if err := f.Chmod(current.Mode().Perm()); err != nil {
			return err
		}
	}
	if _, err := f.Write(data); err != nil || opts.FlushLater {
		return err
	}
	return f.Sync()
}

func createTemp(fsys FS, dir string, perm fs.FileMode, random io.Reader) (string, File, error) {
	if random == nil {
		random = rand.Reader
	}
	for try := 1; ; try++ {
		name, err := tempName(dir, random)
		if err != nil {
			return "", nil, err
		}
		f, err := fsys.Create(name, perm)
		if err == nil || try == tempTries || !errors.Is(err, fs.ErrExist) {
			return name, f, err
		}
	}
}

func tempName(dir string, random io.Reader) (string, error) {
	var b [8]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", fmt.Errorf("naming a temporary file: %w", err)
	}
	return path.Join(dir, TempName(b)), nil
}

// TempName returns the name of a temporary file for random bytes.
func TempName(random [8]byte) string { return tempPrefix + hex.EncodeToString(random[:]) }

// RemoveDurable removes a regular file and flushes its directory. Empty
// directories stay. A failed precondition wraps ErrChanged; a missing file is
// fs.ErrNotExist for any precondition.
func RemoveDurable(ctx context.Context, fsys FS, name string, pre Precondition) (err error) {
	if pre.kind != preAny && pre.kind != preUnchanged {
		return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrInvalid}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	dir := path.Dir(name)
	if err := checkParents(fsys, dir); err != nil {
		return err
	}
	if _, err := pre.check(ctx, fsys, name, nil); err != nil {
		return err
	}
	if pre.kind == preUnchanged {
		err = removeOnly(context.WithoutCancel(ctx), fsys, name, pre.old)
	} else {
		err = fsys.Remove(name)
	}
	if err != nil {
		return err
	}
	if err := fsys.SyncDir(dir); err != nil {
		return notDurable(name, err)
	}
	return nil
}

// removeOnly removes name if it holds old. The file is renamed before it is
// checked, so that it cannot be replaced between the check and the removal.
func removeOnly(ctx context.Context, fsys FS, name string, old []byte) error {
	aside, err := tempName(path.Dir(name), rand.Reader)
	if err != nil {
		return err
	}
	if err := fsys.Rename(name, aside); err != nil {
		return err
	}
	err = holds(ctx, fsys, aside, old)
	if err == nil {
		if err = fsys.Remove(aside); err == nil {
			return nil
		}
	}
	// A link does not overwrite a newer file that was created in between; file
	// systems without hard links need a rename.
	lerr := fsys.Link(aside, name)
	if lerr == nil || errors.Is(lerr, fs.ErrExist) {
		return errors.Join(err, fsys.Remove(aside))
	}
	return errors.Join(err, fsys.Rename(aside, name))
}

// RemoveTemps removes leftover temporary files, as listed by a scan, and returns how many it
// removed. The caller holds the lock of every possible writer. Names that are not temporary
// files are refused.
func RemoveTemps(ctx context.Context, fsys FS, names []string) (int, error) {
	removed := 0
	var errs []error
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return removed, errors.Join(append(errs, err)...)
		}
		if !IsTemp(name) {
			errs = append(errs, &fs.PathError{Op: "remove", Path: name, Err: fs.ErrInvalid})
			continue
		}
		switch err := fsys.Remove(name); {
		case err == nil:
			removed++
		case !errors.Is(err, fs.ErrNotExist):
			errs = append(errs, err)
		}
	}
	return removed, errors.Join(errs...)
}

func notDurable(name string, cause error) error {
	return &fs.PathError{Op: "sync", Path: name, Err: errors.Join(ErrNotDurable, cause)}
}
