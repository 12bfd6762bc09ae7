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

// Engine is a memory with the locks by which the processes that use it keep
// out of each other's way. What only some databases can do is an interface of
// its own, found by a type assertion: Backuper, Compacter, Validator, Rester,
// Leaser, Listener, FileBacked, Readable and Tooled.
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

// LockMode is who else may have a lock. A write by a process that lost an Exclusive lock fails.
type LockMode int

// The modes of locks.
const (
	Exclusive LockMode = iota // nobody
	Shared                    // others that share it
	Lease                     // nobody, to save work or to show who is there: writes do not depend on it
)

// ErrBusy means that the lock was held for all of the time that the caller was
// ready to wait.
var ErrBusy = errors.New("lock is held")

// BusyTime is how long to wait for other writers and for locks, unless the
// caller knows better. It is longer than any transaction of ours takes on a
// slow disk.
const BusyTime = 10 * time.Second

// ReadPatience is how long readers wait for writers and for locks. A normal
// write is done by then; a holder that takes longer does much work, or is
// stopped, and an answer from the present state is better than none.
const ReadPatience = 200 * time.Millisecond

type patienceKey struct{}

// WithPatience returns a context with which nothing waits longer than this for
// other writers and for locks, one wait at a time.
func WithPatience(ctx context.Context, wait time.Duration) context.Context {
	return context.WithValue(ctx, patienceKey{}, wait)
}

// Patience returns how long to wait with a context where a caller would wait for
// a given time.
func Patience(ctx context.Context, wait time.Duration) time.Duration {
	if least, ok := ctx.Value(patienceKey{}).(time.Duration); ok {
		return min(least, wait)
	}
	return wait
}

type leanKey struct{}

// WithLittleCache returns a context for writes of any number of documents in one transaction: it
// lasts for minutes, and rarely reads the same pages of the database again.
func WithLittleCache(ctx context.Context) context.Context {
	return context.WithValue(ctx, leanKey{}, true)
}

// HasLittleCache reports whether a context is one of WithLittleCache.
func HasLittleCache(ctx context.Context) bool { return ctx.Value(leanKey{}) != nil }

// IsBusy reports whether an error means that others held a lock, or were
// writing, until the wait ended.
func IsBusy(err error) bool {
	return errors.Is(err, ErrBusy) || err != nil && kb.AsError(err).Details["busy"] != nil
}

// UnsealedSuffix is the suffix of the unencrypted copy of a memory that is about to
// be encrypted, or that was decrypted. A copy left by a killed process is removed
// when the memory is opened by the only user.
const UnsealedSuffix = ".before-sealing"

// Backuper is an Engine that can copy itself to a file.
type Backuper interface {
	// Backup copies the memory as it is now to file, replacing it; others may
	// go on writing. The copy is one file that only its owner can read, and it
	// appears complete and durable, or not at all.
	Backup(ctx context.Context, file string) error
}

// Compacter is an Engine that can give unused space back.
type Compacter interface {
	// Compact returns unused space to the system. Left is the number of bytes
	// that it could not yet merge into the one file, since others read the old
	// data. kb.Conflict with detail "busy" when others write during all of the
	// busy time; nothing is lost then.
	Compact(ctx context.Context) (left int64, err error)
}

// Validator is an Engine that can check itself.
type Validator interface {
	// Validate reads the whole database and checks its structure, references
	// and the hashes of all stored bytes. kb.Damaged when something is wrong,
	// with the details "faults", a list of sentences, and "derived", true when
	// Sweep mends all of it.
	Validate(ctx context.Context) error
	// Sweep deletes orphaned rows and rebuilds rows derived from other rows.
	Sweep(ctx context.Context) error
}

// Rester is an Engine that can free memory while nobody uses it.
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

// Listener is an Engine that hears of the commits of other processes.
type Listener interface {
	// Heard is Memory.Changed for those who ask again and again: it costs nothing, as a
	// rule, and the number may be some seconds late.
	Heard(ctx context.Context) (int64, error)
}

// FileBacked is an Engine that keeps the memory in a file of its own.
type FileBacked interface {
	// Path returns the absolute path of the file.
	Path() string
}

// Snapshotter is an Engine that can copy rows derived from documents in the time of
// copying their bytes.
type Snapshotter interface {
	// Snapshot returns a temporary memory with the spaces, their documents, all that is
	// derived from these, and the models, none of which is active. It takes as many bytes
	// of the process's memory as the database has. One goroutine may use it at a time, and
	// it is gone when it is closed.
	Snapshot(ctx context.Context, o Options) (Engine, error)
}

// Readable is an Engine that can read a memory where nothing can be written, such
// as on a disk that is full or mounted to be read.
type Readable interface {
	// Unwritable returns why nothing can be written to the memory, nil when it
	// is writable. Update fails with the same error.
	Unwritable() error
}

// Copier is a Tx that can copy all of its memory to that of another engine.
type Copier interface {
	// CopyTo copies every row to an empty memory, except unfinished writes, and returns their
	// number by table.
	CopyTo(ctx context.Context, to Tx) ([]Count, error)
	// CopyBytes copies the bytes of all versions, in several transactions of an empty memory,
	// which stays empty without CopyTo after it. Bytes that are there already are kept, and
	// counted: so a copy that was cut off goes on.
	CopyBytes(ctx context.Context, to Memory) (kept int, err error)
}

// Tooled is an Engine or a Driver of a database with its own tools for operations
// that it does not implement.
type Tooled interface {
	// Tool returns the command for a task on the memory at a location.
	Tool(location string, t Task) (command string, err error)
}

// Task is work on a whole database.
type Task string

// The tasks.
const (
	BackupTask  Task = "back up"
	RestoreTask Task = "restore"
	CompactTask Task = "compact"
)

// NotOurs is the error for a task that only the database's own tools do.
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

// Driver opens the memories of one kind of database. A location is an
// absolute path or a URL. A Driver may be a Restorer.
type Driver interface {
	// Open opens the memory at location and upgrades its schema. A missing
	// memory is created, or is kb.Damaged when o.MustExist is set. kb.Damaged
	// also when the file is not a memory, cannot be read, or was made by a
	// newer cairn; it is unchanged then.
	Open(ctx context.Context, location string, o Options) (Engine, error)
	// Exists reports whether something is at location, a memory or not.
	Exists(ctx context.Context, location string) (bool, error)
}

// DefaultMemory is the memory of a URL that names none.
const DefaultMemory = "main"

// scheme requires two letters or more, so that C:/… stays a path on Windows.
var scheme = lazyregexp.New(`^([A-Za-z][A-Za-z0-9+.-]+)://`)

// Scheme returns the scheme of a location that is a URL, in lower case, "" of a path.
func Scheme(location string) string {
	if m := scheme().FindStringSubmatch(location); m != nil {
		return strings.ToLower(m[1])
	}
	return ""
}

// notPath is text that was meant for a database and is no URL: it may hold a password, and
// the path of a file would be shown.
var notPath = lazyregexp.New(`(?i)^\s*(postgres(ql)?:|(host|hostaddr|port|dbname|database|user|password|passfile|service|sslmode|connect_timeout|application_name|options)\s*=)|\bpassword\s*=`)

// IsURL reports whether a location is a URL and not the path of a file.
func IsURL(location string) bool { return Scheme(location) != "" }

// CheckURL fails for a URL with a password in it: it would be seen in lists of processes, in
// files of settings, and wherever a location is shown. It also fails for text that was meant
// to be a URL, or to be the parameters of a connection.
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
	Clock     func() time.Time // for the time a memory was created
	Host      string           // name of this machine, "" when it is unknown; see kb.Space.Host
	MustExist bool             // a missing memory is an error; nothing is created
	ReadOnly  bool             // implies MustExist; an older schema is an error, and is not brought up to date
}

// Restorer is a Driver that can replace a memory by a backup. It is not part of
// Engine, because the memory to replace may be missing or impossible to open.
type Restorer interface {
	// Restore makes a copy of the backup the memory at location. The old memory
	// is kept. kb.NotFound without a backup, kb.Usage when it is the memory
	// itself, kb.Damaged when it is not a valid memory or has a newer schema,
	// and kb.Conflict with detail "busy" when the memory is open. After an
	// error nothing has changed.
	Restore(ctx context.Context, location string, r RestoreRequest) (Restored, error)
}

// RestoreRequest names a backup.
type RestoreRequest struct {
	From   string // absolute path of what Backup wrote, or of any copy of a memory
	DryRun bool   // check it, and change nothing
	Clock  func() time.Time

	// Unseal decrypts From to a file, which is removed; nil when From is not encrypted.
	Unseal func(to string) error
}

// Restored is the result of a restore.
type Restored struct {
	Bytes int64  // of the restored memory
	Kept  string // where the previous memory is now; "" when there was none
}
