package webui

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/history"
)

const (
	// lookEvery is how often the memory is asked for changes. A look takes microseconds.
	lookEvery = time.Second
	// quietLooks is after how many looks without a change a comment is sent, which shows
	// that the connection works.
	quietLooks = 15
	// maxChanges is how many changes one event names; after more, a browser reads again.
	maxChanges = 200
	// sendTime is how long a browser may take to read an event.
	sendTime = time.Minute
)

// events streams the refs of pages that change.
func (s *Server) events(w http.ResponseWriter, r *http.Request, _ kb.Actor) {
	a, err := s.opts.Memory.Session(r.Context(), false)
	if err != nil {
		s.refuse(w, http.StatusNotFound, "There is no memory yet.")
		return
	}
	out := http.NewResponseController(w)
	send := func(text string) bool {
		_ = out.SetWriteDeadline(s.opts.Now().Add(sendTime)) // only a socket has it
		if _, err := w.Write([]byte(text)); err != nil {
			return false
		}
		return out.Flush() == nil
	}
	var seen int64
	newest, err := history.Changes(r.Context(), a, 0, 1)
	if err == nil && len(newest.Items) > 0 {
		seen = newest.Items[0].Seq
	}
	mark, _ := a.Changed(r.Context())
	w.Header().Set("Content-Type", "text/event-stream")
	if !send(": changes follow\n\n") {
		return
	}
	for quiet := 0; ; {
		select {
		case <-r.Context().Done():
			return
		case <-s.opts.After(lookEvery):
		}
		// A session may have ended while its stream is open.
		if _, ok := s.session(r); !ok {
			return
		}
		now, err := a.Changed(r.Context())
		if err != nil || now == mark {
			if quiet++; quiet >= quietLooks {
				quiet = 0
				if !send(":\n\n") {
					return
				}
			}
			continue
		}
		mark = now
		list, err := history.Changes(r.Context(), a, seen, maxChanges)
		if err != nil || len(list.Items) == 0 {
			continue
		}
		var refs []string
		for _, c := range list.Items {
			seen = max(seen, c.Seq)
			if !slices.Contains(refs, c.Ref) {
				refs = append(refs, c.Ref)
			}
		}
		text, err := json.Marshal(refs)
		if err != nil || !send("event: change\ndata: "+string(text)+"\n\n") {
			return
		}
		quiet = 0
	}
}
