package watch

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/fsnotify/fsnotify"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/vault"
)

// notifier is the subset of fsnotify.Watcher that is used.
type notifier interface {
	Add(name string) error
	Close() error
	channels() (<-chan fsnotify.Event, <-chan error)
}

type system struct{ *fsnotify.Watcher }

func (s system) channels() (<-chan fsnotify.Event, <-chan error) { return s.Events, s.Errors }

func systemNotifier() (notifier, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	return system{w}, nil
}

// watches is a set of directory watches. It only grows: after directories are
// removed or moved, watches of the old names may still report events, or may belong
// to the new names. Only a new set is reliable then.
type watches struct {
	notifier
	tree    *fsys.Dir
	matcher *vault.Matcher
	dirs    map[string]bool
}

func (r *run) channels() (<-chan fsnotify.Event, <-chan error) {
	if r.watched == nil {
		return nil, nil
	}
	return r.watched.channels()
}

func (r *run) unwatch() {
	if r.watched == nil {
		return
	}
	// Nothing was written through either, so a failure to close loses nothing.
	_ = r.watched.Close()
	_ = r.watched.tree.Close()
	r.watched = nil
}

// refresh updates the watches to the existing directories, and sets the mode of the Watcher.
func (r *run) refresh(ctx context.Context) {
	r.stale, r.rebuild, r.poll = false, false, nil
	err := r.fill(ctx)
	switch {
	case ctx.Err() != nil:
	case err == nil:
		r.scanned = nil
		r.set(State{Mode: Events, Dirs: len(r.watched.dirs)})
	case errors.As(err, new(unwatchable)) && r.scan(ctx) == nil:
		r.unwatch()
		r.poll = r.opts.After(r.opts.Poll)
		r.set(State{Mode: Polling, Reason: Reason(err)})
	default:
		r.unwatch()
		r.scanned = nil
		r.poll = r.opts.After(r.opts.Poll)
		r.set(State{Mode: Missing, Reason: Reason(err)})
	}
}

// fill watches every directory that may contain notes. It repeats the listing until every
// directory has a watch, so it finds directories that are added meanwhile; later ones are
// reported by events.
func (r *run) fill(ctx context.Context) error {
	if r.watched == nil {
		tree, err := fsys.OpenDir(r.root)
		if err != nil {
			return err
		}
		n, err := r.notify()
		if err != nil {
			return errors.Join(unwatchable{err}, tree.Close())
		}
		r.watched = &watches{
			notifier: n, tree: tree, dirs: map[string]bool{},
			matcher: vault.NewMatcher(tree, r.opts.Rules.FoldCase),
		}
		// A directory that is held open, as by a server, does not report its own removal;
		// its parent does. If the parent cannot be watched, only this event is missed.
		_ = n.Add(filepath.Dir(r.root))
	}
	for {
		list, err := vault.Scan(ctx, r.watched.tree, r.opts.Rules)
		if err != nil {
			return err
		}
		added := false
		for _, d := range list.Dirs {
			if r.watched.dirs[d] {
				continue
			}
			err := r.watched.Add(filepath.Join(r.root, filepath.FromSlash(d)))
			switch {
			case errors.Is(err, fs.ErrNotExist) && d != ".", errors.Is(err, fs.ErrPermission):
				continue // removed since, or without permission to watch it
			case err != nil:
				return unwatchable{err}
			}
			r.watched.dirs[d] = true
			added = true
		}
		if !added {
			return nil
		}
	}
}

// scan compares the present files when events are not available.
func (r *run) scan(ctx context.Context) error {
	tree, err := fsys.OpenDir(r.root)
	if err != nil {
		return err
	}
	list, err := vault.Scan(ctx, tree, r.opts.Rules)
	if err == nil {
		r.scanned = list.Files
	}
	return errors.Join(err, tree.Close())
}

// unwatchable means that the system reports no events for a directory.
type unwatchable struct{ cause error }

func (u unwatchable) Error() string { return u.cause.Error() }
func (u unwatchable) Unwrap() error { return u.cause }
