package setup

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strconv"

	"github.com/cairn-kb/cairn/internal/files/fsys"
)

// backupSuffix ends the name of the copy that is made before the first change.
// If that is taken, a number follows: the existing file may be somebody's only
// copy, or not ours.
const backupSuffix = ".cairn-backup"

// backup is a copy next to a file.
type backup struct {
	name string // as that of the file
	text []byte
}

// backups reads the copies next to a file, the oldest first, and returns the
// first free name. An unreadable copy takes its name, and is otherwise ignored.
func backups(ctx context.Context, d fsys.FS, name string) (found []backup, free string, err error) {
	for n := 1; ; n++ {
		free = name + backupSuffix
		if n > 1 {
			free += "-" + strconv.Itoa(n)
		}
		info, err := d.Lstat(free)
		if errors.Is(err, fs.ErrNotExist) {
			return found, free, nil
		}
		if err != nil {
			return nil, "", err
		}
		if !info.Mode().IsRegular() {
			continue
		}
		text, _, err := fsys.ReadFile(ctx, d, free, maxFile)
		switch {
		case err == nil:
			found = append(found, backup{free, text})
		case !errors.Is(err, fsys.ErrTooLarge) && !errors.Is(err, fs.ErrPermission):
			return nil, "", err
		}
	}
}

// sibling returns the path of a copy next to the file.
func (f file) sibling(name string) string { return filepath.Join(f.root, filepath.FromSlash(name)) }

// newest returns the path of the copy that was made last, "" when there is none.
func (f file) newest() string {
	if len(f.backups) == 0 {
		return ""
	}
	return f.sibling(f.backups[len(f.backups)-1].name)
}

// keeping makes a copy of the file, when keep is set, before the change that do
// makes. When do changes nothing, the copy goes again.
func (f file) keeping(ctx context.Context, d fsys.FS, keep bool, do func() error) error {
	if !keep {
		return do()
	}
	// Writable regardless of the file's mode, so that it can be removed.
	perm := f.perm | 0o200
	if err := fsys.WriteAtomic(ctx, d, f.free, f.text, fsys.Absent(), fsys.WriteOptions{Perm: perm}); err != nil {
		return err
	}
	err := do()
	if err != nil && !errors.Is(err, fsys.ErrNotDurable) {
		err = errors.Join(err, fsys.RemoveDurable(context.WithoutCancel(ctx), d, f.free, fsys.Unchanged(f.text)))
	}
	return err
}

// forget deletes a copy.
func (f file) forget(ctx context.Context, b backup) error {
	return f.on(func(d *fsys.Dir) error {
		return fsys.RemoveDurable(ctx, d, b.name, fsys.Unchanged(b.text))
	})
}
