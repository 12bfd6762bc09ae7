package links

import (
	"context"
	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"slices"
)

// List lists the links from a page, or to it.
func List(ctx context.Context, sess *memory.Session, req api.LinksRequest) (api.LinkList, error) {
	times, err := readTimes(sess, req.Temporal, req.At)
	if err != nil {
		return api.LinkList{}, err
	}
	p, err := freshness.Page(ctx, sess, req.Ref)
	if err != nil {
		return api.LinkList{}, err
	}
	list := From
	if req.Way == api.In {
		list = To
	}
	return list(ctx, sess, p, Request{Times: times, Limit: req.Limit, Offset: req.Offset})
}

// times reads a date phrase.
func readTimes(sess *memory.Session, temporal api.Temporal, at string) (Times, error) {
	day, err := change.Date(at, sess.Now())
	return Times{Temporal: temporal, At: day}, err
}

// UnlinkedIn lists the names of pages that occur in texts of the current space,
// or in that of one page, without a link; see Unlinked.
func UnlinkedIn(ctx context.Context, sess *memory.Session, ref string, limit, offset int) (api.List[api.UnlinkedName], error) {
	if ref == "" {
		return Unlinked(ctx, sess, nil, limit, offset)
	}
	p, err := freshness.Page(ctx, sess, ref)
	if err != nil {
		return api.List[api.UnlinkedName]{Items: []api.UnlinkedName{}}, err
	}
	return Unlinked(ctx, sess, &p, limit, offset)
}

// Around returns the pages around one, and the links between them.
func AroundRef(ctx context.Context, sess *memory.Session, req api.GraphRequest) (api.Graph, error) {
	times, err := readTimes(sess, req.Temporal, req.At)
	if err != nil {
		return api.Graph{}, err
	}
	p, err := freshness.Page(ctx, sess, req.Ref)
	if err != nil {
		return api.Graph{}, err
	}
	return Around(ctx, sess, p, AroundRequest{
		Times: times, Depth: req.Depth, Limit: req.Limit, Direction: req.Direction, Types: req.Types,
	})
}

// MapRequest asks for pages and the links between them.
type MapPagesRequest struct {
	retrieve.Within
	Projects []string // that the pages name, all of them
	Limit    int      // of pages; 0 is MaxNodes
}

// Map returns pages of the current space, and the links between them.
func MapPages(ctx context.Context, sess *memory.Session, req MapPagesRequest) (api.Graph, error) {
	for _, name := range req.Projects {
		req.Where = append(slices.Clip(req.Where), "projects="+name)
	}
	f, err := req.Filter(sess.Now())
	if err != nil {
		return api.Graph{}, err
	}
	return Map(ctx, sess, MapRequest{Filter: f, All: req.All, Limit: req.Limit})
}
