package retrieve

import (
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc/chunk"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/search/rank"
)

// The lists that a hybrid search fuses, by their place, and the scores that
// are added afterwards.
const (
	wordsList = iota
	meaningList
	namesList
	typeList
	timesList
	besideList
	wholeList
)

// borrowed is a vote that another page lent.
type borrowed struct {
	rank.Vote
	by kb.Page
}

// explain reports the place of a page in each list and how much that added to its
// score, and which passage of it was found.
func (s *Search) explain(c candidate, h *found) error {
	if c.words != nil {
		h.Why.Words = evidence(c.wordRank, c.words.Score, c.votes, wordsList)
	}
	if c.near != nil {
		h.Why.Words.Score += c.near.Score
		h.Why.Near = &api.Near{Score: c.near.Score}
		for _, pair := range c.near.Pairs {
			h.Why.Near.Words = append(h.Why.Near.Words, pair[0]+" "+pair[1])
		}
	}
	if c.meaning != nil {
		h.Why.Meaning = evidence(c.meaning.rank, c.meaning.score, c.votes, meaningList)
	}
	if share := shareOf(c.votes, namesList); share > 0 {
		h.Why.Names = &api.NameMatch{Names: s.intent.nameMatch(c.page), Share: share}
	}
	if share := shareOf(c.votes, typeList); share > 0 {
		h.Why.Type = &api.TypeMatch{Type: c.page.Type, Share: share}
	}
	if share := shareOf(c.votes, timesList); share > 0 {
		_, day := s.intent.dateMatch(c.page)
		h.Why.Time = &api.DateMatch{Day: day.Format(time.DateOnly), Share: share}
	}
	for _, l := range c.borrowed {
		e := &api.Borrowed{Ref: l.by.Ref(), Score: l.Score, Share: l.Share}
		if l.List == besideList {
			h.Why.Beside = e
		} else {
			h.Why.Whole = e
		}
	}
	passage, err := s.passage(h)
	h.Why.Passage = passage
	return err
}

func evidence(rank int, score float64, votes []rank.Vote, list int) *api.Evidence {
	return &api.Evidence{Rank: rank, Score: score, Share: shareOf(votes, list)}
}

// shareOf returns what a list added to a score.
func shareOf(votes []rank.Vote, list int) float64 {
	for _, v := range votes {
		if v.List == list {
			return v.Share
		}
	}
	return 0
}

// passage returns the passage of a page that is nearest to the query, or else
// the one with words of it.
func (s *Search) passage(h *found) (*api.Passage, error) {
	o := h.body
	var chunks []chunk.Chunk
	if m := s.question.model; m != nil {
		var err error
		if chunks, _, err = embedding.Cut(m, o.d, o.node); err != nil {
			return nil, err
		}
	} else {
		chunks = chunk.SplitTo(o.d, o.node, h.Lines[0], embedding.ChunkOptions())
	}
	var best *api.Passage
	for _, c := range chunks {
		p := &api.Passage{Heading: c.HeadingPath, Lines: c.Lines, Date: c.Date}
		switch {
		case c.Lines == h.Why.Chunk:
			return p, nil
		case h.Why.Chunk == [2]int{} && c.Lines[0] <= h.Lines[0] && h.Lines[0] <= c.Lines[1]:
			best = p // the last: lists are within the section around them
		}
	}
	return best, nil
}
