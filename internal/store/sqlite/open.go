package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/pool"
)

const (
	// maxReaders is the number of reading connections that are kept open. Each may use 16
	// MiB of page cache.
	maxReaders = 8

	// readerWait is how long a reader waits for one of them before another connection is
	// opened for it. Opening one and preparing its statements takes some 2 ms of processor
	// time; most reads take less.
	readerWait = 10 * time.Millisecond

	// writerWait is SQLite's own wait for a lock on the writing connection; begin repeats it
	// until the busy time is over.
	writerWait = 50 * time.Millisecond
)

// Options control how a memory is opened.
type Options struct {
	Clock    func() time.Time // for the creation time of a memory; time.Now if nil
	Host     string           // see store.Options
	BusyTime time.Duration    // wait for other writers; 0 is store.BusyTime
	// MustExist makes a missing file an error (kb.Damaged); nothing is created.
	MustExist bool
	// ReadOnly opens for reading; implies MustExist, and never migrates.
	ReadOnly bool
	// disposable is set for a copy that will be migrated: it needs no backup of its own.
	disposable bool
	// temporary is set for a database in memory only.
	temporary bool
}

// DB is an open memory. It implements store.Engine and its optional interfaces.
type DB struct {
	path  string
	files openFiles // empty for a temporary memory
	// frozen is nil for a writable memory. It changes together with files and unlock only
	// while live is held exclusively; users of connections hold live shared.
	frozen  atomic.Pointer[frozen]
	live    sync.RWMutex
	schema  int // number of the memory's newest migration when it was opened
	options Options
	unlock  func() error  // releases the share of the memory's lock; nil without one
	writing chan struct{} // holds an element while a writer is active
	writer  *conn         // opened by the first writer; guarded by writing

	readers *pool.Pool[*conn]

	watchMu sync.Mutex
	watch   *conn // only reads data_version; nil before its first use
}

var (
	_ store.Engine      = (*DB)(nil)
	_ store.Backuper    = (*DB)(nil)
	_ store.Compacter   = (*DB)(nil)
	_ store.Validator   = (*DB)(nil)
	_ store.Rester      = (*DB)(nil)
	_ store.FileBacked  = (*DB)(nil)
	_ store.Readable    = (*DB)(nil)
	_ store.Snapshotter = (*DB)(nil)
)

func newDB(path string, o Options) *DB {
	return &DB{path: path, options: o, writing: make(chan struct{}, 1), readers: pool.New[*conn](maxReaders, readerWait)}
}

// Open opens the memory at path and upgrades its schema. A missing memory is created with
// its directory if that is allowed.
//
// kb.Damaged if there is no memory and MustExist is set, if the file is not a memory or
// cannot be read, and if it was made by a newer cairn; the file is unchanged then.
// kb.Conflict with detail "busy" if another process locks it for longer than the busy time.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.BusyTime == 0 {
		o.BusyTime = store.BusyTime
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, kb.Errorf(kb.Internal, "cannot locate %s: %w", path, err)
	}
	d := newDB(abs, o)
	if err := d.open(ctx); err != nil {
		return nil, errors.Join(d.public(err), d.Close())
	}
	return d, nil
}

func (d *DB) open(ctx context.Context) error {
	if d.options.temporary {
		return d.prepare(ctx)
	}
	if err := d.join(ctx); err != nil {
		return err
	}
	if err := d.ensureFile(); err != nil {
		return err
	}
	if err := d.note(); err != nil {
		return err
	}
	if err := d.prepare(ctx); err != nil {
		return d.openFrozen(ctx, err)
	}
	if err := d.noteLogs(); err != nil {
		return err
	}
	if d.files.log.Info == nil && !d.options.ReadOnly {
		if err := d.beginLog(ctx); err != nil {
			return err
		}
	}
	return d.present()
}

// beginLog switches a database to WAL mode, which copies made by other programs may lack:
// otherwise readers would wait for writers, and its files would not show that it is open.
func (d *DB) beginLog(ctx context.Context) error {
	w, err := d.lockWriter(ctx)
	if err != nil {
		return err
	}
	err = d.retry(ctx, func() error { return w.interruptible(ctx, "PRAGMA journal_mode = WAL") })
	if err == nil {
		_, err = readSchemaOnce(ctx, w)
	}
	d.unlockWriter()
	return errors.Join(err, d.noteLogs())
}

// temporaries numbers the temporary databases of this process, for their names.
var temporaries atomic.Int64

// OpenTemporary returns an empty memory that leaves nothing on the disk and is removed when
// it is closed. It takes as much process memory as a file would have bytes, up to 1 GiB
// (SQLite's limit). One goroutine may use it at a time: readers and the writer block each
// other.
func OpenTemporary(ctx context.Context, o Options) (*DB, error) {
	o.temporary = true
	// The name is an impossible path, so that using it as a file fails at once.
	return Open(ctx, fmt.Sprintf("/dev/null/cairn-temporary-%d", temporaries.Add(1)), o)
}

// ensureFile checks that the file exists, or creates it with its directory. Its mode is set
// while it is empty, and SQLite gives its other files the same mode.
func (d *DB) ensureFile() error {
	info, err := os.Stat(d.path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return kb.Errorf(kb.Damaged, "%s is not a file", d.path).WithReason(kb.NotAFile)
	case err == nil && info.Size() == 0:
		return checkNew(d.path)
	case err == nil:
		// SQLite would wait for a writer to a FIFO.
		if log, err := os.Stat(d.path + "-journal"); err == nil && !log.Mode().IsRegular() {
			return kb.Errorf(kb.Damaged, "%s-journal is not a file", d.path).WithReason(kb.NotAFile)
		}
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return kb.Errorf(kb.Damaged, "cannot open the memory at %s: %w", d.path, err).
			WithHint("nothing was changed; check the permissions of its directory")
	}
	if err := checkNew(d.path); err != nil {
		return err
	}
	if d.mustExist() {
		return kb.Errorf(kb.Damaged, "no memory at %s", d.path).
			WithReason(kb.NoDatabase)
	}
	if err := fsys.MakeDir(filepath.Dir(d.path)); err != nil {
		return fsys.Explain(err, "make the directory of the memory at %s", d.path)
	}
	return d.touch(d.path)
}

// touch creates an empty file that only its owner can read, unless it exists.
func (d *DB) touch(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		err = f.Close()
	}
	return fsys.Explain(err, "make %s", path)
}

// connect opens a connection. Opening reads the file, which may have to wait while another
// process recovers or removes the log. SQLite does not always wait for that, so connect
// retries.
func (d *DB) connect(ctx context.Context, write bool) (*conn, error) {
	busy := d.options.BusyTime
	if write {
		busy = writerWait
	}
	return d.connectTo(ctx, dsn(d.path, write, d.options.ReadOnly, busy), busy)
}

func (d *DB) connectTo(ctx context.Context, name string, busy time.Duration) (*conn, error) {
	if d.options.temporary {
		name += "&vfs=memdb" // one database for all connections of the process that use the name
	}
	if f := d.frozen.Load(); f != nil {
		name = f.dsn(d.path, busy)
	}
	if err := d.checkPath(); err != nil {
		return nil, err
	}
	var c *conn
	err := d.retry(ctx, func() (err error) {
		c, err = connect(name)
		return err
	})
	return c, err
}

// retryPause is the time between attempts where SQLite itself does not wait.
const retryPause = 2 * time.Millisecond

// retry calls f until it is not busy, within the busy time.
func (d *DB) retry(ctx context.Context, f func() error) error {
	return d.retryFor(ctx, d.options.BusyTime, f)
}

func (d *DB) retryFor(ctx context.Context, wait time.Duration, f func() error) error {
	deadline := time.Now().Add(wait)
	for {
		err := f()
		if !isBusy(err) {
			return err
		}
		if !time.Now().Before(deadline) {
			return d.busy(err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(retryPause):
		}
	}
}

// Path returns the absolute path of the database file.
func (d *DB) Path() string { return d.path }

// Close waits for the active writer and closes the handle. Views that still
// run keep their connections until they end. Closing again does nothing.
func (d *DB) Close() error {
	d.live.RLock()
	defer d.live.RUnlock()
	idle, open := d.readers.Close()
	if !open {
		return nil
	}

	d.watchMu.Lock()
	watch := d.watch
	d.watch = nil
	d.watchMu.Unlock()
	d.writing <- struct{}{}
	writer := d.writer
	d.writer = nil
	d.unlockWriter()

	var errs []error
	if !d.usurped() {
		d.saveLog(context.Background(), writer)
		// The writer last, so that it is the one that merges the log into the file.
		for _, c := range append(idle, watch, writer) {
			if c != nil {
				errs = append(errs, c.close())
			}
		}
	}
	if d.unlock != nil {
		errs = append(errs, d.unlock(), d.tidy(context.Background()))
	}
	return d.public(errors.Join(errs...))
}

// Rest implements store.Rester: it drops cached pages of the file. Connections in use are
// not affected.
func (d *DB) Rest(ctx context.Context) {
	d.live.RLock()
	defer d.live.RUnlock()
	for _, c := range d.readers.Idle() {
		c.shrink(ctx)
		d.release(c)
	}
	select {
	case d.writing <- struct{}{}:
		if d.writer != nil {
			d.writer.shrink(ctx)
		}
		d.unlockWriter()
	default:
	}
}

// Changed implements store.Memory. The number is SQLite's data_version on a connection that
// never writes, so it also counts the commits of this process. Numbers of different handles
// are not comparable.
func (d *DB) Changed(ctx context.Context) (int64, error) {
	d.refreeze(ctx)
	d.live.RLock()
	defer d.live.RUnlock()
	d.watchMu.Lock()
	defer d.watchMu.Unlock()
	if d.readers.Closed() {
		return 0, errClosed(d.path)
	}
	if err := d.present(); err != nil {
		return 0, err
	}
	if d.watch == nil {
		c, err := d.connectTo(ctx, watchDSN(d.path, d.options.ReadOnly, d.options.BusyTime), d.options.BusyTime)
		if err != nil {
			return 0, d.public(err)
		}
		d.watch = c
	}
	var n int64
	err := d.watch.query(ctx, "PRAGMA data_version", nil, func(r row) error {
		n = r.Int(0)
		return nil
	})
	return n, d.public(err)
}

// Info implements store.Memory. Bytes counts the file and its log.
func (d *DB) Info(ctx context.Context) (store.Info, error) {
	info := store.Info{Path: d.path}
	c, err := d.reader(ctx)
	if err != nil {
		return info, d.public(err)
	}
	defer d.release(c)
	err = errors.Join(
		c.query(ctx, "SELECT sqlite_version()", nil, func(r row) error {
			info.Engine = "SQLite " + r.Text(0)
			return nil
		}),
		c.query(ctx, "SELECT max(number), min(applied) FROM migrations", nil, func(r row) error {
			info.Schema, info.Created = r.Num(0), r.Time(1)
			return nil
		}))
	if err != nil {
		return info, d.public(err)
	}
	if d.options.temporary {
		err := c.query(ctx, "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size", nil, func(r row) error { info.Bytes = r.Int(0); return nil })
		return info, d.public(err)
	}
	for _, suffix := range []string{"", "-wal"} {
		st, err := os.Stat(d.path + suffix)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return info, kb.Errorf(kb.Internal, "cannot measure the memory: %w", err)
		}
		info.Bytes += st.Size()
	}
	return info, nil
}
