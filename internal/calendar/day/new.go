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

// NewRequest asks for a page made of a template.
type NewRequest struct {
	api.WriteOptions
	Template, Title string
	Set             map[string]string // keys of the metadata; of a list, its values parted by commas
}

// New makes a page of a template, in the directory that the space has for its type.
// Where a page has the title already, it is an error, as it is of Put.
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
		if e := kb.AsError(err); e.Reason == kb.NameTaken { // the words of Put do not fit
			taken := e.Facts["ref"]
			err = e.WithReason(kb.TitleTaken).WithFact("ref", taken)
		}
		return api.Written{}, err
	}
	return change.Apply(ctx, sess, "new", req.WriteOptions, []write.Change{{
		Space: s, Path: p, Expected: req.Expected, Action: write.Put{Bytes: page.Bytes, KeepID: true, Declare: true},
	}})
}
