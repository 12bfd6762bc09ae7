package retrieve

import (
	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/embedding"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/search/rank"
)

// fitPages is how many of the best pages are looked at for evidence that the
// question is answered: as many as a question is answered with by default, whatever
// part of them was asked for.
const fitPages = 5

// fit returns the evidence that pages, best first, answer the question.
func (s *Search) fit(list []candidate) (f rank.Fit) {
	if len(query.Terms(s.query.Root)) == 0 {
		return f // filters alone ask nothing
	}
	f.Meaning = s.index != nil && embedding.IsBuiltIn(s.question.model)
	f.Partly = f.Meaning && s.embedded.Share() < 1
	f.Words = s.index == nil || s.req.Mode != api.ModeVector
	for _, c := range list[:min(fitPages, len(list))] {
		f.Named = f.Named || c.name != ""
		if c.words != nil {
			f.Coverage = max(f.Coverage, c.words.Coverage)
		}
		if c.meaning != nil {
			f.Similarity = max(f.Similarity, c.meaning.score)
		}
	}
	return f
}
