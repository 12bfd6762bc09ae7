package app

import (
	"github.com/cairn-kb/cairn/internal/chunk"
	"github.com/cairn-kb/cairn/internal/search/rank"
)

// The lists that a hybrid search fuses, by their place.
const (
	wordsList = iota
	meaningList
)

// explain says where a page stood in each list and what that added to its
// score, and which passage of it was found.
func (s *searching) explain(c candidate, h *found) error {
	if c.words != nil {
		h.Why.Words = evidence(c.wordRank, c.words.Score, c.votes, wordsList)
	}
	if c.meaning != nil {
		h.Why.Meaning = evidence(c.meaning.rank, c.meaning.score, c.votes, meaningList)
	}
	passage, err := s.passage(h)
	h.Why.Passage = passage
	return err
}

func evidence(rank int, score float64, votes []rank.Vote, list int) *Evidence {
	e := &Evidence{Rank: rank, Score: score}
	for _, v := range votes {
		if v.List == list {
			e.Share = v.Share
		}
	}
	return e
}

// passage returns the passage of a page that is nearest to the query, or else
// the one in which words of it stand.
func (s *searching) passage(h *found) (*Passage, error) {
	d, node := s.a.node(h.page, h.text)
	chunks, err := chunk.Split(d, node, chunkOptions()), error(nil)
	if m := s.asked.model; m != nil {
		if chunks, err = cut(m, d, node); err != nil {
			return nil, err
		}
	}
	var best *Passage
	for _, c := range chunks {
		p := &Passage{Heading: c.HeadingPath, Lines: c.Lines, Date: c.Date}
		switch {
		case c.Lines == h.Why.Chunk:
			return p, nil
		case h.Why.Chunk == [2]int{} && c.Lines[0] <= h.Lines[0] && h.Lines[0] <= c.Lines[1]:
			best = p // the last: lists stand within the section around them
		}
	}
	return best, nil
}
