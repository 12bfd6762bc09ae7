package gitsync

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/files/git"
	"github.com/cairn-kb/cairn/internal/files/vault"
)

// place is a file of a commit.
type place struct {
	path string
	git.Entry
}

// gone reports whether the file does not exist.
func (p place) gone() bool { return p.Entry == git.Entry{} }

// pair is a file changed on both sides.
type pair struct {
	base, ours, theirs place
	to                 string // path after the merge
}

// clash is a pair that cannot be merged.
type clash struct {
	pair
	why string
}

// choice is the side chosen by a person.
type choice int

const (
	neither choice = iota
	takeOurs
	takeTheirs
)

// sides holds the changes to the files of a repository since two branches diverged.
type sides struct {
	ours, theirs map[string]git.Difference
	// Moved documents, identified by their ids.
	oursMoved, theirsMoved map[string]string
	// Paths with more than one merge base version.
	unsure  map[string]bool
	choices map[string]choice
}

// plan is the list of changes to ours.
type plan struct {
	entries map[string]git.Entry // files from theirs, zero for removed ones
	merges  []pair
	clashes []clash
}

// plan decides for each file which side is used.
func (s sides) plan() plan {
	out := plan{entries: map[string]git.Entry{}}
	done := map[string]bool{}
	moved := map[string]bool{}
	for _, m := range []map[string]string{s.oursMoved, s.theirsMoved} {
		for from := range m {
			moved[from] = true
		}
	}
	for _, from := range slices.Sorted(maps.Keys(moved)) {
		o, t := cmp.Or(s.oursMoved[from], from), cmp.Or(s.theirsMoved[from], from)
		_, oursToo := s.ours[from]
		_, theirsToo := s.theirs[from]
		if !oursToo || !theirsToo {
			continue // changed on one side only
		}
		p := pair{
			base: place{from, s.ours[from].From}, to: o,
			ours: place{o, at(o, s.ours, s.theirs)}, theirs: place{t, at(t, s.theirs, s.ours)},
		}
		if o == from {
			p.to = t
		}
		for _, path := range []string{from, o, t} {
			done[path] = true
		}
		s.both(&out, p, s.elsewhere(p))
	}
	all := maps.Clone(s.ours)
	maps.Copy(all, s.theirs)
	for _, path := range slices.Sorted(maps.Keys(all)) {
		if done[path] {
			continue
		}
		o, oursToo := s.ours[path]
		t, theirsToo := s.theirs[path]
		switch {
		case !theirsToo && !s.unsure[path] && s.choices[path] != takeTheirs:
		case !oursToo && !s.unsure[path] && s.choices[path] != takeOurs:
			out.entries[path] = t.To
		default:
			base := o.From
			if !oursToo {
				base = t.From
			}
			s.both(&out, pair{
				base: place{path, base}, ours: place{path, at(path, s.ours, s.theirs)},
				theirs: place{path, at(path, s.theirs, s.ours)}, to: path,
			}, "")
		}
	}
	s.overlaps(&out)
	return out
}

// at returns the file of one side at a path that either side changed.
func at(path string, side, other map[string]git.Difference) git.Entry {
	if d, changed := side[path]; changed {
		return d.To
	}
	return other[path].From
}

// elsewhere returns why a moved document cannot be merged, "" if it can.
func (s sides) elsewhere(p pair) string {
	switch {
	case p.ours.gone():
		return "removed here, and moved there"
	case p.theirs.gone():
		return "moved here, and removed there"
	case p.ours.path == p.theirs.path:
		return ""
	case p.ours.path != p.base.path && p.theirs.path != p.base.path:
		return "moved to one place here, and to another there"
	case at(p.theirs.path, s.ours, s.theirs) != (git.Entry{}) && p.theirs.path != p.base.path:
		return "moved there to where another file is here"
	case at(p.ours.path, s.theirs, s.ours) != (git.Entry{}) && p.ours.path != p.base.path:
		return "moved to a path where the other side has another file"
	}
	return ""
}

// both decides on a file changed on both sides.
func (s sides) both(out *plan, p pair, why string) {
	wanted := neither
	for _, path := range []string{p.base.path, p.ours.path, p.theirs.path} {
		wanted = cmp.Or(wanted, s.choices[path])
	}
	switch {
	case wanted == takeOurs:
		return
	case wanted == takeTheirs:
		if p.ours.path != p.theirs.path {
			out.entries[p.ours.path] = git.Entry{}
		}
		out.entries[p.theirs.path] = p.theirs.Entry
		return
	case why != "":
	case p.ours.Entry == p.theirs.Entry && p.ours.path == p.theirs.path:
		return
	case s.unsure[p.base.path]:
		why = "changed on both sides, which have parted from more than one commit"
	case p.ours.gone():
		why = "removed here, and changed there"
	case p.theirs.gone():
		why = "changed here, and removed there"
	case p.base.gone() && !vault.IsSidecar(p.to):
		why = "added here and there, with different texts"
	default:
		out.merges = append(out.merges, p)
		return
	}
	out.clashes = append(out.clashes, clash{p, why})
}

// overlaps finds files of theirs at the path of a directory of ours, and the
// reverse.
func (s sides) overlaps(out *plan) {
	for _, path := range slices.Sorted(maps.Keys(out.entries)) {
		if out.entries[path] == (git.Entry{}) {
			continue
		}
		for have, d := range s.ours {
			if _, goes := out.entries[have]; goes || d.To == (git.Entry{}) {
				continue
			}
			if strings.HasPrefix(have, path+"/") || strings.HasPrefix(path, have+"/") {
				out.clashes = append(out.clashes, clash{pair{ours: place{have, d.To}, theirs: place{path, out.entries[path]}, to: path}, "a file on one side, and a directory on the other"})
			}
		}
	}
}
