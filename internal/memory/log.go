package memory

import (
	"slices"
	"sync"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
)

// keptEvents is the number of events kept for a directory.
const keptEvents = 100

// failedEvent is the change of an event for a failure.
const failedEvent = "failed"

// Log records the syncs of one process since its start. It is safe for concurrent
// use.
type Log struct {
	Now func() time.Time

	mu     sync.Mutex
	spaces map[kb.ID]*api.Activity
}

// Note adds the result of a sync of a space.
func (l *Log) Note(of kb.Space, r api.SyncReport, err error) {
	if l == nil || r.DryRun {
		return
	}
	now := l.Now().UTC()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.spaces == nil {
		l.spaces = map[kb.ID]*api.Activity{}
	}
	a := l.spaces[of.ID]
	if a == nil {
		a = &api.Activity{Since: now}
		l.spaces[of.ID] = a
	}
	events := make([]api.FileEvent, 0, r.Changes()+len(r.Failed))
	add := func(change, path, from string) {
		events = append(events, api.FileEvent{At: now, Change: change, Space: of.Name, Path: path, From: from})
	}
	for _, path := range r.Added {
		add("added", path, "")
	}
	for _, path := range r.Changed {
		add("changed", path, "")
	}
	for _, m := range r.Moved {
		add("moved", m.To, m.From)
	}
	for _, path := range r.Deleted {
		add("deleted", path, "")
	}
	a.Files += len(events)
	for _, f := range r.Failed {
		add(failedEvent, f.Path, "")
	}
	a.Errors += len(r.Failed)
	if err != nil {
		a.Errors++
		add(failedEvent, "", "")
	}
	events = events[max(0, len(events)-keptEvents):]
	a.Events = append(a.Events[max(0, len(a.Events)+len(events)-keptEvents):], events...)
}

// Of returns the syncs of a space, nil for none.
func (l *Log) Of(space kb.ID) *api.Activity {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.spaces[space]
	if a == nil {
		return nil
	}
	return newestFirst(*a)
}

// All returns the syncs of all spaces.
func (l *Log) All() api.Activity {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := api.Activity{}
	for _, a := range l.spaces {
		if out.Since.IsZero() || a.Since.Before(out.Since) {
			out.Since = a.Since
		}
		out.Errors, out.Files, out.Events = out.Errors+a.Errors, out.Files+a.Files, append(out.Events, a.Events...)
	}
	slices.SortStableFunc(out.Events, func(x, y api.FileEvent) int { return x.At.Compare(y.At) })
	return *newestFirst(out)
}

func newestFirst(a api.Activity) *api.Activity {
	a.Events = append([]api.FileEvent{}, a.Events[max(0, len(a.Events)-keptEvents):]...)
	slices.Reverse(a.Events)
	return &a
}
