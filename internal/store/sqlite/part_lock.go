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

// promisePrefix begins the names of files, in the lock directory of a memory,
// that each contain the path of a copy in progress.
const promisePrefix = "copying."

// claimPart writes down that a copy of the memory is made at part, which is a name
// with PartSuffix, so that it can be removed when its maker is killed, wherever it
// is. Done takes the note away. What cannot be noted is made all the same.
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

// removePromised removes unfinished copies of killed processes. No copy is in
// progress: that would need an open memory. A note about a disk that is not
// mounted is kept.
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

// mayBeCopy reports whether a file is not there, or begins as an unfinished copy may: a memory that
// came from somebody else can name any file.
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
