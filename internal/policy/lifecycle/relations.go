package lifecycle

import (
	"strconv"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Overlap is two relations of a page, with the same type and target, that are
// current at the same time. First precedes Second.
type Overlap struct{ First, Second kb.Link }

// maxCompared limits the work for one page. With more intervals of one relation,
// not all overlaps are reported.
const maxCompared = 1 << 20

// Overlaps returns the relations of a page that overlap an earlier one, one
// overlap for each. Unresolved links are equal if they are spelled alike.
//
// A relation without dates is current, and may be repeated: two of them overlap
// only if repeated is set.
func Overlaps(relations []kb.Link, repeated bool) (out []Overlap) {
	compared := 0
	before := map[string][]kb.Link{}
	for _, r := range relations {
		if r.Type == "" {
			continue
		}
		key := kb.NameKey(r.Type) + " " + target(r)
		for _, b := range before[key] {
			if compared++; compared > maxCompared {
				return out
			}
			if b.Interval() == (kb.Interval{}) && r.Interval() == b.Interval() && !repeated {
				continue
			}
			if b.Interval().Overlaps(r.Interval()) {
				out = append(out, Overlap{b, r})
				break
			}
		}
		if n := len(before[key]); n == 0 || before[key][n-1].Interval() != r.Interval() {
			before[key] = append(before[key], r)
		}
	}
	return out
}

// target identifies the target of a relation: equal for two relations to one
// page.
func target(l kb.Link) string {
	if l.To != 0 {
		return strconv.FormatInt(l.To, 10)
	}
	return "? " + kb.NameKey(l.Name)
}

// Reversed returns the relations that end before they begin.
func Reversed(relations []kb.Link) (out []kb.Link) {
	for _, r := range relations {
		if !r.Interval().InOrder() {
			out = append(out, r)
		}
	}
	return out
}
