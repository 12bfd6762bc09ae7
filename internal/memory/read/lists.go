package read

import (
	"context"
	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
)

// Tags counts the tags of pages, or lists those of one page.
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
	Ref             string // of this page; "" for all pages that match Within
	retrieve.Within        // the pages
}

// Timeline lists the timeline entries of a page in page order or, without a ref,
// those of all pages, newest first. With asOf, a time or date phrase, it reads the
// memory at that time.
func Timeline(ctx context.Context, sess *memory.Session, req retrieve.TimelineRequest, asOf string) (out api.List[api.Entry], err error) {
	switch {
	case asOf != "" && req.Ref == "":
		err = retrieve.Past(ctx, sess, asOf, req.All, func(then *memory.Session) error {
			out, err = retrieve.Timeline(ctx, then, req)
			return err
		})
		return out, err
	case asOf != "":
		err = retrieve.PastPage(ctx, sess, asOf, req.Ref, func(then *memory.Session, p kb.Page) error {
			out, err = retrieve.TimelineOf(ctx, then, p, req)
			return err
		})
		return out, err
	case req.Ref == "":
		return retrieve.Timeline(ctx, sess, req)
	}
	p, err := freshness.Page(ctx, sess, req.Ref)
	if err != nil {
		return api.List[api.Entry]{Items: []api.Entry{}}, err
	}
	return retrieve.TimelineOf(ctx, sess, p, req)
}
