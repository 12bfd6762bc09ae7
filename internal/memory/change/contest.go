package change

import (
	"context"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/contradiction"
	"github.com/cairn-kb/cairn/internal/store"
)

// ContestRequest marks two pages as contradicting each other.
type ContestRequest struct {
	api.WriteOptions
	A, B   string // refs
	Reason string // one line
}

// contradicts is the type of the relation between contested pages.
const contradicts = "contradicts"

// Contest marks two pages as contested and links each to the other, in one write. A
// person decides which of them is right.
func Contest(ctx context.Context, sess *memory.Session, req ContestRequest) (api.Written, error) {
	req.Reason = strings.Join(strings.Fields(req.Reason), " ")
	switch {
	case req.Reason == "":
		return api.Written{}, kb.Errorf(kb.Usage, "say why the two pages cannot both hold")
	case req.Expected != nil:
		return api.Written{}, kb.Errorf(kb.Usage, "a version is expected of one page, and these are 2")
	}
	return Retry(ctx, req.WriteOptions, func() (api.Written, error) { return contest(ctx, sess, req) })
}

// contest makes one attempt at Contest.
func contest(ctx context.Context, sess *memory.Session, req ContestRequest) (api.Written, error) {
	a, _, err := Writable(ctx, sess, req.A)
	if err != nil {
		return api.Written{}, err
	}
	b, _, err := Writable(ctx, sess, req.B)
	if err != nil {
		return api.Written{}, err
	}
	if a.Page.Row == b.Page.Row {
		return api.Written{}, kb.Errorf(kb.Usage, "%s is named twice", a.Page.Ref())
	}
	var pages []contradiction.Edits
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		for _, pair := range [][2]kb.Page{{a.Page, b.Page}, {b.Page, a.Page}} {
			edits, err := contested(ctx, sess, tx, pair[0], pair[1], req.Reason)
			if err != nil {
				return err
			}
			if len(edits) > 0 {
				pages = append(pages, contradiction.Edits{Page: pair[0].Ref(), Expected: &pair[0].Version, Document: edits})
			}
		}
		return nil
	})
	if err != nil {
		return api.Written{}, err
	}
	if len(pages) == 0 {
		return api.Written{}, kb.Errorf(kb.Conflict, "%s and %s are contested already", a.Page.Ref(), b.Page.Ref()).WithHint("Nothing was changed. A person decides which of them holds.")
	}
	if req.Message == "" {
		req.Message = req.Reason
	}
	return EditPages(ctx, sess, "contest", req.WriteOptions, pages)
}

// contested returns the edits that mark a page as contradicted by another.
func contested(ctx context.Context, sess *memory.Session, tx store.Tx, page, other kb.Page, reason string) (edits []doc.Edit, err error) {
	if page.Status != kb.Contested {
		edits = append(edits, doc.SetProperty{Key: "status", Value: string(kb.Contested)})
	}
	links, err := tx.Links().From(ctx, page.Row)
	if err != nil {
		return nil, err
	}
	for _, l := range links {
		if l.To == other.Row && doc.FoldName(l.Type) == contradicts {
			return edits, nil
		}
	}
	target, err := Target(ctx, sess, tx, page, other)
	return append(edits, doc.AddRelation{Type: contradicts, Target: target, Context: reason}), err
}
