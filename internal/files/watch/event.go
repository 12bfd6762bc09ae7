package watch

import (
	"context"
	"path"
	"path/filepath"
	"strings"

	"github.com/fsnotify/fsnotify"

	"github.com/cairn-kb/cairn/internal/files/vault"
)

// event handles one event.
func (r *run) event(ctx context.Context, e fsnotify.Event, open bool) {
	if !open {
		r.lost(open)
		return
	}
	if e.Name == "" {
		return
	}
	rel, err := filepath.Rel(r.root, e.Name)
	if err != nil {
		return
	}
	name := filepath.ToSlash(rel)
	gone := e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename)
	switch {
	case e.Op == fsnotify.Chmod, strings.HasPrefix(name, "../"):
		return
	case name == ".":
		r.rebuild = true // the root itself, reported by its parent
	case gone && r.watched.dirs[name]:
		r.rebuild = true
	case vault.IsIgnoreFile(name):
		// Ignored directories may be watched, and directories without a watch may need one
		// now.
		r.rebuild = true
	case vault.IsSidecar(name):
	case e.Has(fsnotify.Create) && vault.IsSidecarDir(name):
		r.stale = true
	case vault.Hidden(name):
		return
	default:
		if !r.matters(ctx, name, e.Has(fsnotify.Create)) {
			return
		}
	}
	r.touch()
}

// matters reports whether a name is that of a note or of a newly created directory.
func (r *run) matters(ctx context.Context, name string, created bool) bool {
	isDir := false
	if created {
		info, err := r.watched.tree.Lstat(name)
		isDir = err == nil && info.IsDir()
	}
	if !isDir && !r.opts.Rules.IsNote(path.Base(name)) {
		return false
	}
	rule, err := r.watched.matcher.Ignored(ctx, name, isDir)
	if err == nil && rule != nil {
		return false
	}
	// If an ignore file cannot be read, nothing is ignored: an unnecessary sync is better
	// than a missed change.
	r.stale = r.stale || isDir
	return true
}

// lost handles an error of the notifier. Events may be missing after any error, so the whole
// directory counts as changed.
func (r *run) lost(open bool) {
	if !open {
		r.unwatch()
	}
	r.rebuild = true
	r.touch()
}
