package httpapi

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/calendar/routine"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/history"
)

const (
	// lookEvery is the polling interval for changes. A poll takes microseconds.
	lookEvery = time.Second
	// quietLooks is after how many looks without a change a comment is sent, so
	// that proxies keep the connection, and one that is dead is noticed.
	quietLooks = 15
	// maxMissed is the maximum number of changes sent one by one; a client that
	// missed more must read again.
	maxMissed = 1000
	// writeTime is how long a client may take to read what it is sent.
	writeTime = time.Minute
)

// events streams all changes, by any writer, as server-sent events, oldest
// first, and routines that become due. The id of each change lets a client that
// reconnects resume after it.
func (s *Server) events(w http.ResponseWriter, r *http.Request) { s.stream(w, r, s.holds) }

// stream is events for a client that is let in as long as holds says so.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, holds func(*http.Request) bool) {
	a, err := s.opts.Memory.Session(r.Context(), false)
	if err != nil {
		fail(w, err)
		return
	}
	f := &feed{Server: s, app: a, out: http.NewResponseController(w), w: w}
	if err := f.begin(r); err != nil {
		fail(w, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	// The id lets a client resume here that loses the stream before the first change.
	f.send(fmt.Sprintf("id: %d\n: changes follow\n\n", f.seen))
	for f.sendChanges(r) && s.follows(r, holds) {
	}
}

// feed is one client's stream.
type feed struct {
	*Server
	app    *memory.Session
	w      http.ResponseWriter
	out    *http.ResponseController
	seen   int64 // number of the last change sent
	mark   int64 // of the memory when it was looked at last
	looked bool
	quiet  int // looks since something was sent

	due map[string]bool // routines sent, in their encoded form
}

// begin settles after which change the stream goes on: the one that the client
// names, or the newest.
func (f *feed) begin(r *http.Request) error {
	f.due = map[string]bool{}
	due, err := routine.ListAnnounced(r.Context(), f.app)
	if err != nil {
		return err
	}
	for _, d := range due {
		f.due[string(marshal(d))] = true
	}
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		n, err := strconv.ParseInt(last, 10, 64)
		if err != nil || n < 0 {
			return kb.Errorf(kb.Usage, "Last-Event-ID is the id of an event")
		}
		f.seen = n
		return nil
	}
	newest, err := history.Changes(r.Context(), f.app, 0, 1)
	if err == nil && len(newest.Items) > 0 {
		f.seen = newest.Items[0].Seq
	}
	return err
}

// sendChanges sends the changes, and reports whether the stream goes on.
func (f *feed) sendChanges(r *http.Request) bool {
	mark, err := f.app.Heard(r.Context())
	if err == nil && f.looked && mark == f.mark {
		if f.quiet++; f.quiet < quietLooks {
			return true
		}
		return f.send(":\n\n")
	}
	var changes api.List[api.Version]
	if err == nil {
		changes, err = history.Changes(r.Context(), f.app, f.seen, maxMissed)
	}
	if err != nil {
		return r.Context().Err() == nil // looked at again in a second
	}
	f.mark, f.looked = mark, true
	if missed := changes.Total - len(changes.Items); missed > 0 && !f.send(fmt.Sprintf("event: missed\ndata: {\"missed\":%d}\n\n", missed)) {
		return false
	}
	for _, c := range slices.Backward(changes.Items) {
		if !f.send(fmt.Sprintf("id: %d\nevent: change\ndata: %s\n\n", c.Seq, marshal(c))) {
			return false
		}
		f.seen = c.Seq
	}
	due, err := routine.ListAnnounced(r.Context(), f.app)
	if err != nil {
		f.looked = false
		return r.Context().Err() == nil
	}
	told := f.due
	f.due = map[string]bool{}
	for _, d := range due {
		text := string(marshal(d))
		if !told[text] && !f.send(fmt.Sprintf("event: due\ndata: %s\n\n", text)) {
			return false
		}
		f.due[text] = true
	}
	return true
}

// send writes to the client, and reports whether it is still there.
func (f *feed) send(text string) bool {
	f.quiet = 0
	_ = f.out.SetWriteDeadline(f.opts.Now().Add(writeTime)) // as for bodies: only a socket has it
	if _, err := f.w.Write([]byte(text)); err != nil {
		return false
	}
	return f.out.Flush() == nil
}
