package app

import (
	"context"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/store"
)

// Inbox are the pages that wait for somebody to sort them, by a space's policy.
type Inbox struct{ app *App }

// Inbox returns the pages that wait.
func (a *App) Inbox() Inbox { return Inbox{a} }

// List lists the pages of the current space that wait, by name.
func (i Inbox) List(ctx context.Context) (List[Page], error) {
	s, err := i.app.spaces.OpenCurrent(ctx)
	if err != nil {
		return List[Page]{}, err
	}
	if len(s.Policy.Inbox.Paths) == 0 {
		return List[Page]{}, kb.Errorf(kb.NotFound, "%s has no inbox", s.Name).
			WithHint("Say in [inbox] of its policy where pages wait, or use the preset context.")
	}
	return i.app.Pages(ctx, ListRequest{Within: Within{Paths: s.Policy.Inbox.Paths}})
}

// DoneRequest says that a page was sorted.
type DoneRequest struct {
	WriteOptions
	Ref string
}

// Done moves a page that was sorted to where the policy says, under another name where one
// of its name is there.
func (i Inbox) Done(ctx context.Context, req DoneRequest) (Written, error) {
	named, s, err := i.app.change.Writable(ctx, req.Ref)
	if err != nil {
		return Written{}, err
	}
	if !s.Policy.Inbox.Has(named.Page.Path) {
		return Written{}, kb.Errorf(kb.Usage, "%s is not in the inbox", named.Page.Ref())
	}
	to := s.Policy.Inbox.After(named.Page.Path)
	err = i.app.db.View(ctx, func(tx store.Tx) error {
		to, err = ref.FreePath(ctx, tx, s.Space, to, nil)
		return err
	})
	if err != nil {
		return Written{}, err
	}
	return i.app.Move(ctx, MoveRequest{WriteOptions: req.WriteOptions, Ref: named.Page.Ref(), To: to})
}
