package fsys

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"

	"github.com/cairn-kb/cairn/internal/kb"
)

// MoveDurable renames the regular file old to new, which must not exist, and flushes both
// directories. Missing parents of new are made; directories left empty stay. The
// precondition applies to old. When it fails nothing has moved, unless the error wraps
// ErrNotDurable.
//
// A rename that changes only the case of a name, or its Unicode normalization form, also
// works where the system takes both names for the same file.
func MoveDurable(ctx context.Context, fsys FS, old, new string, pre Precondition) (err error) {
	if pre.kind != preAny && pre.kind != preUnchanged || old == new {
		return &fs.PathError{Op: "move", Path: old, Err: fs.ErrInvalid}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := checkParents(fsys, path.Dir(old)); err != nil {
		return err
	}
	moved := false
	made, err := mkdirs(fsys, path.Dir(new))
	defer func() {
		if err != nil && !moved {
			err = errors.Join(err, removeEmpty(fsys, made))
		}
	}()
	if err != nil {
		return err
	}
	info, err := pre.check(ctx, fsys, old, nil)
	if err != nil {
		return err
	}
	if info == nil {
		return &fs.PathError{Op: "move", Path: old, Err: fs.ErrNotExist}
	}
	there, err := fsys.Lstat(new)
	if err == nil && !(kb.FoldPath(old) == kb.FoldPath(new) && os.SameFile(info, there)) {
		return &fs.PathError{Op: "move", Path: new, Err: errAppeared}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := fsys.Rename(old, new); err != nil {
		return err
	}
	moved = true
	// The new name first: after a crash the file has both names at worst.
	if err := fsys.SyncDir(path.Dir(new)); err != nil {
		return notDurable(new, err)
	}
	if path.Dir(old) == path.Dir(new) {
		return nil
	}
	if err := fsys.SyncDir(path.Dir(old)); err != nil {
		return notDurable(old, err)
	}
	return nil
}
