package store

import (
	"context"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/lexical"
)

// Memory is an open database. It is safe for concurrent use, and other
// processes may have the same database open.
type Memory interface {
	// View runs f on one consistent state. Writers never block it. Writing methods fail with
	// kb.Internal.
	View(ctx context.Context, f func(Tx) error) error

	// Update runs f in the single write transaction. It commits if f returns nil and ctx is
	// not done, and rolls back otherwise. It waits for other writers up to the busy time,
	// then fails with kb.Conflict and detail "busy". f must not keep the Tx.
	Update(ctx context.Context, f func(Tx) error) error

	// Changed returns a number that changes whenever any process commits. Numbers of
	// different handles are not comparable.
	Changed(ctx context.Context) (int64, error)

	// Info describes the database for people.
	Info(ctx context.Context) (Info, error)

	Close() error
}

// Info describes a database.
type Info struct {
	Path    string
	Bytes   int64
	Schema  int    // number of the newest migration applied
	Engine  string // such as "SQLite 3.53.0"
	Created time.Time
}

// Tx is a transaction, seen through one role at a time.
type Tx interface {
	Spaces() Spaces
	Documents() Documents
	Pages() Pages
	Links() Links
	Items() Items
	Facts() Facts
	History() History
	Journal() Journal
	Failures() Failures
	Settings() Settings
	Gaps() Gaps
	Claims() Claims
	Directories() Directories
	Assertions() Assertions
	Lives() Lives
	Batches() Batches
	Models() Models
	Vectors() Vectors
	Traces() Traces
	// Lexical returns the storage of the full-text index. Its writing methods fail in a
	// View.
	Lexical() lexical.Writer
}

// Spaces stores the spaces and the mappings of directories to them.
type Spaces interface {
	// Add inserts a space and sets its Row; kb.Conflict if the name, the id or the root is
	// taken. If several machines may have the memory open, a directory gets this one as its
	// Host.
	Add(ctx context.Context, s *kb.Space) error
	// Update writes Name, Root, Host, Policy and Synced of the space with s.Row;
	// kb.NotFound, or kb.Conflict as with Add.
	Update(ctx context.Context, s kb.Space) error
	// Remove deletes the space with all its derived and operational rows, and the blobs that
	// nothing else needs. Links from other spaces lose their target. The caller removes the
	// space's pages from the full-text index in the same transaction. For a forgotten space
	// it deletes what Forget kept. kb.NotFound.
	Remove(ctx context.Context, row int64) error
	// All returns the spaces by name. The directory of another machine is a kb.RemoteSpace,
	// with its path in There instead of Root.
	All(ctx context.Context) ([]kb.Space, error)

	// Forget is Remove, but documents, history, gaps, dismissals, batches and mappings are
	// kept until Return or Remove. Other methods do not return them meanwhile, and the name
	// and the root are free. The caller has to check Forgotten so that the id is not used
	// again.
	Forget(ctx context.Context, row int64, at time.Time) error
	// Forgotten returns the forgotten spaces, newest first, without Synced and the fields
	// about derived rows.
	Forgotten(ctx context.Context) ([]kb.Space, error)
	// ForgottenStates is Documents.States of a forgotten space, without Row.
	ForgottenStates(ctx context.Context, row int64) ([]FileState, error)
	// Return restores a forgotten space with Name, Root, Origin, Policy and Accepted of s.
	// Its documents have no pages until they are derived again, so Derivation is -1 and
	// Synced zero. Mappings with a glob that is in use are left out. kb.NotFound, or
	// kb.Conflict as with Add.
	Return(ctx context.Context, s kb.Space) error

	// Map assigns directories that match glob to the space, replacing an entry
	// with the same glob; Unmap removes it. kb.NotFound when the space or the
	// entry does not exist.
	Map(ctx context.Context, glob string, space int64) error
	Unmap(ctx context.Context, glob string) error
	// Maps returns the entries by glob.
	Maps(ctx context.Context) ([]Mapping, error)
}

// Mapping assigns working directories to a space.
type Mapping struct {
	Glob  string // pattern of package glob, of absolute slash-separated directories
	Space int64
}

// WrittenSetting is the prefix of settings that are set together with writes of pages; all
// others rarely change.
const WrittenSetting = "catalog "

// Settings are key-value pairs that belong to the memory.
type Settings interface {
	// Get returns "" for a key that is not set.
	Get(ctx context.Context, key string) (string, error)
	// Set stores value; an empty value removes the key.
	Set(ctx context.Context, key, value string) error
	All(ctx context.Context) (map[string]string, error)
}

// Failures stores files that could not be indexed, so that a file that fails repeatedly is
// skipped until its bytes change.
type Failures interface {
	// All returns the failures of a space by path.
	All(ctx context.Context, space int64) ([]Failure, error)
	// Put inserts or replaces the failure of a path; Clear removes it.
	Put(ctx context.Context, f Failure) error
	Clear(ctx context.Context, space int64, path string) error
}

// Failure is a file that could not be read or indexed.
type Failure struct {
	Space   int64
	Path    string
	Reason  string // for people; no content
	Count   int    // consecutive failures; 0 if they are not a reason to give up
	Size    int64  // size and modification time when it last failed
	ModTime time.Time
	Last    time.Time
}

// Journal stores the intents of unfinished writes. An entry is durable once the transaction
// of Append is committed.
type Journal interface {
	// Append stores an opaque record and returns its number.
	Append(ctx context.Context, record []byte) (int64, error)
	// AppendPart adds a part of a record, numbered from 1, for data that would take too much
	// memory as a whole.
	AppendPart(ctx context.Context, id int64, n int, part []byte) error
	// Parts calls f with the parts of a record in order.
	Parts(ctx context.Context, id int64, f func(part []byte) error) error
	// Clear removes a record and its parts, if it exists.
	Clear(ctx context.Context, id int64) error
	// Pending returns the records in order of their numbers, without their parts.
	Pending(ctx context.Context) ([]JournalEntry, error)
}

// JournalEntry is one unfinished intent.
type JournalEntry struct {
	ID     int64
	Record []byte
}
