package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cairn-kb/cairn/internal/files/fsys"
)

// recordFile is where it is written which file is the memory that is open.
func recordFile(database string) string { return filepath.Join(database+".locks", "memory.file") }

// writeRecord writes down which file is the memory. Nobody else has it open. Where it
// cannot be written, on a full disk, there is no record or a wrong one, which
// only keeps others from opening a memory while it is open.
func writeRecord(path string) {
	info, err := os.Stat(path)
	if err != nil || isRecorded(path) && fsys.Exists(recordFile(path)) {
		return
	}
	id, ok := fsys.FileID(info)
	if !ok {
		return
	}
	_ = fsys.Within(filepath.Dir(recordFile(path)), func(dir *fsys.Dir) error {
		name := filepath.Base(recordFile(path))
		if err := dir.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		f, err := dir.Create(name, 0o600)
		if err != nil {
			return err
		}
		_, err = f.Write([]byte(id + "\n"))
		return errors.Join(err, f.Close())
	})
}

// isRecorded reports whether the record, if there is one, is of the file that is at
// the memory's path. A cairn that knows of no records may have written none.
func isRecorded(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	id, ok := fsys.FileID(info)
	if !ok {
		return true
	}
	text, err := os.ReadFile(recordFile(path))
	return err != nil || len(text) == 0 || string(text) == id+"\n"
}
