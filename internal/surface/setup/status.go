package setup

import (
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/files/fsys"
)

// Status says how far one client is set up.
type Status struct {
	Client   string `json:"client"`
	Title    string `json:"title"`
	Detected bool   `json:"detected"`
	User     bool   `json:"user"`    // configured for the person
	Project  bool   `json:"project"` // configured for the directory
}

// Clients lists the clients that setup knows.
func (p Place) Clients(ctx context.Context) []Status {
	out := make([]Status, len(clients))
	for i, c := range clients {
		out[i] = Status{
			Client: c.name, Title: c.title,
			User: p.configured(ctx, c, User), Project: p.configured(ctx, c, Project),
		}
		out[i].Detected = slices.ContainsFunc(c.detect, func(name string) bool { return fsys.Exists(p.path(name)) }) ||
			slices.ContainsFunc(c.programs, func(name string) bool { return p.look(name) != "" })
	}
	return out
}

// configured reports whether the client's first file, that of the MCP servers,
// has an entry that runs cairn, written by anyone. An unreadable file has none.
func (p Place) configured(ctx context.Context, c client, s Scope) bool {
	pieces := c.in(s)
	if len(pieces) == 0 || s == User && p.Home == "" {
		return false
	}
	f, err := load(ctx, p.chosen(pieces[0]))
	if err != nil || !f.there {
		return false
	}
	_, whose, err := running(pieces[0].part, program{path: p.Binary}).find(f.text)
	return err == nil && (whose == ours || whose == byHand)
}
