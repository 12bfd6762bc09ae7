package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Backup copies the memory as it is now to file, replacing it; others may go
// on writing. The copy is one file that only its owner can read, and it
// appears complete or not at all.
func (d *DB) Backup(ctx context.Context, file string) error {
	part := file + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return kb.Errorf(kb.Internal, "cannot make a backup: %w", err)
	}
	if err := d.copyTo(ctx, part); err != nil {
		if rm := os.Remove(part); rm != nil && !errors.Is(rm, fs.ErrNotExist) {
			err = errors.Join(err, rm)
		}
		return err
	}
	if err := os.Rename(part, file); err != nil {
		return errors.Join(kb.Errorf(kb.Internal, "cannot make a backup: %w", err), os.Remove(part))
	}
	return nil
}

// copyTo writes a durable copy to a file that does not exist.
func (d *DB) copyTo(ctx context.Context, part string) (err error) {
	if err := d.touch(part); err != nil {
		return err
	}
	// A connection of its own: reading connections are query_only, which
	// forbids VACUUM INTO too, and the writer may be within a migration.
	c, err := d.connect(ctx, true)
	if err != nil {
		return d.public(err)
	}
	defer func() { err = errors.Join(err, d.public(c.close())) }()
	if err := c.interruptible(ctx, "VACUUM INTO ?", part); err != nil {
		return d.public(err)
	}
	f, err := os.OpenFile(part, os.O_RDWR, 0)
	if err != nil {
		return kb.Errorf(kb.Internal, "cannot make a backup: %w", err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return kb.Errorf(kb.Internal, "cannot make a backup: %w", err)
	}
	return nil
}
