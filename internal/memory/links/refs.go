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

// List lists the links from a page, or to it.
func List(ctx context.Context, sess *memory.Session, req api.LinksRequest) (api.LinkList, error) {
	times, err := readTimes(sess, req.Temporal, req.At)
	if err != nil {
		return api.LinkList{}, err
	}
	list := From
	if req.Way == api.In {
		list = To
	}
	if len(req.Lines) > 0 && req.Way == api.In {
		return api.LinkList{}, kb.Errorf(kb.Usage, "lines cannot be combined with way in")
	}
	if n := len(req.Lines); n > 0 && (req.Lines[0] < 1 || req.Lines[n-1] < req.Lines[0]) {
		return api.LinkList{}, kb.Errorf(kb.Usage, "invalid lines %v: want the first and the last, from 1", req.Lines)
	}
	var out api.LinkList
	err = of(ctx, sess, req.Ref, req.AsOf, func(sess *memory.Session, p kb.Page) error {
		out, err = list(ctx, sess, p, Request{Times: times, Lines: req.Lines, Quotes: req.Quotes, Limit: req.Limit, Offset: req.Offset})
		return err
	})
	return out, err
}

// of runs use with the page of a ref: over the memory at an earlier time, if one is
// given.
func of(ctx context.Context, sess *memory.Session, ref, asOf string, use func(*memory.Session, kb.Page) error) error {
	if asOf != "" {
		return retrieve.PastPage(ctx, sess, asOf, ref, use)
	}
	p, err := freshness.Page(ctx, sess, ref)
	if err != nil {
		return err
	}
	return use(sess, p)
}

// readTimes reads a date phrase.
func readTimes(sess *memory.Session, temporal api.Temporal, at string) (Times, error) {
	day, err := change.Date(at, sess.Now())
	return Times{Temporal: temporal, At: day}, err
}

// UnlinkedIn lists the unlinked names of pages in texts of the current space, or in
// the text of one page; see Unlinked.
func UnlinkedIn(ctx context.Context, sess *memory.Session, ref string, req UnlinkedRequest) (api.List[api.UnlinkedName], error) {
	if ref != "" {
		p, err := freshness.Page(ctx, sess, ref)
		if err != nil {
			return api.List[api.UnlinkedName]{Items: []api.UnlinkedName{}}, err
		}
		req.Page = &p
	}
	return Unlinked(ctx, sess, req)
}

// AroundRef returns the pages around a page, and the links between them.
func AroundRef(ctx context.Context, sess *memory.Session, req api.GraphRequest) (api.Graph, error) {
	times, err := readTimes(sess, req.Temporal, req.At)
	if err != nil {
		return api.Graph{}, err
	}
	var out api.Graph
	err = of(ctx, sess, req.Ref, req.AsOf, func(sess *memory.Session, p kb.Page) error {
		out, err = Around(ctx, sess, p, AroundRequest{
			Times: times, Depth: req.Depth, Limit: req.Limit, Direction: req.Direction, Types: req.Types,
		})
		return err
	})
	return out, err
}

// MapPagesRequest asks for pages and the links between them.
type MapPagesRequest struct {
	retrieve.Within
	Projects []string // that the pages name, all of them
	Limit    int      // of pages; 0 is MaxNodes
	AsOf     string   // a time or date phrase: the pages and links of that time
}

// MapPages returns pages of the current space, and the links between them.
func MapPages(ctx context.Context, sess *memory.Session, req MapPagesRequest) (out api.Graph, err error) {
	if asOf := req.AsOf; asOf != "" {
		req.AsOf = ""
		err = retrieve.Past(ctx, sess, asOf, req.All, func(then *memory.Session) error {
			out, err = MapPages(ctx, then, req)
			return err
		})
		return out, err
	}
	for _, name := range req.Projects {
		req.Where = append(slices.Clip(req.Where), "projects="+name)
	}
	f, err := req.Filter(sess.Now())
	if err != nil {
		return api.Graph{}, err
	}
	return Map(ctx, sess, MapRequest{Filter: f, All: req.All, Limit: req.Limit})
}
