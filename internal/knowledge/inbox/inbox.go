// Package inbox lists the pages that wait to be sorted, by the policy of a space, and files
// them.
package inbox

import (
	"context"
	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/store"
)

// List lists the pages of the current space that wait, by name.
func List(ctx context.Context, sess *memory.Session) (api.List[api.Page], error) {
	s, err := sess.Spaces.OpenCurrent(ctx)
	if err != nil {
		return api.List[api.Page]{}, err
	}
	if len(s.Policy.Inbox.Paths) == 0 {
		return api.List[api.Page]{}, kb.Errorf(kb.NotFound, "%s has no inbox", s.Name).
			WithHint("Say in [inbox] of its policy where pages wait, or use the preset context.")
	}
	return retrieve.Pages(ctx, sess, retrieve.ListRequest{Within: retrieve.Within{Paths: s.Policy.Inbox.Paths}})
}

// Done moves a page that was sorted to the directory in the policy, with
// another name if its own is taken.
func Done(ctx context.Context, sess *memory.Session, req DoneRequest) (api.Written, error) {
	named, s, err := change.Writable(ctx, sess, req.Ref)
	if err != nil {
		return api.Written{}, err
	}
	if !s.Policy.Inbox.Has(named.Page.Path) {
		return api.Written{}, kb.Errorf(kb.Usage, "%s is not in the inbox", named.Page.Ref())
	}
	to := s.Policy.Inbox.After(named.Page.Path)
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		to, err = ref.FreePath(ctx, tx, s.Space, to, nil)
		return err
	})
	if err != nil {
		return api.Written{}, err
	}
	return change.Move(ctx, sess, change.MoveRequest{WriteOptions: req.WriteOptions, Ref: named.Page.Ref(), To: to})
}

// DoneRequest says that a page was sorted.
type DoneRequest struct {
	api.WriteOptions
	Ref string
}
