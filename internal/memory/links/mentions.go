package links

import (
	"context"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/turn"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/search/lexical"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/store"
)

// maxNaming is the maximum number of pages with the words of a name that are read.
const maxNaming = 500

// Mentions lists the pages of a page's space that name it in their text without a
// link to it, by slug; see Unlinked. Of a name in very many pages, the best matches
// are read.
func Mentions(ctx context.Context, sess *memory.Session, ref string, limit, offset int) (out api.List[api.Mention], err error) {
	out.Items = []api.Mention{}
	page, err := freshness.Page(ctx, sess, ref)
	if err != nil {
		return out, err
	}
	names := specificNames(page)
	if len(names) == 0 {
		return out, nil
	}
	err = turn.Reading(ctx, sess.DB, func(ctx context.Context) error {
		out.Items = out.Items[:0]
		return sess.DB.View(ctx, func(tx store.Tx) error { return mentionsOf(ctx, sess, tx, page, names, &out) })
	})
	out.Total = len(out.Items)
	out.Items = out.Items[min(max(offset, 0), len(out.Items)):]
	out.Items = out.Items[:min(api.Limit(limit), len(out.Items))]
	out.Next = api.Next(offset, len(out.Items), out.Total)
	return out, err
}

// mentionsOf adds the pages that name a page.
func mentionsOf(ctx context.Context, sess *memory.Session, tx store.Tx, page kb.Page, names []string, out *api.List[api.Mention]) error {
	pages, err := naming(ctx, sess, tx, page, names)
	if err != nil {
		return err
	}
	in, err := tx.Links().EdgesTo(ctx, []int64{page.Row})
	if err != nil {
		return err
	}
	linked := map[int64]bool{page.Row: true}
	for _, l := range in {
		linked[l.From] = true
	}
	finder := link.NewFinder([][]string{names})
	var found []kb.Page
	for _, p := range pages {
		if linked[p.Row] {
			continue
		}
		if err := turn.Check(ctx, p.Size); err != nil {
			return err
		}
		source, err := tx.History().Bytes(ctx, p.Hash)
		if err != nil {
			return err
		}
		d := doc.ForNote(sess.Codecs, p.Syntax, p.Path).Parse(p.Path, source)
		node := nodeOf(d, p)
		if node < 0 {
			continue
		}
		lines := finder.In(string(prose(d, node)))[0]
		if len(lines) == 0 {
			continue
		}
		text := strings.Split(string(secrets.Hide(d.Text)), "\n")
		found = append(found, p)
		out.Items = append(out.Items, api.Mention{Ref: p.Ref(), Title: p.Title, Lines: lines[:min(len(lines), maxNamed)], Context: strings.TrimSpace(text[lines[0]-1])})
	}
	v, err := api.NewViewer(ctx, tx)
	if err != nil {
		return err
	}
	shorts, err := v.Shorts(ctx, found)
	for i, short := range shorts {
		out.Items[i].Short = short
	}
	return err
}

// naming returns the pages of a page's space with the words of one of its names in
// their text, by slug.
func naming(ctx context.Context, sess *memory.Session, tx store.Tx, page kb.Page, names []string) ([]kb.Page, error) {
	s, err := space.OfPage(ctx, tx, page)
	if err != nil {
		return nil, err
	}
	rows, err := tx.Pages().Rows(ctx, store.Filter{Spaces: []int64{s.Row}})
	if err != nil {
		return nil, err
	}
	found := map[int64]bool{}
	for _, name := range names {
		hits, err := sess.Index.Text().Search(ctx, tx.Lexical(), &query.Phrase{Text: name}, lexical.Options{Limit: maxNaming, Allowed: lexical.NewIDs(rows...)})
		if err != nil {
			return nil, err
		}
		for _, h := range hits.Hits {
			found[h.ID] = true
		}
	}
	rows = slices.DeleteFunc(rows, func(row int64) bool { return !found[row] })
	pages, err := tx.Pages().Get(ctx, rows)
	slices.SortFunc(pages, func(a, b kb.Page) int { return strings.Compare(a.Slug, b.Slug) })
	return pages, err
}
