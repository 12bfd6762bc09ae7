package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// SQLite opens its files by name when a connection is opened, and never checks the names
// again. If one of them is moved or deleted while it is open, two groups of processes can
// arise that do not see each other: each acknowledges writes that the other one overwrites
// or removes. So every process with an open memory checks whether its files still have their
// names, and opening checks whether the other processes use the same files.

// openFiles are the files of a memory as of their opening; nil for a missing one.
type openFiles struct {
	database, log, index fsys.Named
}

// noteLogs records the identity of the log and its index. From the first read on they exist
// and stay the same while a connection is open.
func (d *DB) noteLogs() error {
	database := resolvePath(d.path)
	for name, f := range map[string]*fsys.Named{walName(database): &d.files.log, shmName(database): &d.files.index} {
		info, err := os.Stat(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fsys.Explain(err, "look at %s", name)
		}
		if err == nil {
			*f = fsys.Named{Name: name, Info: info}
		}
	}
	return nil
}

// present fails if the names of the memory's files refer to files other than the opened
// ones, or do not exist: writes would be lost, and reads would not see the writes of others.
func (d *DB) present() error {
	state, err := d.files.database.State()
	if err != nil {
		return err
	}
	if state != fsys.NamedSame {
		return kb.Errorf(kb.Damaged, "the memory at %s was moved, deleted or replaced while this process had it open", d.path).
			WithHint("Nothing was changed by this. Earlier writes are in the file that was moved, and in %s. "+
				"Put that file back, or stop every cairn that has it open: agents' clients start their own again when they reconnect.", filepath.Base(walName(d.path)))
	}
	if f := d.frozen.Load(); f != nil {
		return f.check(d.path)
	}
	for _, f := range []fsys.Named{d.files.log, d.files.index} {
		state, err := f.State()
		if err != nil {
			return err
		}
		if state != fsys.NamedSame {
			return kb.Errorf(kb.Damaged, "%s was deleted or replaced while this process had the memory open", f.Name).
				WithHint("Nothing was changed by this. Stop every cairn that has the memory open, without killing it: as it ends it saves its writes.").
				WithReason(kb.FilesReplaced)
		}
	}
	return nil
}

// saveLog merges the log into the database if one of the two was moved or deleted: SQLite
// would not do so when the last connection closes, and after this process it would be
// impossible.
func (d *DB) saveLog(ctx context.Context, w *conn) {
	log, logErr := d.files.log.State()
	database, err := d.files.database.State()
	if w == nil || logErr != nil || err != nil || log == fsys.NamedSame && database == fsys.NamedSame || d.usurped() {
		return
	}
	// After an error the log is as before, and is merged when the handle is closed.
	_ = w.interruptible(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
}

// tidy removes the log of a database that was moved away and contains all of it, once it is
// not open anywhere: otherwise no new memory could be created there.
func (d *DB) tidy(ctx context.Context) error {
	database, err := d.files.database.State()
	if err != nil || database == fsys.NamedSame || d.usurped() || d.unlock == nil {
		return err
	}
	if info, err := os.Stat(d.files.log.Name); err != nil || info.Size() > 0 {
		return nil
	}
	unlock, err := d.lockMemory(ctx, store.Exclusive, 0)
	if err != nil {
		return nil // others have it open; the last of them gets here, too
	}
	if database, err = d.files.database.State(); err == nil && database != fsys.NamedSame && !d.usurped() {
		err = errors.Join(removeFile(d.files.log.Name), removeFile(d.files.index.Name))
	}
	return errors.Join(err, unlock())
}

// usurped reports whether the log or its index is a different file now. Then another process
// uses the database through those files, and would lose its writes if SQLite merged our log
// into the database or removed theirs by name. If the files are only missing, no other
// process has them open, since none with a share of our lock opens a memory then; see join.
func (d *DB) usurped() bool {
	log, _ := d.files.log.State()
	index, _ := d.files.index.State()
	return log == fsys.NamedReplaced || index == fsys.NamedReplaced
}

// joinTime is how long to wait for other processes that open the memory at the same moment.
const joinTime = 2 * time.Second

// join takes a share of the memory's lock until the handle is closed. It makes sure that all
// processes with the memory open use the same files: a replaced database must not be used
// with the log of the old one, nor a database that lost its log with a new log.
//
// If there is no memory and none is to be created, no files are left. If no lock file can be
// created, the memory's directory is not writable, so nothing in it can be replaced.
func (d *DB) join(ctx context.Context) error {
	if d.options.temporary || d.options.disposable {
		return nil
	}
	if !fsys.Exists(d.path) {
		if d.mustExist() {
			return d.tidyNone(ctx)
		}
		if err := checkNew(d.path); err != nil {
			return err
		}
	}
	err := d.retryFor(ctx, min(joinTime, d.options.BusyTime), func() error {
		joined, err := d.joinOthers(ctx)
		if joined || err != nil {
			return err
		}
		if joined, err = d.joinAlone(ctx); joined || err != nil && !errors.Is(err, store.ErrBusy) {
			return err
		}
		return errBlocked
	})
	if errors.Is(err, errBlocked) {
		err = d.joinLate(ctx)
	}
	return whereLocks(err)
}

// whereLocks ignores an error that means that locks are not supported.
func whereLocks(err error) error {
	if errors.Is(err, errNoLock) {
		return nil
	}
	return err
}

// errNoLock means that locking failed for a reason other than a held lock.
var errNoLock = errors.New("no lock can be taken")

func (d *DB) lockMemory(ctx context.Context, mode store.LockMode, wait time.Duration) (func() error, error) {
	unlock, err := d.Lock(ctx, memoryLock, mode, wait)
	if err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrBusy) {
		err = errors.Join(errNoLock, err)
	}
	return unlock, err
}

// joinOthers shares the memory with the processes that have it open, if it can verify that
// they have the same files open.
func (d *DB) joinOthers(ctx context.Context) (bool, error) {
	if !d.inUse() {
		return false, nil
	}
	unlock, err := d.lockMemory(ctx, store.Shared, store.BusyTime)
	if err != nil {
		return false, err
	}
	if d.inUse() { // a restore may have come in between
		d.unlock = unlock
		return true, nil
	}
	return false, unlock()
}

// inUse reports whether the files of an open memory exist, and the database is the one that
// was opened first.
func (d *DB) inUse() bool {
	database := resolvePath(d.path)
	return fsys.Exists(walName(database)) && fsys.Exists(shmName(database)) && isRecorded(d.path)
}

// tidyNone is tidyUp if there is no memory.
func (d *DB) tidyNone(ctx context.Context) error {
	for _, name := range leftovers(d.path) {
		if !fsys.Exists(name) {
			continue
		}
		unlock, err := d.lockMemory(ctx, store.Exclusive, 0)
		if err != nil {
			return nil // a restore is in progress
		}
		d.tidyUp()
		return unlock()
	}
	return nil
}

// tidyUp removes files left by a killed restore or migration. The caller holds the memory's
// lock exclusively.
func (d *DB) tidyUp() {
	var copies []string
	files, _ := embedded.ReadDir("migrations") // numbered from 1; opening the memory reports errors
	for i := range files {
		copies = append(copies, backupPath(d.path, i+1))
	}
	tidyUp(d.path, copies)
}

// joinAlone opens a memory that no other process has open; otherwise it returns
// store.ErrBusy. It creates a missing file if that is allowed.
func (d *DB) joinAlone(ctx context.Context) (bool, error) {
	unlock, err := d.lockMemory(ctx, store.Exclusive, 0)
	if err != nil {
		return false, err
	}
	d.tidyUp()
	if err = d.ensureFile(); err == nil {
		writeRecord(d.path)
	}
	if err := errors.Join(err, unlock()); err != nil {
		return false, err
	}
	if unlock, err = d.lockMemory(ctx, store.Shared, store.BusyTime); err != nil {
		return false, err
	}
	if isRecorded(d.path) {
		d.unlock = unlock
		return true, nil
	}
	return false, unlock()
}

// joinLate is the last attempt after waiting: a restore is in progress, or a process has the
// memory open with other files.
func (d *DB) joinLate(ctx context.Context) error {
	unlock, err := d.lockMemory(ctx, store.Shared, store.BusyTime)
	if err != nil {
		return err
	}
	if d.inUse() {
		d.unlock = unlock
		return nil
	}
	if err := unlock(); err != nil {
		return err
	}
	const hint = "Nothing was changed. Stop every cairn that has it open, such as a server or an agent's session, without killing it: as it ends it saves its writes. Then try again."
	if isRecorded(d.path) {
		return kb.Errorf(kb.Conflict, "another cairn has the memory at %s open, and its files %s and %s are not both there", d.path,
			filepath.Base(walName(d.path)), filepath.Base(shmName(d.path))).WithHint(hint).With("busy", true)
	}
	return kb.Errorf(kb.Conflict, "another cairn has a memory open that was at %s before, and the present file there is a different one", d.path).
		WithHint(hint).With("busy", true)
}

// checkPath is present for a connection to be opened.
func (d *DB) checkPath() error {
	if state, err := d.files.database.State(); state == fsys.NamedSame || err != nil {
		return err
	}
	return d.present()
}

// note records the database file.
func (d *DB) note() error {
	info, err := os.Stat(d.path)
	if err != nil {
		return fsys.Explain(err, "open the memory at %s", d.path)
	}
	d.files.database = fsys.Named{Name: d.path, Info: info}
	return nil
}
