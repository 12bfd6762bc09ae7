package retrieve

import (
	"context"
	"errors"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/store"
)

// Past runs use over the memory as it was at a time, a time or date phrase, as the same
// caller saw it then. Its history is that of now.
func Past(ctx context.Context, sess *memory.Session, asOf string, all bool, use func(then *memory.Session) error) (err error) {
	p, err := openPast(ctx, sess, SearchRequest{AsOf: asOf, All: all})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close(ctx, memory.Keep[Pasts](sess), sess.Now(), nil)) }()
	for space, n := range p.lost {
		if all || space == p.Session.Spaces.Asked {
			return p.unknown(space, n)
		}
	}
	return use(p.Session)
}

// PastPage is Past with the page that a ref named then.
func PastPage(ctx context.Context, sess *memory.Session, asOf, raw string, use func(then *memory.Session, page kb.Page) error) error {
	var home string
	if err := sess.DB.View(ctx, func(tx store.Tx) error {
		all, err := tx.Spaces().All(ctx)
		home = ref.Parse(raw, all).Space
		return err
	}); err != nil {
		return err
	}
	return Past(ctx, sess.In(home), asOf, false, func(then *memory.Session) error {
		var page kb.Page
		if err := then.DB.View(ctx, func(tx store.Tx) (err error) {
			page, err = then.Refs.Resolve(ctx, tx, raw)
			return err
		}); err != nil {
			return err
		}
		return use(then, page)
	})
}
