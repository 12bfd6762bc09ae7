package read

import (
	"context"
	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/store"

	"time"
)

// Search answers a query with pages, best first. Every query is valid: parts that
// are not valid syntax are searched as text, with a note.
func Search(ctx context.Context, sess *memory.Session, req retrieve.SearchRequest) (api.SearchResult, error) {
	if req.AsOf != "" {
		return retrieve.SearchPast(ctx, sess, req)
	}
	ctx, leave := store.Join(ctx, sess.DB)
	defer leave()
	s, err := planSearch(ctx, sess, req)
	if err != nil {
		return api.SearchResult{}, err
	}
	if err := embedSome(ctx, sess, s, req.Embed); err != nil {
		return api.SearchResult{}, err
	}
	return s.Answer(ctx)
}

// Facets counts common properties of the pages found by a keyword search.
func Facets(ctx context.Context, sess *memory.Session, req retrieve.SearchRequest) (api.Facets, error) {
	req.Mode, req.Limit, req.Offset = api.ModeWords, retrieve.FacetPages, 0
	if req.AsOf != "" {
		return retrieve.FacetsPast(ctx, sess, req)
	}
	ctx, leave := store.Join(ctx, sess.DB)
	defer leave()
	s, err := planSearch(ctx, sess, req)
	if err != nil {
		return api.Facets{}, err
	}
	return s.Facets(ctx)
}

// Query runs a hybrid search, and returns the best passages within a token budget.
func Query(ctx context.Context, sess *memory.Session, req retrieve.QueryRequest) (api.QueryResult, error) {
	if err := retrieve.Check(sess, &req); err != nil {
		return api.QueryResult{}, err
	}
	if req.AsOf != "" {
		return retrieve.QueryPast(ctx, sess, req)
	}
	ctx, leave := store.Join(ctx, sess.DB)
	defer leave()
	s, err := planSearch(ctx, sess, req.SearchRequest)
	if err != nil {
		return api.QueryResult{}, err
	}
	if err := embedSome(ctx, sess, s, req.Embed); err != nil {
		return api.QueryResult{}, err
	}
	r, err := s.Serve(ctx, req)
	if err == nil {
		var served []api.Page
		for _, h := range r.Items[:min(recalled, len(r.Items))] {
			if h.Depth != "" && h.Depth != api.DepthSummary {
				served = append(served, h.Page)
			}
		}
		sess.WasRead(ctx, served...)
		if question, spaces, ok := s.Asked(); ok {
			for _, h := range sess.Hooks.AfterAnswer {
				h.Run(ctx, sess, question, spaces, r.SearchResult)
			}
		}
	}
	return r, err
}

// recalled is the number of pages of an answer that count as used: in a small space
// an answer has most pages, and the others did not contribute.
const recalled = 3

// planSearch plans a search, after a sync of its directories if the request wants
// it.
func planSearch(ctx context.Context, sess *memory.Session, req retrieve.SearchRequest) (*retrieve.Search, error) {
	s, err := retrieve.Plan(ctx, sess, req)
	if err != nil || !req.Sync {
		return s, err
	}
	f, err := freshness.ToRead(ctx, sess, s.Spaces(), req.Progress)
	if err != nil {
		return nil, err
	}
	s.Freshened(retrieve.Freshened{Reports: f.Reports, Stale: f.Stale, Unread: f.Unread, Notes: f.Notes})
	return s, nil
}

// embedSlack is how far the embedding of a query may exceed its budget: long enough
// to finish work begun in this process. It does not wait for a server.
const embedSlack = 5 * time.Second

// embedSome embeds waiting pages for a short while, for a semantic search: first
// the pages found by keyword, since semantic similarity ranks these.
func embedSome(ctx context.Context, sess *memory.Session, s *retrieve.Search, budget time.Duration) error {
	if budget <= 0 || !s.Ask(ctx) {
		return nil
	}
	found, left, err := s.Waiting(ctx)
	if err != nil || left == 0 {
		return err
	}
	// A failure to embed is not an error: the search reports it. It fails only
	// when ctx ends.
	start, pages := sess.Now(), 0
	embed := func(req embedding.Request) error {
		req.Limit = req.Budget
		if !embedding.IsRemote(s.Model()) {
			req.Limit += embedSlack
		}
		r, err := embedding.Embed(ctx, sess, req)
		pages += r.Pages
		if err != nil && ctx.Err() != nil {
			return err
		}
		return nil
	}
	defer func() { s.Embedded(pages, sess.Now().Sub(start)) }()
	if len(found) > 0 {
		if err := embed(embedding.Request{Rows: found, Budget: budget}); err != nil {
			return err
		}
		if budget -= sess.Now().Sub(start); budget <= 0 {
			return nil
		}
	}
	return embed(embedding.Request{All: len(s.Spaces()) > 1, Budget: budget})
}
