package retrieve

import (
	"context"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/rank"
)

// Evidence for a page other than its words and meaning, and how much of a score,
// which is 1 at most without it. Each was measured to help or to be neutral on
// every set of docs/benchmarks.md, on both halves of its queries.
const (
	namesWeight  = 0.1  // it bears the names in the question, all of them
	timesWeight  = 0.2  // it is of a time that the question speaks of, or of soon after; see timesWhole
	timesWhole   = 1    // the same where the question has no other words
	typeWeight   = 0.02 // it is of the type that is asked for: this decides between nearly equal pages
	besideWeight = 0.15 // of the better one of its neighbours in a series
	wholeWeight  = 0.3  // of the way to the best part of the same whole
)

// boost adds to the scores of a weighted fusion what the question's names, times
// and type and how pages are filed say. It brings no page that nothing else found,
// and leaves out none.
func (s *Search) boost(ctx context.Context, fused []rank.Fused, byRow map[int64]candidate) ([]rank.Fused, error) {
	pages := make([]kb.Page, len(fused))
	for i, f := range fused {
		pages[i] = byRow[f.ID].page
	}
	in, err := s.readIntent(ctx, pages)
	if err != nil {
		return nil, err
	}
	s.intent = in
	names, types, times := map[int64]float64{}, map[int64]float64{}, map[int64]float64{}
	for i, f := range fused {
		p := pages[i]
		names[f.ID] = in.share(p)
		times[f.ID], _ = in.dateMatch(p)
		if in.typeMatch(p) {
			types[f.ID] = 1
		}
	}
	k := siblingsOf(pages)
	fused = rank.Boost(fused, namesList, namesWeight, names)
	fused = rank.Boost(fused, typeList, typeWeight, types)
	fused = rank.Boost(fused, timesList, timesWeight+(timesWhole-timesWeight)*in.timed, times)
	fused = rank.Beside(fused, besideList, besideWeight, k.adjacent)
	return rank.Whole(fused, wholeList, wholeWeight, k.whole), nil
}
