package app

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/embedding"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/link"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/write"
)

// RememberRequest stores free text as a page of its own.
type RememberRequest struct {
	WriteOptions
	Text        string
	Title, Type string // Title "" is made from the text's first line
	Tags        []string
	Links       []string // refs of pages that it relates to
}

// Remembered is a new page with those that are about the same.
type Remembered struct {
	Written
	Similar []Hit `json:"similar"` // at most maxSimilar, the nearest first
}

const (
	maxSimilar = 3
	// maxTitle is how many characters of a first line become a title.
	maxTitle = 80
	// similarWords is how many words of the text are asked for: what a note is
	// about stands at its start, and a long query is slow.
	similarWords = 40
)

// Remember stores free text as a new page, and says which pages are similar,
// so that the caller can merge them. A page of the same title is kb.Conflict:
// it is to be edited.
func (a *App) Remember(ctx context.Context, req RememberRequest) (Remembered, error) {
	text := strings.TrimSpace(req.Text)
	if text == "" {
		return Remembered{}, kb.Errorf(kb.Usage, "there is nothing to remember: the text is empty").
			WithHint("Give one thing worth knowing next time, in a few sentences.")
	}
	if req.Title == "" {
		req.Title = firstLine(text)
	}
	space, path, err := a.place(ctx, "", req.Title, req.DryRun)
	if err != nil {
		return Remembered{}, err
	}
	bytes, err := a.compose(space, path, PutRequest{Title: req.Title, Type: req.Type, Tags: req.Tags, Text: []byte(text + "\n")})
	if err != nil {
		return Remembered{}, err
	}
	if bytes, err = a.relate(ctx, space, path, bytes, req.Links); err != nil {
		return Remembered{}, err
	}
	similar, err := a.about(ctx, space, path, req.Title+" "+text)
	if err != nil {
		return Remembered{}, err
	}
	w, err := a.apply(ctx, "capture", req.WriteOptions, []write.Change{{
		Space: space, Path: path, Expected: req.Expected, Action: write.Put{Bytes: bytes},
	}})
	return Remembered{Written: w, Similar: similar}, err
}

// firstLine makes a title of the first line of a text.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	line = strings.TrimSpace(strings.TrimLeft(line, "#*->\t "))
	if utf8.RuneCountInString(line) <= maxTitle {
		return strings.TrimRight(line, ".:;, ")
	}
	short := string([]rune(line)[:maxTitle])
	if i := strings.LastIndexByte(short, ' '); i > maxTitle/2 {
		short = short[:i]
	}
	return strings.TrimRight(short, ".:;, ")
}

// relate adds a relation to each of the pages that refs name.
func (a *App) relate(ctx context.Context, space *write.Space, path string, text []byte, refs []string) ([]byte, error) {
	if len(refs) == 0 {
		return text, nil
	}
	var edits []doc.Edit
	err := a.db.View(ctx, func(tx store.Tx) error {
		from := kb.Page{Space: space.Name, SpaceID: space.ID, Path: path, Slug: link.Slug(path)}
		for _, raw := range refs {
			to, err := a.refs.Resolve(ctx, tx, raw)
			if err != nil {
				return err
			}
			target, err := a.targetName(ctx, tx, from, to)
			if err != nil {
				return err
			}
			edits = append(edits, doc.AddRelation{Type: "relates_to", Target: target})
		}
		return nil
	})
	codec := doc.ForPath(a.codecs, path)
	if err != nil || codec == nil {
		return text, err
	}
	return codec.Apply(codec.Parse(path, text), "", edits...)
}

// A page is similar from here on: nearness in meaning, and the share of the
// text's words that it holds, by how rare they are. Of the built-in model, short
// notes about other things were at 0.64 at most, and those about the same from
// 0.69 on; what other models give to texts about other things is mostly less.
const (
	similarNear     = 0.65
	similarElse     = 0.5 // as the nearness of other models
	similarCoverage = 0.6
)

// about finds pages that are about the same, but for the one at path. The score
// of each is how near it is, or how much it holds: 1 is the same. The text is a
// page's, so a credential in it reaches no model, also when the write of the page
// will be refused for it.
func (a *App) about(ctx context.Context, space *write.Space, path, text string) ([]Hit, error) {
	text = string(secrets.Hide([]byte(text)))
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \n\t\"():*-", r) })
	if len(words) > similarWords {
		words = words[:similarWords]
	}
	s, err := a.In(space.Name).beginSearch(ctx, SearchRequest{
		Query: strings.Join(words, " "), Mode: ModeHybrid, Limit: 2*maxSimilar + 1,
	})
	if err != nil {
		return nil, err
	}
	hits, err := s.run(ctx)
	similar := []Hit{}
	for _, h := range hits {
		if h.Score = s.similar(h.by); h.Score > 0 && h.Path != path {
			similar = append(similar, h.Hit)
		}
	}
	slices.SortStableFunc(similar, func(x, y Hit) int { return cmp.Compare(y.Score, x.Score) })
	return similar[:min(len(similar), maxSimilar)], err
}

// similar returns how similar a page is to the query, 0 where it is not.
func (s *searching) similar(c candidate) (score float64) {
	least := similarElse
	if embedding.IsBuiltIn(s.asked.model) {
		least = similarNear
	}
	if c.meaning != nil && c.meaning.score >= least {
		score = min(c.meaning.score, 1)
	}
	if c.words != nil && c.words.Coverage >= similarCoverage {
		score = max(score, c.words.Coverage)
	}
	if c.name != "" {
		score = 1
	}
	return score
}
