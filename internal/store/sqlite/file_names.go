package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
)

// resolvePath resolves symbolic links: SQLite names its files after the
// resolved path.
func resolvePath(path string) string {
	if name, err := filepath.EvalSymlinks(path); err == nil {
		return name
	}
	return path
}

// walName and IndexName are SQLite's names for the log of a database, and for the memory
// shared by the processes that use it.
func walName(database string) string { return database + "-wal" }
func shmName(database string) string { return database + "-shm" }

// logSuffixes are SQLite's suffixes for the logs of a database: that of WAL mode, and that
// of the mode before the first migration.
var logSuffixes = []string{"-wal", "-journal"}

// logFiles returns the names of a database's logs, which SQLite would replay into any
// database with its name.
func logFiles(database string) []string {
	var out []string
	for _, suffix := range logSuffixes {
		out = append(out, database+suffix)
	}
	return out
}

// companionFiles returns the files that SQLite creates next to a database.
func companionFiles(database string) []string {
	var out []string
	for _, name := range append(logFiles(database), shmName(database)) {
		if _, err := os.Lstat(name); err == nil {
			out = append(out, name)
		}
	}
	return out
}

// checkNew fails if the database does not exist or is empty, but files of an earlier one
// exist: SQLite would use them for the new one.
func checkNew(path string) error {
	left := companionFiles(path)
	if len(left) == 0 {
		return nil
	}
	switch info, err := os.Stat(path); {
	case err == nil && info.Size() > 0:
		return nil // another process made it in the meantime
	case err == nil: // or a process began to, and was killed before there was a log
		left = slices.DeleteFunc(left, func(name string) bool { return strings.HasSuffix(name, "-journal") })
		if len(left) == 0 {
			return nil
		}
	}
	for i := range left {
		left[i] = filepath.Base(left[i])
	}
	return kb.Errorf(kb.Damaged, "there is no memory at %s, but there is %s of one: no new one was created next to it", path, strings.Join(left, " and ")).
		WithHint("Nothing was changed. Stop every cairn that runs, and put the memory back; or, when it was moved on purpose, move these files too and keep them with it.")
}

// removeFile deletes a file, if it exists.
func removeFile(name string) error {
	err := fsys.Within(filepath.Dir(name), func(dir *fsys.Dir) error { return dir.Remove(filepath.Base(name)) })
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// removeDatabase removes an unneeded database, if it exists, with the files
// that SQLite created next to it.
func removeDatabase(files fsys.FS, name string) error {
	var errs []error
	for _, file := range append(logFiles(name), name, name+"-shm") {
		if err := files.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// freeName returns name, or the first unused one of name-2, name-3, ….
func freeName(files fsys.FS, name string) (string, error) {
	free := name
	for n := 2; ; n++ {
		_, err := files.Lstat(free)
		if errors.Is(err, fs.ErrNotExist) {
			return free, nil
		}
		if err != nil {
			return "", err
		}
		free = fmt.Sprintf("%s-%d", name, n)
	}
}
