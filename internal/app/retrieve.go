package app

import (
	"context"
	"time"

	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
)

// Search answers a query with pages, best first. Any input gives an answer:
// what cannot be understood as meant is searched as text and noted.
func (a *App) Search(ctx context.Context, req retrieve.SearchRequest) (SearchResult, error) {
	if req.AsOf != "" {
		return a.retrieve.SearchPast(ctx, req)
	}
	s, err := a.planSearch(ctx, req)
	if err != nil {
		return SearchResult{}, err
	}
	if err := a.Models().embedSome(ctx, s, req.Embed); err != nil {
		return SearchResult{}, err
	}
	return s.Answer(ctx)
}

// Query searches by words and meaning and serves texts within a budget: in
// rank order first a summary of each hit, then the passage that answers, then
// the whole.
func (a *App) Query(ctx context.Context, req retrieve.QueryRequest) (retrieve.QueryResult, error) {
	if err := a.retrieve.Check(&req); err != nil {
		return retrieve.QueryResult{}, err
	}
	if req.AsOf != "" {
		return a.retrieve.QueryPast(ctx, req)
	}
	s, err := a.planSearch(ctx, req.SearchRequest)
	if err != nil {
		return retrieve.QueryResult{}, err
	}
	if err := a.Models().embedSome(ctx, s, req.Embed); err != nil {
		return retrieve.QueryResult{}, err
	}
	r, err := s.Serve(ctx, req.Depth, req.Budget)
	if err == nil {
		a.asked(ctx, s, r.SearchResult)
	}
	return r, err
}

// planSearch plans a search, and first syncs the directories that it is about,
// when the request wants it.
func (a *App) planSearch(ctx context.Context, req retrieve.SearchRequest) (*retrieve.Search, error) {
	s, err := a.retrieve.Plan(ctx, req)
	if err != nil || !req.Sync {
		return s, err
	}
	f, err := a.fresh.ToRead(ctx, s.Spaces(), req.Progress)
	if err != nil {
		return nil, err
	}
	s.Freshened(retrieve.Freshened{Reports: f.Reports, Stale: f.Stale, Unread: f.Unread, Notes: f.Notes})
	return s, nil
}

// embedSlack is how far the embedding of a query may run over its budget: long
// enough to finish what was begun in this process. A server is not waited for.
const embedSlack = 5 * time.Second

// embedSome embeds pages that wait, for a short while, where a search asks for meaning:
// first those that its words find, since it is among them that meaning is to decide.
func (m Models) embedSome(ctx context.Context, s *retrieve.Search, budget time.Duration) error {
	if budget <= 0 || !s.Ask(ctx) {
		return nil
	}
	found, left, err := s.Waiting(ctx)
	if err != nil || left == 0 {
		return err
	}
	// That meaning cannot be had is no failure: the search says so. It fails only
	// when ctx ends.
	embed := func(req EmbedRequest) error {
		req.Limit = req.Budget
		if !embedding.IsRemote(s.Model()) {
			req.Limit += embedSlack
		}
		if _, err := m.Embed(ctx, req); err != nil && ctx.Err() != nil {
			return err
		}
		return nil
	}
	start := m.now()
	if len(found) > 0 {
		if err := embed(EmbedRequest{Rows: found, Budget: budget}); err != nil {
			return err
		}
		if budget -= m.now().Sub(start); budget <= 0 {
			return nil
		}
	}
	return embed(EmbedRequest{All: len(s.Spaces()) > 1, Budget: budget})
}
