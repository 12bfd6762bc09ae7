package httpapi

import "net/http"

// health is what a server says of itself to anyone.
type health struct {
	Status  string   `json:"status"` // ready or degraded
	Version string   `json:"version"`
	Faults  []string `json:"faults"`
}

// health answers as long as the server does. Degraded is no failure: what is
// there is served, and what is behind is tried again.
func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	h := health{Status: "ready", Version: s.opts.Version, Faults: s.opts.Faults()}
	if len(h.Faults) > 0 {
		h.Status = "degraded"
	} else {
		h.Faults = []string{}
	}
	respond(w, h)
}
