package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
)

// Backup implements store.Backuper.
func (d *DB) Backup(ctx context.Context, file string) error {
	d.live.RLock()
	defer d.live.RUnlock()
	return d.backup(ctx, file)
}

// backup is Backup for a caller that holds live.
func (d *DB) backup(ctx context.Context, file string) error {
	part := file + PartSuffix
	// A killed backup may also have left a journal, which SQLite would take for that of the
	// new file.
	if err := removePart(part); err != nil {
		return fsys.Explain(err, "make the backup %s", file)
	}
	defer claimPart(ctx, d.path, part)()
	err := d.copyTo(ctx, part)
	if err == nil {
		err = os.Rename(part, file)
	}
	if err != nil {
		err = errors.Join(err, removePart(part))
		return fsys.Explain(err, "make the backup %s", file)
	}
	return fsys.Explain(syncName(file), "make the backup %s", file)
}

func removePart(part string) error {
	return fsys.Within(filepath.Dir(part), func(dir *fsys.Dir) error { return removeDatabase(dir, filepath.Base(part)) })
}

// syncName makes a file's name durable.
func syncName(file string) error {
	return fsys.Within(filepath.Dir(file), func(dir *fsys.Dir) error { return dir.SyncDir(".") })
}

// copyTo writes a durable copy to a file that does not exist.
func (d *DB) copyTo(ctx context.Context, part string) (err error) {
	if err := d.touch(part); err != nil {
		return err
	}
	// A separate connection: reading connections are query_only, which also forbids VACUUM
	// INTO, and the writer may be within a migration.
	c, err := d.connect(ctx, true)
	if err != nil {
		return d.public(err)
	}
	defer func() { err = errors.Join(err, d.public(c.close())) }()
	if d.frozen.Load() != nil { // all connections to it are query_only, and it cannot be written
		if err := c.interruptible(ctx, "PRAGMA query_only = OFF"); err != nil {
			return d.public(err)
		}
	}
	if err := c.interruptible(ctx, "VACUUM INTO ?", part); err != nil {
		return d.public(err)
	}
	if err := d.setLog(ctx, part); err != nil {
		return d.public(err)
	}
	return syncFile(part)
}

func syncFile(file string) error {
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err == nil {
		err = errors.Join(f.Sync(), f.Close())
	}
	return fsys.Explain(err, "make the copy %s", file)
}

// setLog sets the journal mode in a copy: VACUUM INTO does not copy WAL mode, and readers of
// a restored copy would then block its writers.
func (d *DB) setLog(ctx context.Context, part string) error {
	c, err := connect(dsn(part, true, false, d.options.BusyTime))
	if err != nil {
		return err
	}
	return errors.Join(c.interruptible(ctx, "PRAGMA journal_mode = WAL"), c.close())
}

// Compact implements store.Compacter. It also merges the log into the file, so that the file
// alone is the memory once all handles are closed.
func (d *DB) Compact(ctx context.Context) (left int64, err error) { return d.rewrite(ctx, "VACUUM") }

// Scrub implements store.Scrubber. VACUUM zeroes the pages that it builds, and
// rewrites the whole file.
func (d *DB) Scrub(ctx context.Context) (left int64, err error) {
	return d.rewrite(ctx, "PRAGMA secure_delete = ON; VACUUM; PRAGMA secure_delete = OFF")
}

// Files implements store.Scrubber.
func (d *DB) Files() []string {
	path := resolvePath(d.path)
	return append([]string{path}, logFiles(path)...)
}

// rewrite runs statements that rewrite the file, and merges the log into it.
func (d *DB) rewrite(ctx context.Context, sql string) (left int64, err error) {
	if err := d.Unwritable(); err != nil {
		return 0, err
	}
	d.live.RLock()
	defer d.live.RUnlock()
	c, err := d.lockWriter(ctx)
	if err != nil {
		return 0, d.public(err)
	}
	defer d.unlockWriter()
	if err := d.retry(ctx, func() error { return c.interruptible(ctx, sql) }); err != nil {
		return 0, d.public(err)
	}
	// A connection that waits less long for readers, since nobody writes meanwhile.
	fold, err := connect(dsn(d.path, true, false, min(2*time.Second, d.options.BusyTime)))
	if err != nil {
		return 0, d.public(err)
	}
	err = errors.Join(truncateLog(ctx, fold), fold.close())
	if !isBusy(err) {
		return 0, d.public(err)
	}
	log, err := os.Stat(d.path + "-wal")
	if err != nil {
		return 0, d.public(err)
	}
	return log.Size(), nil
}

// truncateLog merges the log into the file. Blocking readers are reported in the result, not
// as an error.
func truncateLog(ctx context.Context, c *conn) error {
	blocked := false
	err := c.query(ctx, "PRAGMA wal_checkpoint(TRUNCATE)", nil, func(r row) error { blocked = r.Int(0) != 0; return nil })
	if err == nil && blocked {
		return errBlocked
	}
	return err
}
