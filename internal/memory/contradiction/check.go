package contradiction

import (
	"context"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/sidecar"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/freshness"

	"github.com/cairn-kb/cairn/internal/policy/lifecycle"
	"github.com/cairn-kb/cairn/internal/store"
)

// Edits are the edits of a page and of its sidecar.
type Edits struct {
	Page     string // ref
	Expected *int   // version
	Document []doc.Edit
	Sidecar  []sidecar.Edit
}

// Request selects the pages to check.
type Request struct {
	Ref       string   // only this page
	All       bool     // every space
	Types     []string // only these; none is all
	Dismissed bool     // list the dismissed ones instead

	Limit, Offset int // Limit 0 is all
}

// List lists contradictions: certain ones first, and those of each kind by page.
func List(ctx context.Context, sess *memory.Session, req Request) (out api.Contradictions, err error) {
	out.Items = []api.Contradiction{}
	for _, name := range req.Types {
		if !slices.Contains(kinds(), name) {
			return out, kb.Errorf(kb.Usage, "unknown contradiction type %q", name).WithHint("Types are %s.", strings.Join(kinds(), ", "))
		}
	}
	var page *kb.Page
	if req.Ref != "" {
		p, err := freshness.Page(ctx, sess, req.Ref)
		if err != nil {
			return out, err
		}
		page = &p
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		all, err := within(ctx, sess, tx, page, req.All, req.Types)
		if err != nil {
			return err
		}
		var lists [2][]pending
		for _, f := range all {
			certain, possible, dismissed, err := f.split(ctx)
			if err != nil {
				return err
			}
			for i, list := range [][]lifecycle.Finding{certain, possible, dismissed} {
				list = slices.DeleteFunc(list, func(x lifecycle.Finding) bool {
					return len(req.Types) > 0 && !slices.Contains(req.Types, string(x.Kind))
				})
				switch i {
				case 0:
					out.Certain += len(list)
				case 1:
					out.Possible += len(list)
				default:
					out.Dismissed += len(list)
				}
				if (i == 2) == req.Dismissed {
					for _, x := range list {
						lists[i%2] = append(lists[i%2], pending{f, x})
					}
				}
			}
		}
		whole := slices.Concat(lists[0], lists[1])
		out.Total = len(whole)
		part := whole[min(max(req.Offset, 0), len(whole)):]
		if req.Limit > 0 {
			part = part[:min(req.Limit, len(part))]
		}
		out.Next = api.Next(req.Offset, len(part), len(whole))
		out.Items, err = show(ctx, sess, part)
		return err
	})
	return out, err
}

// pending is a finding to be shown.
type pending struct {
	in *found
	lifecycle.Finding
}

// within checks the requested spaces, or the page, for some types.
func within(ctx context.Context, sess *memory.Session, tx store.Tx, page *kb.Page, everywhere bool, types []string) (out []*found, err error) {
	spaces, err := tx.Spaces().All(ctx)
	if err != nil {
		return nil, err
	}
	var pages []int64
	if page != nil {
		pages = []int64{page.Row}
		spaces = slices.DeleteFunc(spaces, func(s kb.Space) bool { return s.ID != page.SpaceID })
	} else if rows, err := sess.Spaces.ScopeTx(ctx, tx, everywhere); err != nil {
		return nil, err
	} else if rows != nil {
		spaces = slices.DeleteFunc(spaces, func(s kb.Space) bool { return !slices.Contains(rows, s.Row) })
	}
	for _, s := range spaces {
		pol, _, err := sess.Spaces.Policy(ctx, s, nil)
		if err != nil {
			return nil, err
		}
		f, err := look(ctx, sess, tx, s, pol, pages, types)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}
