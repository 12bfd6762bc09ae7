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
// Where that is taken, a number follows: what has the name may be the only copy
// of what somebody lost since, or nothing of ours.
const backupSuffix = ".cairn-backup"

// backup is a copy beside a file.
type backup struct {
	name string // as that of the file
	text []byte
}

// backups reads the copies beside a file, the oldest first, and returns the
// first name that is not taken. What cannot be read takes its name, and serves
// for nothing.
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

// beside returns the path of a copy beside the file.
func (f file) beside(name string) string { return filepath.Join(f.root, filepath.FromSlash(name)) }

// newest returns the path of the copy that was made last, "" when there is none.
func (f file) newest() string {
	if len(f.backups) == 0 {
		return ""
	}
	return f.beside(f.backups[len(f.backups)-1].name)
}

// keeping makes a copy of the file, when keep is set, before the change that do
// makes. When do changes nothing, the copy goes again.
func (f file) keeping(ctx context.Context, d fsys.FS, keep bool, do func() error) error {
	if !keep {
		return do()
	}
	// Writable, whatever the file is: it must be possible to take it away.
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
