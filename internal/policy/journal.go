package policy

import (
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/glob"
)

// Journal selects the pages of a journal that is exported, and the page with
// the export rules.
type Journal struct {
	Paths []string `toml:"paths,omitempty"` // globs
	Rules string   `toml:"rules,omitempty"` // path of the page with the lists below
	// Withhold is a metadata key: a page with a value other than false is not
	// exported.
	Withhold string `toml:"withhold,omitempty"`

	// Headings on that page, each above a list: the only sections to export,
	// the sections to leave out, and words that exclude lines.
	Only     string `toml:"only,omitempty"`
	LeaveOut string `toml:"leave_out,omitempty"`
	Lines    string `toml:"lines,omitempty"`
}

func (j Journal) validate() error {
	if len(j.Paths) == 0 && (j.Rules != "" || j.Withhold != "") {
		return kb.Errorf(kb.Invalid, "journal in the space's policy has no paths")
	}
	for _, g := range j.Paths {
		if !glob.Valid(g) {
			return kb.Errorf(kb.Invalid, "journal in the space's policy has %q, which is not a valid pattern", g)
		}
	}
	lists := map[string]bool{}
	for _, heading := range []string{j.Only, j.LeaveOut, j.Lines} {
		key := strings.ToLower(strings.TrimSpace(heading))
		if lists[key] && key != "" {
			return kb.Errorf(kb.Invalid, "journal in the space's policy has the heading %q twice", heading)
		}
		lists[key] = true
	}
	if (j.Only+j.LeaveOut+j.Lines != "") != (j.Rules != "") || j.Rules != "" && !isPath(j.Rules) {
		return kb.Errorf(kb.Invalid, "journal in the space's policy: %q is not a page with headings for only, leave_out and lines", j.Rules)
	}
	return nil
}

// Folder returns the directory that page names in an export are relative to: the
// part of the matching glob before the first special character.
func (j Journal) Folder(page string) (string, bool) {
	for _, g := range j.Paths {
		if glob.Match(g, page) {
			if i := strings.IndexAny(g, glob.Special); i >= 0 {
				g = g[:i]
			}
			return g[:strings.LastIndexByte(g, '/')+1], true
		}
	}
	return "", false
}
