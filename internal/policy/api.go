package policy

import (
	"slices"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/glob"
)

// API controls how programs access the pages of a space by path.
type API struct {
	// Context serves the space at /api/context.
	Context bool `toml:"context,omitempty"`
	// ReadOnly are globs of pages that are read-only there for every client.
	ReadOnly []string `toml:"read_only,omitempty"`
}

func (a API) validate() error {
	for _, g := range a.ReadOnly {
		if !glob.Valid(g) {
			return kb.Errorf(kb.Invalid, "api.read_only in the space's policy has %q, which is not a valid pattern", g)
		}
	}
	return nil
}

// The methods that write pages at their paths, each with the operations that it
// includes.
var methods = []struct {
	name       string
	operations []Operation
}{
	{"PUT", []Operation{OpCreate, OpWrite}},
	{"PATCH", []Operation{OpAppend, OpEdit}},
	{"DELETE", []Operation{OpDelete}},
}

// Methods returns those of PUT, PATCH and DELETE that an actor may use on the
// page at a path, whether or not it exists.
func (p *Policy) Methods(actor kb.Actor, path string) (out []string) {
	if matchesAnyCase(p.API.ReadOnly, path) {
		return nil
	}
	for _, m := range methods {
		if slices.ContainsFunc(m.operations, func(op Operation) bool { return p.Check(Request{Actor: actor, Operation: op, Path: path}) == nil }) {
			out = append(out, m.name)
		}
	}
	return out
}
