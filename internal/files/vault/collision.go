package vault

import (
	"iter"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Collision returns the first of the existing paths that differs from name but is the same
// file on some system, or "". The directories of a path count as well: Notes/a.md collides
// with notes/b.md, since on some systems the two directories are one.
func Collision(existing iter.Seq[string], name string) string {
	mine := elements(name)
	for other := range existing {
		if collides(elements(other), mine) {
			return other
		}
	}
	return ""
}

// Spellings is a set of paths, none of which is the same file or directory as another on any
// system. Adding a path looks at its own elements only, however many paths there are.
type Spellings struct {
	at    map[string]spelled // by the directory as written, and the element folded
	steps int                // how many elements were looked at, ever
}

// spelled is an element in the spelling of the first path that has it.
type spelled struct{ raw, path string }

// Add adds a path, unless it collides with a path of the set, which it returns.
func (s *Spellings) Add(name string) (collides string) {
	if s.at == nil {
		s.at = map[string]spelled{}
	}
	dir := ""
	for _, e := range elements(name) {
		s.steps++
		key := dir + "/" + e.folded
		have, known := s.at[key]
		if known && have.raw != e.raw {
			return have.path
		}
		if !known {
			s.at[key] = spelled{e.raw, name} // and everything below it is new as well
		}
		dir += "/" + e.raw
	}
	return ""
}

// element is one name of a path, as written and folded.
type element struct{ raw, folded string }

func elements(name string) []element {
	var all []element
	start := 0
	for i := 0; i <= len(name); i++ {
		if i == len(name) || name[i] == '/' {
			raw := name[start:i]
			all = append(all, element{raw, kb.FoldPath(raw)})
			start = i + 1
		}
	}
	return all
}

func collides(a, b []element) bool {
	for i := range min(len(a), len(b)) {
		if a[i].folded != b[i].folded {
			return false
		}
		if a[i].raw != b[i].raw {
			return true
		}
	}
	return false
}

// Twin is a pair of notes, or of directories, that have the same name on some
// systems but not on this one.
type Twin struct{ Path, Other string }

// Twins returns the twins of a listing, directories first. Each path is paired with the
// first path that it is a twin of.
func (l *Listing) Twins() []Twin {
	var out []Twin
	first := make(map[string]string, len(l.Dirs)+len(l.Files))
	look := func(name string) {
		folded := kb.FoldPath(name)
		if other, there := first[folded]; there {
			out = append(out, Twin{Path: name, Other: other})
			return
		}
		first[folded] = name
	}
	for _, dir := range l.Dirs {
		look(dir)
	}
	for _, f := range l.Files {
		look(f.Path)
	}
	return out
}
