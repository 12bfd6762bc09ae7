package retrieve

import (
	"context"
	"math"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/search/rank"
)

// fitPages is how many of the best pages are looked at for evidence that the
// question is answered: as many as a question was answered with by default, for
// every part of the list.
const fitPages = 5

// fit returns the evidence that pages, best first, answer the question.
func (s *Search) fit(list []candidate) (f rank.Fit) {
	if len(query.Terms(s.query.Root)) == 0 {
		return f // filters alone ask nothing
	}
	f.Unread = s.unknownScript() != ""
	f.Meaning = !f.Unread && s.index != nil && s.embedded.Done > 0 && embedding.IsBuiltIn(s.question.model)
	f.Partly = f.Meaning && s.embedded.Share() < 1
	f.Words = s.index == nil || s.req.Mode != api.ModeVector
	for _, c := range list[:min(fitPages, len(list))] {
		f.Named = f.Named || c.name != ""
		f.Kin = f.Kin || c.kin
		if c.words != nil {
			f.Coverage = max(f.Coverage, c.words.Coverage)
		}
		if c.meaning != nil {
			f.Similarity = max(f.Similarity, c.meaning.score)
		}
	}
	var words, near []float64
	for _, c := range list {
		if c.words != nil && c.wordRank <= rank.Background {
			words = append(words, c.words.Part)
		}
		if c.meaning != nil && c.meaning.rank <= rank.Background {
			near = append(near, c.meaning.score)
		}
	}
	f.WordsAhead, f.NearAhead = ahead(words, 0), ahead(near, rank.Unrelated)
	return f
}

// ahead returns how far the best of the scores of a list's first pages is ahead of the
// background: the least of them, or its substitute where they are fewer.
func ahead(scores []float64, instead float64) float64 {
	if len(scores) == 0 {
		return 0
	}
	if len(scores) == rank.Background {
		instead = slices.Min(scores)
	}
	return max(0, slices.Max(scores)-instead)
}

// judge says in the answer how well pages, best first, fit the question. A search for similar
// pages asks nothing.
func (s *Search) judge(ctx context.Context, list []candidate) error {
	if s.req.only != nil {
		return nil
	}
	f := s.fit(list)
	s.explainNothing(list)
	if !f.Known() {
		return nil
	}
	if err := s.statement(ctx, list, &f); err != nil {
		return err
	}
	s.conclude(f)
	if s.req.Explain {
		s.out.Fit = &api.Fit{Coverage: f.Coverage, WordsAhead: f.WordsAhead, Similarity: f.Similarity, NearAhead: f.NearAhead, Subject: f.Subject, Statement: f.Statement}
	}
	// By words or by meaning alone some questions with an answer have this match, and so have
	// keywords that no page has.
	asks := f.Meaning && !f.Partly && query.AsksInWords(s.query.Root) || f.Unread && f.Coverage == 0 && !f.Kin
	s.nothing = s.bearing == nil && s.out.Match == string(rank.None) && f.Words && asks
	if s.out.Match == string(rank.None) && len(list) > 0 {
		s.note("nothing fits; nearest is %s", list[0].page.Ref())
	}
	return nil
}

// conclude says in the answer how well it fits the question.
func (s *Search) conclude(f rank.Fit) {
	confidence := math.Round(f.Confidence()*1000) / 1000
	s.fitness, s.out.Match, s.out.Confidence = f, string(f.Match()), &confidence
}

// judgeTurns concludes again from who speaks in the passages of the answer.
func (s *Search) judgeTurns() {
	f := s.fitness
	if !s.turns.known || s.out.Confidence == nil || f.Named {
		return
	}
	f.Turns, f.TurnsAhead = true, s.turns.ahead
	before := s.out.Match
	s.conclude(f)
	if s.out.Match != before && s.turns.other != "" {
		s.note("the best passages are about %s, and the question names %s: check the person", s.turns.other, s.turns.named)
	}
}
