package foreign

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
)

// reading is a database of another program being read, in a single state.
type reading struct {
	*sql.Tx
	file    string
	before  stamped
	as      access
	db      *sql.DB
	scratch string // directory of a copy; "" for none
}

// access is the way to open a database for reading.
type access int

const (
	// unchanging takes no locks and creates no file. It ignores a log and a journal.
	unchanging access = iota
	// shared reads a log through its existing index, which stays unchanged: if the process
	// that made the index has ended, SQLite builds one in memory.
	shared
	// copied reads a copy: to use a log without an index or a journal, SQLite must create or
	// change files next to the database.
	copied
)

// begin opens the database in a file. If the file does not start like a database, the error
// has no code, and the caller explains it.
func begin(ctx context.Context, file string) (_ *reading, err error) {
	r := &reading{file: file}
	if r.before, err = stamp(file); err != nil {
		return nil, err
	}
	if err := isDatabase(file); err != nil {
		return nil, err
	}
	switch {
	case r.before.log == 0 && r.before.journal == 0:
	case r.before.journal == 0 && r.before.shared:
		r.as = shared
	default:
		r.as = copied
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.close())
		}
	}()
	at, mode := file, "mode=ro"
	switch r.as {
	case unchanging:
		mode = "mode=ro&immutable=1"
	case shared:
		mode = "mode=ro&readonly_shm=1"
	case copied:
		mode = "mode=rw"
		if at, err = r.copy(ctx); err != nil {
			return nil, err
		}
	}
	name := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(at)}).EscapedPath(), RawQuery: mode + "&_pragma=trusted_schema(0)"}
	if r.db, err = sql.Open("sqlite", name.String()); err != nil {
		return nil, err
	}
	r.Tx, err = r.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	return r, err
}

// copy copies the database with its log and its journal, and returns the path of the copy.
func (r *reading) copy(ctx context.Context) (at string, err error) {
	if r.scratch, err = fsys.MakeScratch(""); err != nil {
		return "", err
	}
	err = fsys.Within(r.scratch, func(dir *fsys.Dir) error {
		for _, suffix := range []string{"", "-wal", "-journal"} {
			from, err := fsys.OpenRegular(r.file + suffix)
			if suffix != "" && errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			to, err := dir.Create("copy.db"+suffix, 0o600)
			if err == nil {
				for err == nil {
					if err = ctx.Err(); err == nil {
						_, err = io.CopyN(to, from, 16<<20)
					}
				}
				if err == io.EOF {
					err = nil
				}
				err = errors.Join(err, to.Close())
			}
			if err = errors.Join(err, from.Close()); err != nil {
				return err
			}
		}
		return nil
	})
	return filepath.Join(r.scratch, "copy.db"), errors.Join(err, r.unchanged())
}

// close ends the reading.
func (r *reading) close() (err error) {
	if r.Tx != nil {
		_ = r.Rollback() // it was only read
	}
	if r.db != nil {
		err = r.db.Close()
	}
	if r.scratch != "" {
		err = errors.Join(err, fsys.RemoveTree(r.scratch))
	}
	return err
}

// unchanged returns kb.Conflict if the database was written to since it was opened: without
// the locks of SQLite, the data that was read may mix several states.
func (r *reading) unchanged() error {
	now, err := stamp(r.file)
	if err == nil && now != r.before {
		err = kb.Errorf(kb.Conflict, "%s changed while it was read", r.file).WithHint("Nothing was written. Run it again when no program writes there.")
	}
	return err
}

// done is unchanged for a reading that ends. It skips copies, which were compared when they
// were made, and shared databases, whose state SQLite keeps.
func (r *reading) done() error {
	if r.as != unchanging {
		return nil
	}
	return r.unchanged()
}

// read calls do with the database in a file. Errors without a code become kb.Invalid, with
// the name of the program.
func read(ctx context.Context, file, program string, do func(*reading) error) error {
	r, err := begin(ctx, file)
	if err == nil {
		err = errors.Join(r.whole(do), r.close())
	}
	return explained(err, file, program)
}

// whole calls do. If the data may mix several states, it returns that as the error, since
// such data may look damaged.
func (r *reading) whole(do func(*reading) error) error {
	err := do(r)
	if changed := r.done(); changed != nil && !errors.Is(err, errEnough) {
		return changed
	}
	return err
}

// explained turns an error without a code into kb.Invalid.
func explained(err error, file, program string) error {
	if e := (*kb.Error)(nil); err == nil || errors.As(err, &e) || errors.Is(err, errEnough) || errors.Is(err, context.Canceled) {
		return err
	}
	return kb.Errorf(kb.Invalid, "%s cannot be read as a database of %s: %w", file, program, err).WithHint("Nothing was changed.")
}

// errEnough stops reading rows early.
var errEnough = errors.New("enough")

// each runs a query and scans its rows.
func (r *reading) each(ctx context.Context, query string, scan func(*sql.Rows) error, args ...any) (err error) {
	rows, err := r.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// stamped is the metadata that shows whether a database changed, and how it can be read.
type stamped struct {
	size, log, journal int64
	time, logTime      time.Time
	shared             bool // the log has an index
}

func stamp(file string) (s stamped, err error) {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, kb.Errorf(kb.NotFound, "there is no file %s", file)
	case err != nil:
		return s, kb.Errorf(kb.Invalid, "%s cannot be read: %w", file, err)
	case !info.Mode().IsRegular():
		return s, kb.Errorf(kb.Invalid, "%s is not a file", file).WithHint("Name the database itself.")
	}
	s.size, s.time = info.Size(), info.ModTime()
	if log, err := os.Stat(file + "-wal"); err == nil && log.Size() > 0 {
		s.log, s.logTime = log.Size(), log.ModTime()
	}
	if journal, err := os.Stat(file + "-journal"); err == nil && !journal.Mode().IsRegular() {
		return s, kb.Errorf(kb.Invalid, "%s-journal is not a file", file)
	} else if err == nil {
		s.journal = journal.Size()
	}
	s.shared = fsys.Exists(file + "-shm")
	return s, nil
}

// isDatabase returns an error if a file does not start like a database.
func isDatabase(file string) (err error) {
	f, err := fsys.OpenRegular(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	const magic = "SQLite format 3\x00"
	head := make([]byte, len(magic))
	if _, err := io.ReadFull(f, head); err != nil || string(head) != magic {
		return errors.New("not a SQLite database")
	}
	return nil
}
