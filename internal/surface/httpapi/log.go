package httpapi

import (
	"log/slog"
	"net/http"

	"github.com/cairn-kb/cairn/internal/surface/operation"
)

// logged logs each request: by its route, as a path may name a page, and
// without headers except the agent that the token is bound to.
func (s *Server) logged(next http.Handler) http.Handler {
	log := s.opts.Log
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if log == nil || !log.Enabled(r.Context(), slog.LevelDebug) {
			next.ServeHTTP(w, r)
			return
		}
		began := s.opts.Now()
		to := &noted{ResponseWriter: w}
		defer func() {
			about := []any{"route", r.Pattern, "status", to.status, "took_ms", s.opts.Now().Sub(began).Milliseconds()}
			if methodNames[r.Method] {
				about = append([]any{"method", r.Method}, about...)
			}
			if agent := r.Header.Get(operation.AgentHeader); agent != "" {
				about = append(about, "agent", agent)
			}
			log.DebugContext(r.Context(), "request", about...)
		}()
		next.ServeHTTP(to, r)
	})
}

// methodNames are the methods that are logged; a client may send any word.
var methodNames = map[string]bool{
	http.MethodGet: true, http.MethodHead: true, http.MethodPost: true, http.MethodPut: true,
	http.MethodPatch: true, http.MethodDelete: true, http.MethodOptions: true,
}

// noted notes the status of an answer.
type noted struct {
	http.ResponseWriter
	status int
}

func (n *noted) WriteHeader(status int) {
	if n.status == 0 {
		n.status = status
	}
	n.ResponseWriter.WriteHeader(status)
}

func (n *noted) Write(text []byte) (int, error) {
	if n.status == 0 {
		n.status = http.StatusOK
	}
	return n.ResponseWriter.Write(text)
}

// Unwrap lets http.ResponseController through.
func (n *noted) Unwrap() http.ResponseWriter { return n.ResponseWriter }
