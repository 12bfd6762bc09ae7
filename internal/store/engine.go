package store

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// Engine is a memory with the locks that separate the processes using it. Abilities of only
// some databases are interfaces of their own, found by type assertions: Backuper, Compacter,
// Validator, Rester, Leaser, Listener, FileBacked, Readable and Tooled.
type Engine interface {
	Memory

	// Lock takes the lock of the memory with this name: letters, digits and
	// "-". An Exclusive lock excludes all others, of other processes and of
	// other goroutines; a Shared lock excludes exclusive ones. The goroutines
	// of one process get an exclusive lock in the order of their calls.
	//
	// Lock waits until ctx is done, and returns its error, or at most for the
	// time wait; then it fails with kb.Conflict and the detail "busy", and
	// wraps ErrBusy. Calling unlock again does nothing. A lock is released when
	// its process ends for any reason. It is not tied to a transaction.
	Lock(ctx context.Context, name string, mode LockMode, wait time.Duration) (unlock func() error, err error)
}

// LockMode defines who else may hold a lock. If a process has lost an Exclusive lock, its
// writes fail.
type LockMode int

// The modes of locks.
const (
	Exclusive LockMode = iota // nobody
	Shared                    // others that share it
	Lease                     // nobody; only to save work or to show activity, since writes do not depend on it
)

// ErrBusy means that the lock was held for as long as the caller was willing to wait.
var ErrBusy = errors.New("lock is held")

// BusyTime is the default time to wait for other writers and for locks. It is longer than
// any of our transactions takes on a slow disk.
const BusyTime = 10 * time.Second

// ReadPatience is the time that readers wait for writers and for locks. A normal write is
// finished by then. If a holder takes longer, it does much work or is stopped, and an answer
// from the present state is better than none.
const ReadPatience = 200 * time.Millisecond

type patienceKey struct{}

// WithPatience returns a context that limits each single wait for other writers and for
// locks.
func WithPatience(ctx context.Context, wait time.Duration) context.Context {
	return context.WithValue(ctx, patienceKey{}, wait)
}

// Patience returns the time to wait with a context, if the caller would wait for a given
// time otherwise.
func Patience(ctx context.Context, wait time.Duration) time.Duration {
	if least, ok := ctx.Value(patienceKey{}).(time.Duration); ok {
		return min(least, wait)
	}
	return wait
}

type leanKey struct{}

// WithLittleCache returns a context for transactions that write any number of documents:
// they last for minutes, and rarely read the same database pages again.
func WithLittleCache(ctx context.Context) context.Context {
	return context.WithValue(ctx, leanKey{}, true)
}

// HasLittleCache reports whether a context comes from WithLittleCache.
func HasLittleCache(ctx context.Context) bool { return ctx.Value(leanKey{}) != nil }

// IsBusy reports whether an error means that others held a lock, or were writing, for the
// whole wait.
func IsBusy(err error) bool {
	return errors.Is(err, ErrBusy) || err != nil && kb.AsError(err).Details["busy"] != nil
}

// UnsealedSuffix is the suffix of the unencrypted copy of a memory that will be encrypted,
// or that was decrypted. If a killed process leaves such a copy, it is removed when the
// memory is opened and not in use elsewhere.
const UnsealedSuffix = ".before-sealing"

// Backuper is an Engine that can copy itself to a file.
type Backuper interface {
	// Backup copies the present state of the memory to file, replacing it; others may go on
	// writing. The copy is one file that only its owner can read. It appears complete and
	// durable, or not at all.
	Backup(ctx context.Context, file string) error
}

// Compacter is an Engine that can return unused space.
type Compacter interface {
	// Compact returns unused space to the system. left is the number of bytes that it could
	// not merge into the database file yet, because others read the old data. kb.Conflict
	// with detail "busy" if others write during the whole busy time; nothing is lost then.
	Compact(ctx context.Context) (left int64, err error)
}

// Validator is an Engine that can check itself.
type Validator interface {
	// Validate reads the whole database and checks its structure, references and the hashes
	// of all stored bytes. If something is wrong it returns kb.Damaged, with the details
	// "faults", a list of sentences, and "derived", true if Sweep repairs all of it.
	Validate(ctx context.Context) error
	// Sweep deletes orphaned rows and rebuilds rows derived from other rows.
	Sweep(ctx context.Context) error
}

// Rester is an Engine that can free memory while it is idle.
type Rester interface {
	// Rest frees the caches of idle connections. Connections in use are
	// unaffected.
	Rest(ctx context.Context)
}

// Leaser is an Engine whose locks can be lost while their holder runs.
type Leaser interface {
	// Holds reports whether this process still has the Lease of this name.
	Holds(ctx context.Context, name string) bool
}

// Listener is an Engine that is notified of the commits of other processes.
type Listener interface {
	// Heard is Memory.Changed for frequent calls: it usually costs nothing, and the number
	// may be some seconds old.
	Heard(ctx context.Context) (int64, error)
}

// FileBacked is an Engine that keeps the memory in a file of its own.
type FileBacked interface {
	// Path returns the absolute path of the file.
	Path() string
}

// Snapshotter is an Engine that can copy the rows derived from documents as fast as their
// bytes.
type Snapshotter interface {
	// Snapshot returns a temporary memory with the spaces, their documents, all data derived
	// from these, and the models, none of which is active. It takes as much process memory
	// as the database has bytes. One goroutine may use it at a time, and it is removed when
	// it is closed.
	Snapshot(ctx context.Context, o Options) (Engine, error)
}

// Readable is an Engine that can read a memory that is not writable, such as on a full or
// read-only disk.
type Readable interface {
	// Unwritable returns the reason why the memory is not writable, nil if it is. Update
	// fails with the same error.
	Unwritable() error
}

// Copier is a Tx that can copy its whole memory to that of another engine.
type Copier interface {
	// CopyTo copies every row to an empty memory, except unfinished writes, and returns their
	// number by table.
	CopyTo(ctx context.Context, to Tx) ([]Count, error)
	// CopyBytes copies the bytes of all versions to an empty memory, in several
	// transactions. Without a CopyTo after it, that memory still counts as empty. Existing
	// bytes are kept, and counted in kept, so that an interrupted copy can be resumed.
	CopyBytes(ctx context.Context, to Memory) (kept int, err error)
}

// Tooled is an Engine or a Driver of a database that has external tools for operations it
// does not implement.
type Tooled interface {
	// Tool returns the command for a task on the memory at a location.
	Tool(location string, t Task) (command string, err error)
}

// Task is an operation on a whole database.
type Task string

// The tasks.
const (
	BackupTask  Task = "back up"
	RestoreTask Task = "restore"
	CompactTask Task = "compact"
)

// NotOurs is the error for a task that only the database's own tools can do.
func NotOurs(d any, location string, t Task) error {
	e := kb.Errorf(kb.Usage, "cairn does not %s this kind of database", t)
	tooled, ok := d.(Tooled)
	if !ok {
		return e.WithHint("Nothing was changed. Use the tools of the database.")
	}
	command, err := tooled.Tool(location, t)
	if err != nil {
		return err
	}
	return e.WithReason(kb.DatabaseTool).WithFact("command", command)
}

// Driver opens the memories of one kind of database. A location is an absolute path or a
// URL. A Driver may also be a Restorer.
type Driver interface {
	// Open opens the memory at location and upgrades its schema. A missing memory is
	// created, or kb.Damaged if o.MustExist is set. It also returns kb.Damaged if the file
	// is not a memory, cannot be read, or was made by a newer cairn; the file is unchanged
	// then.
	Open(ctx context.Context, location string, o Options) (Engine, error)
	// Exists reports whether anything exists at location, a memory or not.
	Exists(ctx context.Context, location string) (bool, error)
}

// DefaultMemory is the memory of a URL without a name.
const DefaultMemory = "main"

// scheme requires two letters or more, so that C:/… stays a path on Windows.
var scheme = lazyregexp.New(`^([A-Za-z][A-Za-z0-9+.-]+)://`)

// Scheme returns the scheme of a URL in lower case, "" for a path.
func Scheme(location string) string {
	if m := scheme().FindStringSubmatch(location); m != nil {
		return strings.ToLower(m[1])
	}
	return ""
}

// notPath matches text that was meant for a database but is not a URL. It may contain a
// password, and as the path of a file it would be shown.
var notPath = lazyregexp.New(`(?i)^\s*(postgres(ql)?:|(host|hostaddr|port|dbname|database|user|password|passfile|service|sslmode|connect_timeout|application_name|options)\s*=)|\bpassword\s*=`)

// IsURL reports whether a location is a URL rather than a path.
func IsURL(location string) bool { return Scheme(location) != "" }

// CheckURL fails for a URL with a password, which would be visible in process lists, in
// configuration files, and wherever a location is shown. It also fails for text that was
// meant as a URL or as connection parameters.
func CheckURL(location string) error {
	if !IsURL(location) {
		if notPath().MatchString(location) {
			return kb.Errorf(kb.Usage, "the location of the memory looks like that of a database, and is not a URL").WithReason(kb.InvalidDatabaseURL)
		}
		return nil
	}
	u, err := url.Parse(location)
	var q url.Values
	secret := false
	if err == nil {
		q, err = url.ParseQuery(u.RawQuery)
	}
	if err != nil {
		return kb.Errorf(kb.Usage, "invalid URL of a memory").WithReason(kb.InvalidDatabaseURL)
	}
	for name := range q {
		switch strings.ToLower(name) {
		case "password", "sslpassword":
			secret = true
		}
	}
	if _, has := u.User.Password(); has || secret {
		return kb.Errorf(kb.Usage, "the URL of the memory has a password in it").WithReason(kb.PasswordInURL)
	}
	return nil
}

// Options control how a memory is opened.
type Options struct {
	Clock     func() time.Time // for the creation time of a memory
	Host      string           // name of this machine, "" if unknown; see kb.Space.Host
	MustExist bool             // a missing memory is an error; nothing is created
	ReadOnly  bool             // implies MustExist; an older schema is an error, and is not upgraded
}

// Restorer is a Driver that can replace a memory by a backup. It is not part of Engine,
// because the memory to be replaced may be missing or impossible to open.
type Restorer interface {
	// Restore replaces the memory at location by a copy of the backup. The old memory is
	// kept. kb.NotFound without a backup, kb.Usage if the backup is the memory itself,
	// kb.Damaged if it is not a valid memory or has a newer schema, and kb.Conflict with
	// detail "busy" if the memory is open. After an error nothing has changed.
	Restore(ctx context.Context, location string, r RestoreRequest) (Restored, error)
}

// RestoreRequest names a backup.
type RestoreRequest struct {
	From   string // absolute path of a backup, or of any copy of a memory
	DryRun bool   // check the backup, but change nothing
	Clock  func() time.Time

	// Unseal decrypts From to a temporary file; nil if From is not encrypted.
	Unseal func(to string) error
}

// Restored is the result of a restore.
type Restored struct {
	Bytes int64  // of the restored memory
	Kept  string // path of the previous memory; "" if there was none
}
