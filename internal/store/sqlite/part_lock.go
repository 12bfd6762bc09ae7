package sqlite

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairn-kb/cairn/internal/files/fsys"
)

// promisePrefix is the prefix of files in the lock directory of a memory, each with the path
// of a copy in progress.
const promisePrefix = "copying."

// claimPart records that a copy of the memory is being made at part, a name with PartSuffix,
// so that it can be removed from anywhere if its creator is killed. done removes the record.
// If the record cannot be written, the copy is made all the same.
func claimPart(ctx context.Context, memory, part string) (done func()) {
	sum := sha256.Sum256([]byte(part))
	name := promisePrefix + hex.EncodeToString(sum[:6])
	dir := filepath.Dir(recordFile(memory))
	_ = fsys.Within(dir, func(d *fsys.Dir) error {
		return fsys.WriteAtomic(ctx, d, name, []byte(part), fsys.Any(), fsys.WriteOptions{Perm: 0o600})
	})
	return func() {
		_ = fsys.Within(dir, func(d *fsys.Dir) error { return d.Remove(name) })
	}
}

// removePromised removes unfinished copies of killed processes. No copy is in progress,
// since that would need an open memory. A record about a disk that is not mounted is kept.
func removePromised(memory string) error {
	dir := filepath.Dir(recordFile(memory))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // there are no locks, so there was no copy
	}
	var errs []error
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), promisePrefix) {
			continue
		}
		text, err := fsys.ReadRegular(filepath.Join(dir, e.Name()), 1<<20)
		part := string(text)
		if err == nil && filepath.IsAbs(part) && strings.HasSuffix(part, PartSuffix) && mayBeCopy(part) {
			err = fsys.Within(filepath.Dir(part), func(d *fsys.Dir) error { return removeDatabase(d, filepath.Base(part)) })
		}
		if err == nil {
			err = fsys.Within(dir, func(d *fsys.Dir) error { return d.Remove(e.Name()) })
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// mayBeCopy reports whether a file does not exist, or starts like an unfinished copy: a
// memory from somebody else can name any file.
func mayBeCopy(part string) bool {
	const magic = "SQLite format 3\x00"
	f, err := fsys.OpenRegular(part)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, len(magic))
	_, err = io.ReadFull(f, head)
	return err == io.EOF || err == nil && (string(head) == magic || len(bytes.Trim(head, "\x00")) == 0)
}
