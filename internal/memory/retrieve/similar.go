package retrieve

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/search/analysis"
	"github.com/cairn-kb/cairn/internal/search/snippet"
	"github.com/cairn-kb/cairn/internal/store"
)

const (
	// similarMost is how many pages are looked at.
	similarMost = 10
	// similarWords is how many words of the text are asked for: a note begins with
	// its subject, and a long query is slow.
	similarWords = 40
	// tagsCount is how much of what words leave open shared tags make up for.
	tagsCount = 0.5
)

// SimilarRequest asks for the pages of a space that are about the same as a text.
type SimilarRequest struct {
	Space kb.Space
	Text  string
	Tags  []string // of the text
	Least float64  // that a page is similar: see Similar
}

// Similar finds pages that are about the same, the most similar first. The score of
// each is how near it is in meaning, on the scale of the built-in model, or the share of the
// text's words that it holds in one place, by how rare they are, and its tags: 1 is the same. The text is a page's, so a
// credential in it reaches no model, also when the write of the page will be refused
// for it.
func Similar(ctx context.Context, sess *memory.Session, req SimilarRequest) ([]api.Hit, error) {
	text := string(secrets.Hide([]byte(req.Text)))
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \n\t\"():*-", r) })
	if len(words) > similarWords {
		words = words[:similarWords]
	}
	for i, w := range words { // a text in which something is NOT so excludes nothing
		if w == "AND" || w == "OR" || w == "NOT" {
			words[i] = strings.ToLower(w)
		}
	}
	s, err := Plan(ctx, sess, SearchRequest{
		Query: strings.Join(words, " "), Mode: api.ModeHybrid, Limit: similarMost, only: &req.Space,
	})
	if err != nil {
		return nil, err
	}
	hits, err := s.run(ctx, func(hits []found) error { return s.showBest(ctx, hits) })
	if err != nil {
		return nil, err
	}
	scale, err := scaleOf(ctx, sess, s)
	if err != nil {
		return nil, err
	}
	similar := []api.Hit{}
	own := termsOf(text)
	for _, h := range hits {
		shared := overlap(own, termsOf(prose(&h)))
		if h.by.words != nil {
			shared = max(shared, h.by.words.Coverage*h.together(len(words)))
		}
		if h.Score = similarity(h.by, scale, shared, sharedTags(req.Tags, h.Tags)); h.Score >= req.Least {
			similar = append(similar, h.Hit)
		}
	}
	slices.SortStableFunc(similar, func(x, y api.Hit) int { return cmp.Compare(y.Score, x.Score) })
	return similar, nil
}

// showBest makes the snippet of each hit one of its best passage.
func (s *Search) showBest(ctx context.Context, hits []found) error {
	ranked, err := s.rankPassages(ctx, hits)
	if err != nil {
		return err
	}
	matcher, shown := snippet.NewMatcher(s.found.Root), map[int]bool{}
	for _, p := range ranked {
		if shown[p.page] || p.score <= 0 {
			continue
		}
		shown[p.page] = true
		h := &hits[p.page]
		sn, err := s.snippet(ctx, []byte(h.textOf(p.lines)), matcher)
		if err != nil {
			return err
		}
		h.Snippet, h.Lines, h.Marks = sn.Text, [2]int{sn.Line + p.lines[0] - 1, sn.To + p.lines[0] - 1}, [][2]int{}
		for _, m := range sn.Matches {
			h.Marks = append(h.Marks, [2]int{m.Start, m.End})
		}
	}
	return nil
}

// scaleOf returns the similarity scale of the model used by a search, zero for
// keyword search.
func scaleOf(ctx context.Context, sess *memory.Session, s *Search) (scale embedding.Scale, err error) {
	if s.index == nil {
		return scale, nil
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		scale, err = embedding.ScaleOf(ctx, tx, s.question.model.Model(), s.index)
		return err
	})
	return scale, err
}

// prose is the truth of a page as a reader sees it, without the section of relations.
func prose(h *found) string {
	o := h.body
	span := o.n.Truth
	if at, err := o.d.Part(o.n, "Relations"); err == nil && at.Start > span.Start && at.End <= span.End {
		span.End = at.Start
	}
	return o.within(span)
}

// termsOf returns the terms of a text, each once.
func termsOf(text string) map[string]bool {
	out := map[string]bool{}
	var a analysis.Analyzer
	a.Document(text, func(t analysis.Token) { out[string(t.Term)] = true })
	return out
}

// overlap returns the share of their terms that two texts have in common.
func overlap(a, b map[string]bool) float64 {
	shared := 0
	for term := range a {
		if b[term] {
			shared++
		}
	}
	if shared == 0 {
		return 0
	}
	return 2 * float64(shared) / float64(len(a)+len(b))
}

// together returns the share of the query's words on a page that are in one place: in adjacent
// passages, about twice as long as the n words of the query. A long page has the words of many
// short texts, and says none of them. Headings have no part in this.
func (h *found) together(n int) float64 {
	all, most := map[string]bool{}, 0
	for i := range h.blocks {
		near, length := map[string]bool{}, 0
		for _, p := range h.blocks[i:] {
			if length >= 2*n {
				break
			}
			for term := range p.found {
				near[term] = true
			}
			length += p.length
		}
		maps.Copy(all, near)
		most = max(most, len(near))
	}
	if len(all) == 0 {
		return 1 // its title, tags or summary has them
	}
	return float64(most) / float64(len(all))
}

// similarity returns how similar a page is to the query, with the scale of the model and
// the share of words and of tags that both have.
func similarity(c candidate, scale embedding.Scale, words, tags float64) (score float64) {
	switch {
	case c.name != "":
		return 1
	case c.meaning != nil:
		score = min(scale.Usual(c.meaning.score), 1)
	}
	if c.words != nil {
		score = max(score, words+(1-words)*tags*tagsCount)
	}
	return score
}

// sharedTags returns the share of the tags of the one that has fewer that the other has
// as well.
func sharedTags(a, b []string) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	shared := 0
	for _, tag := range a {
		if slices.ContainsFunc(b, func(have string) bool { return strings.EqualFold(have, tag) }) {
			shared++
		}
	}
	return float64(shared) / float64(min(len(a), len(b)))
}
