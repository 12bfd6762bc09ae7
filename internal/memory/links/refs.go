package links

import (
	"context"
	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"slices"
)

// LinksRequest asks for the links at a page.
type RefRequest struct {
	Ref           string
	Temporal      api.Temporal // "" is all of those from a page, and the current of those to it
	At            string       // date or date phrase; "" is today
	Limit, Offset int          // 0: all
}

// From lists what a page links to.
func FromRef(ctx context.Context, sess *memory.Session, req RefRequest) (api.LinkList, error) {
	return atRef(ctx, sess, req, From)
}

// To lists what links to a page.
func ToRef(ctx context.Context, sess *memory.Session, req RefRequest) (api.LinkList, error) {
	return atRef(ctx, sess, req, To)
}

func atRef(ctx context.Context, sess *memory.Session, req RefRequest, list func(context.Context, *memory.Session, kb.Page, Request) (api.LinkList, error)) (api.LinkList, error) {
	times, err := readTimes(sess, req.Temporal, req.At)
	if err != nil {
		return api.LinkList{}, err
	}
	p, err := freshness.Page(ctx, sess, req.Ref)
	if err != nil {
		return api.LinkList{}, err
	}
	return list(ctx, sess, p, Request{Times: times, Limit: req.Limit, Offset: req.Offset})
}

// times reads a date phrase.
func readTimes(sess *memory.Session, temporal api.Temporal, at string) (Times, error) {
	day, err := change.Date(at, sess.Now())
	return Times{Temporal: temporal, At: day}, err
}

// Unlinked lists the names of pages that stand in texts of the current space, or in that
// of one page, and are no links; see graph.Engine.Unlinked.
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

// GraphRequest asks for the pages around one.
type GraphRequest struct {
	Ref       string
	Depth     int // in links; 0 is the default
	Limit     int // of pages; 0 is the default
	Direction Direction
	Types     []string     // of links
	Temporal  api.Temporal // "" is current
	At        string       // date or date phrase; "" is today
}

// Around returns the pages around one, and the links between them.
func AroundRef(ctx context.Context, sess *memory.Session, req GraphRequest) (api.Graph, error) {
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
