package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairn-kb/cairn/internal/fsys"
)

// A restore writes the memory that is to come beside the present one, and a copy
// is made under another name than its own until it is whole. Killed, they leave
// these files behind, which are nobody's: whoever made them held the lock of the
// memory.

const (
	restoringSuffix = ".restoring"
	keptInfix       = ".before-restore-"
	partSuffix      = ".part"
)

// tidyUp removes what killed restores and migrations left beside the memory. The
// caller has its lock exclusively. What cannot be removed is left for the next.
func tidyUp(path string) {
	_ = fsys.Within(filepath.Dir(path), func(dir *fsys.Dir) error {
		errs := []error{removeLeftovers(dir, filepath.Base(path))}
		all, err := readMigrations(embedded)
		for _, m := range all {
			part := filepath.Base(backupPath(path, m.number)) + partSuffix
			if fsys.Exists(filepath.Join(filepath.Dir(path), part)) {
				errs = append(errs, removeDatabase(dir, part))
			}
		}
		return errors.Join(append(errs, err)...)
	})
}

// leftovers returns the names of files that a killed restore of the memory of this
// name may have left; a log may be there without its database.
func leftovers(live string) []string {
	part := live + restoringSuffix
	return append(logFiles(part), part, indexName(part))
}

// removeLeftovers makes a restore that was killed one that never was: the memory
// has its name until the very last step.
func removeLeftovers(files fsys.FS, live string) error {
	part := live + restoringSuffix
	there := false
	for _, name := range leftovers(live) {
		_, err := files.Lstat(name)
		there = there || err == nil
	}
	if !there {
		return nil
	}
	// The second name goes first, while the other files still tell that there was a
	// restore.
	if err := removeSecondName(files, live); err != nil {
		return err
	}
	return removeDatabase(files, part)
}

// removeSecondName takes away the name under which a restore was about to keep the
// memory, if that is still the memory. A log that went there already keeps it.
func removeSecondName(files fsys.FS, live string) error {
	memory, err := files.Lstat(live)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	entries, err := files.ReadDir(".")
	if err != nil {
		return err
	}
	names := map[string]bool{}
	for _, e := range entries {
		names[e.Name()] = true
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !strings.HasPrefix(e.Name(), live+keptInfix) || !os.SameFile(info, memory) {
			continue
		}
		logs := false
		for _, log := range logFiles(e.Name()) {
			logs = logs || names[log]
		}
		if logs {
			continue
		}
		if err := files.Remove(e.Name()); err != nil {
			return err
		}
	}
	return nil
}
