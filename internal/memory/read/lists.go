package read

import (
	"context"
	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
)

// Tags counts the tags of pages, or lists those of one.
func Tags(ctx context.Context, sess *memory.Session, req TagsRequest) (api.List[api.Count], error) {
	if req.Ref == "" {
		return retrieve.Tags(ctx, sess, req.Within)
	}
	out := api.List[api.Count]{Items: []api.Count{}}
	if req.Narrows() || req.All {
		return out, retrieve.OnePage()
	}
	p, err := freshness.Page(ctx, sess, req.Ref)
	for _, t := range p.Tags {
		out.Items = append(out.Items, api.Count{Value: t, Count: 1})
	}
	out.Total = len(out.Items)
	return out, err
}

// TagsRequest asks for tags.
type TagsRequest struct {
	Ref             string // of this page; "" for all pages that Within lets through
	retrieve.Within        // the pages
}

// Timeline lists the timeline entries of a page in its order or, without a ref,
// those of all pages, the newest first.
func Timeline(ctx context.Context, sess *memory.Session, req retrieve.TimelineRequest) (api.List[api.Entry], error) {
	if req.Ref == "" {
		return retrieve.Timeline(ctx, sess, req)
	}
	p, err := freshness.Page(ctx, sess, req.Ref)
	if err != nil {
		return api.List[api.Entry]{Items: []api.Entry{}}, err
	}
	return retrieve.TimelineOf(ctx, sess, p, req)
}
