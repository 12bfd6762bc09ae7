package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/store"
)

// A restore writes the new memory next to the present one, and a copy has a temporary name
// until it is complete. If they are killed, they leave these files, which are not in use:
// their creator held the lock of the memory.

// The suffixes of their names.
const (
	RestoringSuffix = ".restoring"       // the future memory
	KeptInfix       = ".before-restore-" // the previous memory, followed by the time
	PartSuffix      = ".part"            // an incomplete copy
)

// tidyUp removes files left by killed restores and migrations, and unfinished copies
// anywhere. copies are the names under which a migration makes its copies. The caller holds
// the memory's lock exclusively. Files that cannot be removed are left for the next call.
func tidyUp(path string, copies []string) {
	_ = removePromised(path)
	_ = fsys.Within(filepath.Dir(path), func(dir *fsys.Dir) error {
		errs := []error{removeLeftovers(dir, filepath.Base(path))}
		if fsys.Exists(path + store.UnsealedSuffix) {
			errs = append(errs, removeDatabase(dir, filepath.Base(path)+store.UnsealedSuffix))
		}
		for _, name := range copies {
			part := filepath.Base(name) + PartSuffix
			if fsys.Exists(filepath.Join(filepath.Dir(path), part)) {
				errs = append(errs, removeDatabase(dir, part))
			}
		}
		return errors.Join(errs...)
	})
}

// leftovers returns the names of files that a killed restore of the memory may have left; a
// log may exist without its database.
func leftovers(live string) []string {
	part := live + RestoringSuffix
	return append(logFiles(part), part, shmName(part))
}

// removeLeftovers cancels a restore that was killed: the memory has its name until the very
// last step.
func removeLeftovers(files fsys.FS, live string) error {
	part := live + RestoringSuffix
	there := false
	for _, name := range leftovers(live) {
		_, err := files.Lstat(name)
		there = there || err == nil
	}
	if !there {
		return nil
	}
	// The second name first, while the other files still show that there was a restore.
	if err := removeSecondName(files, live); err != nil {
		return err
	}
	return removeDatabase(files, part)
}

// removeSecondName removes the name under which a restore was about to keep the memory, if
// it still refers to the memory. If a log was already moved there, the name stays.
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
		if err != nil || !strings.HasPrefix(e.Name(), live+KeptInfix) || !os.SameFile(info, memory) {
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
