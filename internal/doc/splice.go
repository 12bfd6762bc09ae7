package doc

import (
	"sort"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Splice replaces the bytes of a span by new ones. An empty span inserts.
type Splice struct {
	Span
	New string
}

// ApplySplices returns a new text with all splices applied. Spans refer to the given text
// and may come in any order; insertions at one position keep their order. Overlapping or
// outlying splices are a bug of the codec: kb.Internal.
func ApplySplices(text []byte, splices []Splice) ([]byte, error) {
	sorted, err := sortSplices(splices, len(text))
	if err != nil {
		return nil, err
	}
	size := len(text)
	for _, s := range sorted {
		size += len(s.New) - s.Len()
	}
	out := make([]byte, 0, size)
	at := 0
	for _, s := range sorted {
		out = append(out, text[at:s.Start]...)
		out = append(out, s.New...)
		at = s.End
	}
	return append(out, text[at:]...), nil
}

func sortSplices(splices []Splice, size int) ([]Splice, error) {
	sorted := append([]Splice(nil), splices...)
	sort.SliceStable(sorted, func(i, j int) bool { return sorted[i].Start < sorted[j].Start })
	at := 0
	for _, s := range sorted {
		if s.Start < at || s.End < s.Start || s.End > size {
			return nil, kb.Errorf(kb.Internal, "edits of this document overlap")
		}
		at = s.End
	}
	return sorted, nil
}

// shift maps positions of the old text to positions after splices.
type shift struct {
	splices []Splice // sorted
	grown   []int    // grown[i]: number of bytes added by the first i splices
}

func newShift(sorted []Splice) shift {
	grown := make([]int, len(sorted)+1)
	for i, s := range sorted {
		grown[i+1] = grown[i] + len(s.New) - s.Len()
	}
	return shift{sorted, grown}
}

// span returns the position of s in the new text, and whether no splice touches s.
// Insertions at its very start or end do not touch it.
func (sh shift) span(s Span) (Span, bool) {
	i := sort.Search(len(sh.splices), func(i int) bool { return sh.splices[i].End > s.Start })
	if i < len(sh.splices) && sh.splices[i].Start < s.End {
		return Span{}, false
	}
	by := sh.grown[i]
	return Span{s.Start + by, s.End + by}, true
}
