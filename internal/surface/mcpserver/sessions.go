package mcpserver

import (
	"fmt"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxSessions bounds the sessions over HTTP. Clients that come and go begin one each time, and
// few end it.
const maxSessions = 256

// sessionID is the header with the session of a request, or of an answer that began one.
const sessionID = "Mcp-Session-Id"

// sessions knows which session over HTTP was not used for longest.
type sessions struct {
	mu       sync.Mutex
	clock    int            // counts requests
	starting int            // requests that may begin a session
	used     map[string]int // last request of each, by the clock
	running  map[string]int // requests
}

// bounded serves requests of sessions. Where there are too many, the one that was not used for
// longest ends for a new one; its client begins another when it is used again.
func (s *Server) bounded(next http.Handler) http.Handler {
	all := &sessions{used: map[string]int{}, running: map[string]int{}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(sessionID)
		if id != "" {
			all.begin(id)
			defer all.end(id)
			next.ServeHTTP(w, r)
			return
		}
		idle, ok := all.start(s.mcp)
		defer all.started(w.Header())
		if !ok {
			w.Header().Set("Retry-After", "1")
			http.Error(w, fmt.Sprintf("all of the %d sessions that there may be are in use: end one with DELETE", maxSessions), http.StatusServiceUnavailable)
			return
		}
		if idle != nil {
			_ = idle.Close() // it fails only if the client disconnected already
		}
		next.ServeHTTP(w, r)
	})
}

func (s *sessions) begin(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[id]++
}

func (s *sessions) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running[id]--; s.running[id] == 0 {
		delete(s.running, id)
	}
	if _, known := s.used[id]; known {
		s.clock++
		s.used[id] = s.clock
	}
}

// start makes room for a session. It returns the one that has to end for it, nil for none, and
// reports false where all are in use.
func (s *sessions) start(server *mcp.Server) (idle *mcp.ServerSession, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.starting++
	live, n := map[string]int{}, s.starting
	for session := range server.Sessions() {
		n++
		id := session.ID()
		last, known := s.used[id]
		if !known {
			continue // it is beginning
		}
		live[id] = last
		if s.running[id] == 0 && (idle == nil || last < live[idle.ID()]) {
			idle = session
		}
	}
	s.used = live // without those that ended
	if n <= maxSessions {
		return nil, true
	}
	if idle != nil {
		delete(s.used, idle.ID())
	}
	return idle, idle != nil
}

// started notes a session that began, by the answer of its first request.
func (s *sessions) started(answer http.Header) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.starting--
	if id := answer.Get(sessionID); id != "" {
		s.clock++
		s.used[id] = s.clock
	}
}
