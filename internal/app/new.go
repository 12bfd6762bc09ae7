package app

import (
	"context"

	"github.com/cairn-kb/cairn/internal/calendar/day"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// NewRequest asks for a page made of a template.
type NewRequest struct {
	WriteOptions
	Template, Title string
	Set             map[string]string // keys of the metadata; of a list, its values parted by commas
}

// New makes a page of a template, in the directory that the space has for its type.
// Where a page has the title already, it is an error, as it is of Put.
func (a *App) New(ctx context.Context, req NewRequest) (Written, error) {
	s, err := a.spaces.OpenForNew(ctx, req.DryRun)
	if err != nil {
		return Written{}, err
	}
	page, err := day.TemplatePlanner{Codecs: a.codecs}.Plan(ctx, s, a.opts.Now(), day.TemplateRequest{Name: req.Template, Title: req.Title, Set: req.Set})
	if err != nil {
		return Written{}, err
	}
	s, p, err := a.change.Home(ctx, PutRequest{WriteOptions: req.WriteOptions}, func(tx store.Tx) (ref.Place, error) {
		return ref.Titled(ctx, tx, s.Space, page.Title, page.Path, req.Expected, false)
	})
	if err != nil {
		if e := kb.AsError(err); e.Reason == kb.NameTaken { // what Put says of it is for Put
			taken := e.Facts["ref"]
			err = e.WithReason(kb.TitleTaken).WithFact("ref", taken)
		}
		return Written{}, err
	}
	return a.change.Apply(ctx, "new", req.WriteOptions, []write.Change{{
		Space: s, Path: p, Expected: req.Expected, Action: write.Put{Bytes: page.Bytes, KeepID: true, Declare: true},
	}})
}
