package login

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
)

// Ledger keeps the tickets that are used up, each as a file in a directory that only the
// owner can read, until they would be too old anyway. All servers of a memory share it, and
// it outlives them.
type Ledger struct{ Dir string }

// Spend notes that a ticket is used up. It reports whether it was not before: of several
// servers one is first.
func (l Ledger) Spend(ctx context.Context, use Use, t Ticket, now time.Time) (first bool, err error) {
	if err := fsys.MakeDir(l.Dir); err != nil {
		return false, fsys.Explain(err, "note a sign-in in %s", l.Dir)
	}
	d, err := fsys.OpenDir(l.Dir)
	if err != nil {
		return false, fsys.Explain(err, "note a sign-in in %s", l.Dir)
	}
	until := t.Issued.Add(use.lasts()).UTC().Format(time.RFC3339Nano)
	err = fsys.WriteAtomic(ctx, d, t.Nonce, []byte(until+"\n"), fsys.Absent(), fsys.WriteOptions{Perm: 0o600})
	first = err == nil
	if errors.Is(err, fsys.ErrChanged) {
		err = nil
	}
	if err == nil {
		err = l.clear(ctx, d, now)
	}
	if err = errors.Join(err, d.Close()); err != nil {
		return false, fsys.Explain(err, "note a sign-in in %s", l.Dir)
	}
	return first, nil
}

// Spent reports whether a ticket is used up, or that cannot be told.
func (l Ledger) Spent(t Ticket) bool {
	_, err := os.Lstat(filepath.Join(l.Dir, t.Nonce))
	return !errors.Is(err, fs.ErrNotExist)
}

// clear removes the tickets that are too old to be used.
func (l Ledger) clear(ctx context.Context, d *fsys.Dir, now time.Time) error {
	all, err := os.ReadDir(l.Dir)
	if err != nil {
		return err
	}
	for _, e := range all {
		text, err := os.ReadFile(filepath.Join(l.Dir, e.Name()))
		if err != nil {
			continue // another server has removed it
		}
		until, err := time.Parse(time.RFC3339Nano, strings.TrimSpace(string(text)))
		if err != nil || now.Before(until) {
			continue // not a ticket, or not over
		}
		if err := fsys.RemoveDurable(ctx, d, e.Name(), fsys.Any()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
