package doctor

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc/chunk"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/store"
)

// checkModel reports a model that cannot be used on this machine or in this
// environment, so that all searches are keyword searches. It contacts no server.
func checkModel(ctx context.Context, sess *memory.Session, all []store.Model) (api.Check, error) {
	c := api.Check{Name: "model", State: "ok", Reason: "there is none: words alone find pages"}
	var cannot error
	switch m, ok := embedding.Chosen(all); {
	case ok:
		c.Reason = m.Name
		if m.Source == embedding.SourceOllama || m.Source == embedding.SourceOpenAI {
			c.Reason += ", which was not asked: cairn model verify does that"
		}
		_, cannot = embedding.OpenActive(ctx, sess, all)
	case bge.Available():
		c.Reason = bge.Name
		_, cannot = embedding.BuiltIn(sess.Place, sess.Workers)
	}
	if cannot != nil {
		e := kb.AsError(cannot)
		c.State, c.Reason, c.Remedy = "warning", "search is keyword-only: "+e.Error(), sess.Hint.Of(e)
	}
	return c, ctx.Err()
}

func checkChosen(ctx context.Context, l *Look) (c api.Check, err error) {
	r, err := l.everyday(ctx)
	if err != nil {
		return c, err
	}
	return checkModel(ctx, l.Session, r.models)
}

// checkLong reports pages too long to be embedded completely. The missing amount is
// not stored: pages with very many vectors are split again, including those with
// passages that the model rejected.
func checkLong(ctx context.Context, l *Look) (c api.Check, err error) {
	r, err := l.everyday(ctx)
	if err != nil {
		return c, err
	}
	return store.Keep(l.kept, l.mark, "long", func() (api.Check, error) { return longPages(ctx, l.Session, r.models) })
}

func longPages(ctx context.Context, sess *memory.Session, all []store.Model) (api.Check, error) {
	c := api.Check{Name: "long pages", State: "ok", Reason: "no page exceeds the embedding limit"}
	if _, ok := embedding.Chosen(all); !ok {
		return c, nil // no page is embedded
	}
	m, err := embedding.OpenActive(ctx, sess, all)
	if err != nil {
		c.Reason = "not looked at: " + kb.AsError(err).Message
		return c, ctx.Err()
	}
	found := 0
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		rows, err := tx.Vectors().Long(ctx, m.Model(), chunk.MaxChunks/2)
		if err != nil {
			return err
		}
		pages, err := tx.Pages().Get(ctx, rows)
		if err != nil {
			return err
		}
		for _, p := range pages {
			chunks, left, err := embedding.CutPage(ctx, sess, tx, m, p)
			if err != nil {
				return err
			}
			if left == 0 {
				continue
			}
			if found++; found <= maxItems {
				c.Items = append(c.Items, embedding.TooLong(p.Ref(), chunks, left))
			}
		}
		return nil
	})
	if found > 0 {
		c.State, c.Reason = "warning", api.Plural(found, "page")+" too long to be found whole by meaning"
		c.Remedy = "divide them into several pages; words find all of them meanwhile"
	}
	return c, err
}
