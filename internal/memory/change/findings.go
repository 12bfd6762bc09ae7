package change

import (
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/contradiction"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// watched lists the documents of a change set in spaces that report contradictions
// of their pages.
type watched struct {
	check *memory.Session
	docs  []document
}

type document struct {
	space *write.Space
	path  string
}

// watchAtMost is the number of documents up to which a write reports new
// contradictions. Nobody would read those of an import of thousands.
const watchAtMost = 1000

func watch(sess *memory.Session, req write.Request) watched {
	w := watched{check: sess}
	if len(req.Changes) > watchAtMost {
		return w
	}
	type place struct {
		space int64
		path  string
	}
	seen := map[place]bool{}
	for _, c := range req.Changes {
		if !contradiction.MarksPages(c.Space.Policy) {
			continue
		}
		paths := []string{c.Path}
		if m, ok := c.Action.(write.Move); ok {
			paths = append(paths, m.To)
		}
		for _, path := range paths {
			if at := (place{c.Space.Row, path}); !seen[at] {
				seen[at] = true
				w.docs = append(w.docs, document{c.Space, path})
			}
		}
	}
	return w
}

// findings returns the present contradictions of the documents.
func (w watched) findings(ctx context.Context, tx store.Tx) (out []contradiction.Finding, err error) {
	type pages struct {
		space *write.Space
		rows  []int64
	}
	var all []pages
	for _, d := range w.docs {
		found, err := tx.Pages().ByPath(ctx, d.space.Row, d.path)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(all, func(p pages) bool { return p.space.Row == d.space.Row })
		if i < 0 {
			i, all = len(all), append(all, pages{space: d.space})
		}
		for _, p := range found {
			all[i].rows = append(all[i].rows, p.Row)
		}
	}
	for _, p := range all {
		more, err := contradiction.Of(ctx, w.check, tx, p.space.Space, p.space.Policy, p.rows)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// ahead makes the reads of findings after a write of pages; see store.Foresee.
func (w watched) ahead(ctx context.Context, tx store.Tx, written []write.PageResult) {
	_, _ = w.findings(ctx, tx)
	for _, d := range w.docs {
		for _, p := range written {
			if p.Page.Row != 0 && p.Page.Space == d.space.Name && p.Page.Path == d.path {
				contradiction.Ahead(ctx, w.check, tx, d.space.Space, d.space.Policy, []kb.Page{p.Page})
			}
		}
	}
}
