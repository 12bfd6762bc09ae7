package policy

import (
	"path"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/dates"
	"github.com/cairn-kb/cairn/internal/kb/glob"
)

// Routine is a recurring task, described by the rules on a page.
type Routine struct {
	// Page is the path of the rules, or a glob: then each page is a routine named
	// after its file, scheduled by the key cron of its metadata.
	Page string `toml:"page"`
	Cron string `toml:"cron,omitempty"` // in the time zone of the space
	// From and To are the hours between which it is due, such as 8 and 22; 0 and 0 are
	// all.
	From int `toml:"from,omitempty"`
	To   int `toml:"to,omitempty"`

	Flow    string `toml:"flow,omitempty"`    // its external name; {name} is the routine's name
	Dossier string `toml:"dossier,omitempty"` // path of the page with its state between runs
}

// Many reports whether the routine applies to each page that matches its glob.
func (r Routine) Many() bool { return strings.ContainsAny(r.Page, glob.Special) }

// Name returns the name of a page's routine.
func (r Routine) Name(page string) string {
	name := stem(page)
	if r.Many() {
		return path.Base(path.Dir(page)) + "/" + name
	}
	return name
}

// FlowOf returns the external name of a routine.
func (r Routine) FlowOf(page string) string {
	return strings.ReplaceAll(r.Flow, "{name}", stem(page))
}

func (p *Policy) validateRoutines() error {
	names := map[string]bool{}
	for _, r := range p.Routines {
		if r.Many() {
			if !glob.Valid(r.Page) || r.Cron != "" {
				return kb.Errorf(kb.Invalid, "routine of %s in the space's policy: pages that match a pattern set their own due dates", r.Page)
			}
		} else if _, err := dates.ParseCron(r.Cron); err != nil || !isPath(r.Page) {
			return kb.Errorf(kb.Invalid, "routine of %s in the space's policy needs the path of a page and a line of cron, such as 0 9 * * 1-5", r.Page)
		}
		switch {
		case r.From < 0 || r.From > 23 || r.To < 0 || r.To > 24:
			return kb.Errorf(kb.Invalid, "routine of %s in the space's policy: from %d to %d is not a range of hours", r.Page, r.From, r.To)
		case r.Dossier != "" && !isPath(r.Dossier):
			return kb.Errorf(kb.Invalid, "routine of %s in the space's policy: %q is not a path of a page", r.Page, r.Dossier)
		case names[r.Page]:
			return kb.Errorf(kb.Invalid, "routine in the space's policy names %s twice", r.Page)
		}
		names[r.Page] = true
	}
	return nil
}
