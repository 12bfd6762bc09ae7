package httpapi

import (
	"net/http"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
)

// health is the state of the server, readable by anyone.
type health struct {
	Status  string   `json:"status"` // ready or degraded
	Version string   `json:"version"`
	Faults  []string `json:"faults"`
	Sync    syncing  `json:"sync"`
}

// syncing is counts and times of changes read from files, without names, since
// it is readable without a token.
type syncing struct {
	Running bool         `json:"running"`
	Since   *time.Time   `json:"since,omitempty"` // the first sync; absent before it
	Errors  int          `json:"errors"`
	Files   int          `json:"files"`
	Events  []syncedFile `json:"events"` // newest first
}

type syncedFile struct {
	At     time.Time `json:"at"`
	Change string    `json:"change"` // added, changed, moved, deleted, failed
}

func syncingOf(a api.Activity) syncing {
	out := syncing{Running: true, Errors: a.Errors, Files: a.Files, Events: []syncedFile{}}
	if !a.Since.IsZero() {
		out.Since = &a.Since
	}
	for _, e := range a.Events {
		out.Events = append(out.Events, syncedFile{e.At, e.Change})
	}
	return out
}

// health answers as long as the server runs. Degraded is not a failure: the
// index is served, and failed work is retried.
func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	h := health{Status: "ready", Version: s.opts.Version, Faults: s.opts.Faults(), Sync: syncingOf(s.opts.Synced())}
	if len(h.Faults) > 0 {
		h.Status = "degraded"
	} else {
		h.Faults = []string{}
	}
	respond(w, h)
}
