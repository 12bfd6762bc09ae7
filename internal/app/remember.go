package app

import (
	"context"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/link"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/write"
)

// RememberRequest stores free text as a page of its own.
type RememberRequest struct {
	WriteOptions
	Text        string
	Title, Type string // Title "" is made from the text's first sentence
	Tags        []string
	Links       []string // refs of pages that it relates to
}

// Remembered is a new page with those that are about the same.
type Remembered struct {
	Written
	Similar []Hit `json:"similar"` // the nearest first
}

// Remember stores free text as a new page, and says which pages are similar,
// so that the caller can merge them. A page of the same title is kb.Conflict:
// it is to be edited.
func (a *App) Remember(ctx context.Context, req RememberRequest) (Remembered, error) {
	text := strings.TrimSpace(req.Text)
	if text == "" {
		return Remembered{}, kb.Errorf(kb.Usage, "there is nothing to remember: the text is empty").
			WithHint("Give one thing worth knowing next time, in a few sentences.")
	}
	name := req.Title
	if req.Title == "" {
		req.Title = titleOf(text)
		name = shorten(req.Title, maxName)
	}
	space, path, err := a.place(ctx, "", name, req.DryRun)
	if err != nil {
		return Remembered{}, err
	}
	bytes, err := compose(a.codecs, space, path, PutRequest{Title: req.Title, Type: req.Type, Tags: req.Tags, Text: []byte(text + "\n")})
	if err != nil {
		return Remembered{}, err
	}
	if bytes, err = a.relate(ctx, space, path, bytes, req.Links); err != nil {
		return Remembered{}, err
	}
	similar, err := a.In(space.Name).retrieve.Similar(ctx, path, req.Title+" "+text)
	if err != nil {
		return Remembered{}, err
	}
	w, err := a.apply(ctx, "capture", req.WriteOptions, []write.Change{{
		Space: space, Path: path, Expected: req.Expected, Action: write.Put{Bytes: bytes, Declare: true},
	}})
	return Remembered{Written: w, Similar: similar}, err
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
