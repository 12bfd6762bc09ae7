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

// resolvePath is the name of the file that a path leads to. SQLite names what it
// makes Beside the file after it, and not after a symbolic link.
func resolvePath(path string) string {
	if name, err := filepath.EvalSymlinks(path); err == nil {
		return name
	}
	return path
}

// walName and IndexName are what SQLite calls the log of a database, and the
// memory that the processes share which use it.
func walName(database string) string { return database + "-wal" }
func shmName(database string) string { return database + "-shm" }

// logSuffixes are what SQLite adds to the name of a database for what it must
// replay into it: the log of WAL mode, and the one of the mode that a database
// has before its first migration.
var logSuffixes = []string{"-wal", "-journal"}

// logFiles returns the files beside a database that SQLite would replay into
// whatever database has its name.
func logFiles(database string) []string {
	var out []string
	for _, suffix := range logSuffixes {
		out = append(out, database+suffix)
	}
	return out
}

// companionFiles returns those files that a database makes beside itself.
func companionFiles(database string) []string {
	var out []string
	for _, name := range append(logFiles(database), shmName(database)) {
		if _, err := os.Lstat(name); err == nil {
			out = append(out, name)
		}
	}
	return out
}

// CheckNew fails when there is no database at path yet, or only an empty file, and
// yet files that belong to one: SQLite would take them for those of the new one.
func checkNew(path string) error {
	left := companionFiles(path)
	if len(left) == 0 {
		return nil
	}
	switch info, err := os.Stat(path); {
	case err == nil && info.Size() > 0:
		return nil // somebody made it in the meantime
	case err == nil: // or began to, and was killed while it had no log yet
		left = slices.DeleteFunc(left, func(name string) bool { return strings.HasSuffix(name, "-journal") })
		if len(left) == 0 {
			return nil
		}
	}
	for i := range left {
		left[i] = filepath.Base(left[i])
	}
	return kb.Errorf(kb.Damaged, "there is no memory at %s, but there is %s of one: no other was begun beside that", path, strings.Join(left, " and ")).
		WithHint("Nothing was changed. Stop every cairn that runs, and put the memory back; or, when it was moved on purpose, move these files too and keep them with it.")
}

// Remove deletes a file that may not be there.
func removeFile(name string) error {
	err := fsys.Within(filepath.Dir(name), func(dir *fsys.Dir) error { return dir.Remove(filepath.Base(name)) })
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// removeDatabase removes a database that nobody needs, if it is there, with
// the files that SQLite makes beside it.
func removeDatabase(files fsys.FS, name string) error {
	var errs []error
	for _, file := range append(logFiles(name), name, name+"-shm") {
		if err := files.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// freeName returns name, or the first of name-2, name-3, … that nothing has.
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
