package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cairn-kb/cairn/internal/files/fsys"
)

// recordFile returns the path of the record that identifies the open memory's file.
func recordFile(database string) string { return filepath.Join(database+".locks", "memory.file") }

// writeRecord records the identity of the memory's file, while no other process has it open.
// If that fails, on a full disk, the record is missing or wrong, which only prevents other
// processes from opening the memory while it is open here.
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

// isRecorded reports whether the record, if it exists, matches the file at the memory's
// path. Old versions of cairn write no record.
func isRecorded(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	id, ok := fsys.FileID(info)
	if !ok {
		return true
	}
	text, err := fsys.ReadRegular(recordFile(path), 1<<10)
	return err != nil || len(text) == 0 || string(text) == id+"\n"
}
