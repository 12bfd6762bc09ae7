package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
)

// SQLite needs two files next to a database even to read it. If they cannot be created, on a
// full or read-only disk, no other process has the memory open, since the files would exist
// then. So the database can be read in place while its files do not change.

// frozen is a memory that is read without a log.
type frozen struct {
	why           error // the reason why it is not writable
	database, log fsys.Stamp
}

// freeze checks whether a memory failed to open because its directory is not writable, and
// prepares for reading it without a log. It returns false if the directory is writable, or
// does not exist.
func (d *DB) freeze(failed error) (bool, error) {
	if d.options.temporary || d.options.disposable || !fsys.Exists(d.path) {
		return false, nil
	}
	why := d.unwritable(failed)
	if why == nil {
		return false, nil
	}
	database := resolvePath(d.path)
	f := &frozen{why: why}
	var err, logErr error
	f.database, err = fsys.StampOf(database)
	f.log, logErr = fsys.StampOf(walName(database))
	if err := errors.Join(err, logErr); err != nil {
		return false, err
	}
	// A process that can write the memory later need not wait for readers, which detect the
	// change.
	if unlock := d.unlock; unlock != nil {
		d.unlock = nil
		if err := unlock(); err != nil {
			return false, err
		}
	}
	d.frozen.Store(f)
	return true, nil
}

// refreeze opens a frozen memory again if another process has written to it since. If that
// fails, the next use of the memory reports why.
func (d *DB) refreeze(ctx context.Context) {
	if f := d.frozen.Load(); f != nil && f.check(d.path) != nil {
		_ = d.reopen(ctx)
	}
}

// reopen opens a frozen memory again, for writing if that is possible now. It does nothing
// while the memory is being read.
func (d *DB) reopen(ctx context.Context) error {
	if !d.live.TryLock() {
		return nil
	}
	defer d.live.Unlock()
	if d.frozen.Load() == nil || d.readers.Closed() {
		return nil
	}
	if state, err := d.files.database.State(); err != nil || state != fsys.NamedSame {
		return err // present reports the cause
	}
	d.watchMu.Lock()
	watch := d.watch
	d.watch = nil
	d.watchMu.Unlock()
	var errs []error
	for _, c := range d.readers.Idle() { // none is in use
		d.readers.Drop()
		errs = append(errs, c.close())
	}
	if watch != nil {
		errs = append(errs, watch.close())
	}
	before, files := d.frozen.Load(), d.files
	d.frozen.Store(nil)
	d.files = openFiles{}
	if err := errors.Join(append(errs, d.open(ctx))...); err != nil {
		d.frozen.Store(before) // so that the next call tries again
		d.files = files
		return err
	}
	return nil
}

// unwritable returns the reason why the memory's directory is not writable, if that is why
// the memory could not be opened.
func (d *DB) unwritable(failed error) error {
	switch code := extended(failed); {
	case code == sqlite3.SQLITE_IOERR_SHMSIZE || code&0xff == sqlite3.SQLITE_FULL:
		return syscall.ENOSPC
	case code&0xff != sqlite3.SQLITE_CANTOPEN && code&0xff != sqlite3.SQLITE_READONLY && code&0xff != sqlite3.SQLITE_PERM:
		return nil
	}
	return d.probe()
}

// probe tries to create a file next to the database, since SQLite does not report why it
// cannot.
func (d *DB) probe() error {
	name := filepath.Base(d.path) + ".probe"
	return fsys.Within(filepath.Dir(resolvePath(d.path)), func(dir *fsys.Dir) error {
		f, err := dir.Create(name, 0o600)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		if err == nil {
			err = f.Close()
		}
		return errors.Join(err, dir.Remove(name))
	})
}

// dsn returns the URI for opening the memory: without its log if that is empty, else with
// the index of the log in memory.
func (f *frozen) dsn(path string, busy time.Duration) string {
	if f.log.Size <= 0 {
		return dsn(path, false, true, busy) + "&immutable=1"
	}
	// An exclusive connection needs no file for sharing the index. The pragma has to come
	// first: the driver runs pragmas in the order of their names, and cache_size is among
	// them. The lock on the database needs write permission, so it is not used.
	q := url.Values{
		"mode": {"ro"}, "vfs": {"unix-none"}, "_pragma": {"locking_mode(EXCLUSIVE)", "temp_store(MEMORY)"},
		"_dqs": {"0"}, "_query_only": {"1"}, "_busy_timeout": {strconv.FormatInt(busy.Milliseconds(), 10)},
	}
	if runtime.GOOS == "windows" {
		q.Set("vfs", "win32-none")
	}
	return uri(path, q)
}

// check fails if the memory was written to since.
func (f *frozen) check(path string) error {
	database := resolvePath(path)
	now, err := fsys.StampOf(database)
	log, logErr := fsys.StampOf(walName(database))
	if err := errors.Join(err, logErr); err != nil {
		return err
	}
	if now == f.database && (log == f.log || log.Size <= 0 && f.log.Size <= 0) {
		return nil
	}
	return kb.Errorf(kb.Conflict, "the memory at %s was written by another process, and this one reads it as it was", path).
		WithHint("Nothing was lost. Start cairn again.")
}

// Unwritable implements store.Readable. If the memory has become writable since it was
// opened, it is opened for writing.
func (d *DB) Unwritable() error {
	f := d.frozen.Load()
	if f == nil {
		return nil
	}
	if d.probe() == nil {
		if err := d.reopen(context.Background()); err != nil {
			return d.public(err)
		}
		if f = d.frozen.Load(); f == nil {
			return nil
		}
	}
	return fsys.Explain(f.why, "write the memory at %s", d.path)
}

// openFrozen opens a memory that could not be opened normally.
func (d *DB) openFrozen(ctx context.Context, failed error) error {
	if frozen, err := d.freeze(failed); !frozen || err != nil {
		return errors.Join(failed, err)
	}
	for _, c := range d.readers.Idle() { // opened before the memory was known to be frozen
		d.readers.Drop()
		if err := c.close(); err != nil {
			return err
		}
	}
	d.files.log, d.files.index = fsys.Named{}, fsys.Named{}
	return d.prepare(ctx)
}
