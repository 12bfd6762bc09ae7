package day

import (
	"context"
	"fmt"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// NewRequest asks for a page created from a template.
type NewRequest struct {
	api.WriteOptions
	Template, Title string
	Set             map[string]string // keys of the metadata; the values of a list are separated by commas
}

// New creates a page from a template, in the directory that the space has for its
// type. As with Put, it is an error when a page with the title exists.
func New(ctx context.Context, sess *memory.Session, req NewRequest) (api.Written, error) {
	s, err := sess.Spaces.OpenForNew(ctx, req.DryRun)
	if err != nil {
		return api.Written{}, err
	}
	page, err := TemplatePlanner{Codecs: sess.Codecs}.Plan(ctx, s, sess.Now(), TemplateRequest{Name: req.Template, Title: req.Title, Set: req.Set})
	if err != nil {
		return api.Written{}, err
	}
	if page.Waits {
		sess.Notices.Add(fmt.Sprintf("the template %s of %s waits until a person accepts it (cairn space add %s); the built-in one was used", req.Template, s.Name, safetext.Word(s.Root)))
	}
	s, p, err := change.Home(ctx, sess, change.PutRequest{WriteOptions: req.WriteOptions}, func(tx store.Tx) (ref.Place, error) {
		return ref.Titled(ctx, tx, s.Space, page.Title, page.Path, req.Expected, false)
	})
	if err != nil {
		if e := kb.AsError(err); e.Reason == kb.NameTaken { // the error text of Put does not fit
			taken := e.Facts["ref"]
			err = e.WithReason(kb.TitleTaken).WithFact("ref", taken)
		}
		return api.Written{}, err
	}
	return change.Apply(ctx, sess, "new", req.WriteOptions, []write.Change{{
		Space: s, Path: p, Expected: req.Expected, Action: write.Put{Bytes: page.Bytes, KeepID: true, Declare: true},
	}})
}
