package doc

import (
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Section returns the index of the heading that name means: its path, or else
// its text, exactly or else in any case. kb.NotFound when there is none,
// kb.Ambiguous when there are several.
func (n *Node) Section(name string) (int, error) {
	name = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(name), "#"))
	for _, match := range []func(Heading) bool{
		func(h Heading) bool { return h.Path == name },
		func(h Heading) bool { return h.Text == name },
		func(h Heading) bool { return strings.EqualFold(h.Path, name) },
		func(h Heading) bool { return strings.EqualFold(h.Text, name) },
	} {
		found, count := -1, 0
		for i, h := range n.Headings {
			if match(h) {
				found = i
				count++
			}
		}
		switch {
		case count == 1:
			return found, nil
		case count > 1:
			return 0, kb.Errorf(kb.Ambiguous, "%d headings are called %q", count, name).
				WithHint("name the section by its path, as in \"State > Now\"")
		}
	}
	return 0, kb.Errorf(kb.NotFound, "there is no heading %q", name)
}

// relations returns the indexes of the relations with this target and type;
// an empty type matches all.
func (n *Node) relations(kind, target string) []int {
	var found []int
	for i, r := range n.Relations {
		if sameTarget(r.Target, target) && (kind == "" || FoldName(r.Type) == FoldName(kind)) {
			found = append(found, i)
		}
	}
	return found
}

// sameTarget reports whether a link points at the name that an edit gives, as
// resolved or as written.
func sameTarget(t Target, name string) bool {
	return t.Raw == name || FoldName(t.Name) == FoldName(name)
}
