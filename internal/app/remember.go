package app

import (
	"context"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/link"
	"github.com/cairn-kb/cairn/internal/ref"
	"github.com/cairn-kb/cairn/internal/space"
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
	New         bool     // make another page where one has the title
}

// Remembered is a new page with those that are about the same.
type Remembered struct {
	Written
	Similar []Hit `json:"similar"` // the nearest first

	// Existing are pages that have the title already. Nothing was written then.
	Existing []Page `json:"existing,omitempty"`
}

// Remember stores free text as a new page, and says which pages are similar,
// so that the caller can merge them. Where a page has the title already, nothing
// is written and that page is the answer, unless another is asked for.
func (a *App) Remember(ctx context.Context, req RememberRequest) (Remembered, error) {
	text := strings.TrimSpace(req.Text)
	if text == "" {
		return Remembered{}, kb.Errorf(kb.Usage, "there is nothing to remember: the text is empty").
			WithHint("Give one thing worth knowing next time, in a few sentences.")
	}
	name := req.Title
	if req.Title == "" {
		req.Title = space.TitleOf(text)
		name = space.ShortName(req.Title)
	}
	put := PutRequest{WriteOptions: req.WriteOptions, Title: req.Title, Type: req.Type, Tags: req.Tags, Text: []byte(text + "\n"), New: req.New, name: name}
	s, path, err := a.place(ctx, put)
	switch {
	case isNamed(err):
		return a.existing(ctx, req)
	case err != nil:
		return Remembered{}, err
	}
	if tag := a.spaces.ProjectTag(s.Space); tag != "" && !slices.Contains(put.Tags, tag) {
		put.Tags = append(slices.Clone(put.Tags), tag)
	}
	bytes, err := compose(a.codecs, s, path, put)
	if err != nil {
		return Remembered{}, err
	}
	if bytes, err = a.relate(ctx, s, path, bytes, req.Links); err != nil {
		return Remembered{}, err
	}
	similar, err := a.In(s.Name).retrieve.Similar(ctx, path, req.Title+" "+text)
	if err != nil {
		return Remembered{}, err
	}
	w, err := a.apply(ctx, "capture", req.WriteOptions, []write.Change{{
		Space: s, Path: path, Expected: req.Expected, Action: write.Put{Bytes: bytes, Declare: true},
	}})
	return Remembered{Written: w, Similar: similar}, err
}

// isNamed reports whether an error says that pages have the name.
func isNamed(err error) bool {
	return err != nil && (kb.AsError(err).Reason == kb.NameTaken || kb.AsError(err).Reason == kb.NameShared)
}

// existing answers with the pages that have the title.
func (a *App) existing(ctx context.Context, req RememberRequest) (Remembered, error) {
	out := Remembered{Written: Written{DryRun: req.DryRun, Pages: []WrittenPage{}}, Similar: []Hit{}}
	err := a.db.View(ctx, func(tx store.Tx) error {
		s, err := a.spaces.CurrentTx(ctx, tx)
		if err != nil {
			return err
		}
		named, err := ref.Meant(ctx, tx, req.Title, s)
		if err != nil {
			return err
		}
		v, err := api.NewViewer(ctx, tx)
		if err != nil {
			return err
		}
		out.Existing, err = v.Pages(ctx, named)
		return err
	})
	return out, err
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
			target, err := a.change.Target(ctx, tx, from, to)
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
	codec = codec.In(space.Syntax)
	return codec.Apply(codec.Parse(path, text), "", edits...)
}
