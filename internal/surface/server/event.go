package server

import (
	"context"
	"maps"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/watch"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Kind is the subject of an Event.
type Kind string

// The kinds of events. The values are stable.
const (
	Watching   Kind = "watching"   // a directory is watched, in Mode
	Synced     Kind = "synced"     // changes of a space are in the memory
	Embedded   Kind = "embedded"   // pages became searchable by meaning
	Maintained Kind = "maintained" // a job that was due was done
	Failed     Kind = "failed"     // something could not be done, and is tried again
	Mended     Kind = "mended"     // a failed part works again
)

// Part is what fails and is mended by itself.
type Part string

// The parts. The values are stable.
const (
	Memory      Part = "memory"    // looking for what other processes did
	Directory   Part = "directory" // syncing one space
	Embedding   Part = "embedding"
	Maintenance Part = "maintenance" // one job, or the check for due jobs
)

// fault names a failed part.
type fault struct {
	part  Part
	space string // of Directory
	job   string // of Maintenance; "" for looking
}

// Event is something that a server did.
type Event struct {
	Kind     Kind             `json:"event"`
	Part     Part             `json:"part,omitempty"` // of failed and mended
	Space    string           `json:"space,omitempty"`
	Job      string           `json:"job,omitempty"`
	Mode     watch.Mode       `json:"mode,omitempty"`
	Reason   string           `json:"reason,omitempty"` // why a directory is not watched by events
	Sync     *api.SyncReport  `json:"sync,omitempty"`
	Embed    *api.EmbedReport `json:"embed,omitempty"`
	Maintain *api.JobReport   `json:"maintain,omitempty"`
	Err      error            `json:"-"`
}

func (s *Server) say(e Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opts.Report(e)
}

// outcome reports the result of work when it changes: a repeated failure is
// reported once. A requested stop is not a failure.
func (s *Server) outcome(ctx context.Context, about fault, err error) {
	if ctx.Err() != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	was, had := s.faults[about]
	switch {
	case err == nil && had:
		delete(s.faults, about)
		s.opts.Report(Event{Kind: Mended, Part: about.part, Space: about.space, Job: about.job})
	case err != nil && (!had || was != kb.AsError(err).Error()):
		s.faults[about] = kb.AsError(err).Error()
		s.opts.Report(Event{Kind: Failed, Part: about.part, Space: about.space, Job: about.job, Err: err})
	}
}

// forget drops the faults of a removed space.
func (s *Server) forget(space string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.faults, fault{part: Directory, space: space})
}

// Faults returns the parts that do not work at the moment, each once.
func (s *Server) Faults() []Part {
	s.mu.Lock()
	defer s.mu.Unlock()
	parts := map[Part]bool{}
	for f := range s.faults {
		parts[f.part] = true
	}
	return slices.Sorted(maps.Keys(parts))
}

// mode reports how a directory is watched, when that changed.
func (s *Server) mode(sp watched, k *keeper) {
	if st := k.watcher.State(); st.Mode != k.mode {
		k.mode = st.Mode
		s.say(Event{Kind: Watching, Space: sp.name, Mode: st.Mode, Reason: st.Reason})
	}
}
