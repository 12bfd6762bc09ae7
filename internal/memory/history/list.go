package history

import (
	"context"
	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
)

// ListRequest asks for the versions of a page, or with Deleted and no ref for the
// deleted pages.
type ListRequest struct {
	Ref           string
	Deleted       bool
	Limit, Offset int // Limit 0 is all
}

// List lists versions, newest first.
func List(ctx context.Context, sess *memory.Session, req ListRequest) (api.List[api.Version], error) {
	if req.Deleted {
		return Deleted(ctx, sess, req.Limit, req.Offset)
	}
	d, err := Find(ctx, sess, req.Ref)
	if err != nil {
		return api.List[api.Version]{}, err
	}
	return Versions(ctx, sess, d, req.Limit, req.Offset)
}

// Find finds an existing page, or a deleted one.
func Find(ctx context.Context, sess *memory.Session, raw string) (Document, error) {
	p, missing := freshness.Page(ctx, sess, raw)
	return PastPage(ctx, sess, raw, p, missing)
}

// DiffRequest compares two versions of a page.
type DiffRequest struct {
	Ref      string
	From, To int // 0: the version before To, and the newest
	// Hide masks parts of the shown lines, and preserves lines; nil shows
	// everything. The texts themselves are compared.
	Hide func([]byte) []byte
}

// Compare compares two versions of a page; version 0 of a page is its absence.
func Compare(ctx context.Context, sess *memory.Session, req DiffRequest) (api.DiffResult, error) {
	d, err := Find(ctx, sess, req.Ref)
	if err != nil {
		return api.DiffResult{}, err
	}
	return diff(ctx, sess, d, req)
}
