package policy

import (
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// Stamp is a metadata key that cairn fills in: in new pages without it, and with
// Edits in every edited page.
type Stamp struct {
	Key string `toml:"key"`
	// Value may contain {date}, {actor}, the name of an agent or "human", and
	// {project}, the project of the working directory or "general".
	Value  string   `toml:"value"`
	List   bool     `toml:"list,omitempty"`   // the value is one of several
	Edits  bool     `toml:"edits,omitempty"`  // each edit updates it
	Actors []string `toml:"actors,omitempty"` // globs over "human", "agent:claude-code", ...; any when empty
}

// General is the project of pages without a project.
const General = "general"

// Stamping holds the inputs for the values of stamps.
type Stamping struct {
	Actor   kb.Actor
	Project string
	Date    string
}

// StampsFor returns the stamps of pages written by an actor, with their values
// filled in. Of two for one key the first applies.
func (p *Policy) StampsFor(by Stamping) []Stamp {
	var out []Stamp
	actor := string(by.Actor.Kind)
	if by.Actor.Kind == kb.Agent && by.Actor.Name != "" {
		actor = by.Actor.Name
	}
	project := by.Project
	if project == "" {
		project = General
	}
	fill := strings.NewReplacer("{date}", by.Date, "{actor}", actor, "{project}", project)
	for _, s := range p.Stamps {
		fits := len(s.Actors) == 0 || meansActor(s.Actors, by.Actor)
		if !fits || slices.ContainsFunc(out, func(o Stamp) bool { return o.Key == s.Key }) {
			continue
		}
		s.Value = fill.Replace(s.Value)
		out = append(out, s)
	}
	return out
}

// StatusWord returns the word for a status in pages of the space: if new pages have
// a stamp with the status, its word, such as "current" for active.
func (p *Policy) StatusWord(status kb.Status) string {
	for _, s := range p.Stamps {
		if s.Key == "status" && !strings.Contains(s.Value, "{") {
			if to, ok := kb.ParseStatus(s.Value); ok && to == status {
				return s.Value
			}
		}
	}
	return string(status)
}

// StampsProjects reports whether a stamp adds the project to pages.
func (p *Policy) StampsProjects() bool {
	return slices.ContainsFunc(p.Stamps, func(s Stamp) bool { return strings.Contains(s.Value, "{project}") })
}

var (
	stampKey    = lazyregexp.New(`^[a-z][a-z0-9_-]*$`)
	placeholder = lazyregexp.New(`\{[^{}]*\}`)
)

func (p *Policy) validateStamps() error {
	for _, s := range p.Stamps {
		switch {
		case !stampKey().MatchString(s.Key) || slices.Contains([]string{"id", "title", "tags", "aliases"}, s.Key):
			return kb.Errorf(kb.Invalid, "a stamp in the space's policy has the key %q, which stamps cannot fill in", s.Key)
		case strings.TrimSpace(s.Value) == "" || strings.ContainsAny(s.Value, "\r\n"):
			return kb.Errorf(kb.Invalid, "the stamp %s in the space's policy needs a value of one line", s.Key)
		}
		for _, name := range placeholder().FindAllString(s.Value, -1) {
			if !slices.Contains([]string{"{date}", "{actor}", "{project}"}, name) {
				return kb.Errorf(kb.Invalid, "the stamp %s in the space's policy has the unknown placeholder %s", s.Key, name).
					WithHint("Placeholders are {date}, {actor} and {project}.")
			}
		}
	}
	return nil
}
