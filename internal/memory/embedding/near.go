package embedding

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/search/embed"
	"github.com/cairn-kb/cairn/internal/search/embed/kernel"
	"github.com/cairn-kb/cairn/internal/search/vector"
	"github.com/cairn-kb/cairn/internal/store"
)

// Near returns the similarity of a text to the most similar part of a page, 0 if
// unknown: the page is not embedded, or no model answers. Only the beginning of a
// long text is used. Credentials in it are never sent to a model.
func Near(ctx context.Context, sess *memory.Session, page int64, text string) (float64, error) {
	model, err := ActiveModel(ctx, sess)
	if err != nil {
		return 0, ctx.Err()
	}
	var has store.PageVectors
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		has, err = tx.Vectors().Get(ctx, model.Model(), page)
		return err
	})
	if kb.CodeOf(err) == kb.NotFound {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	asked, err := model.Embed(ctx, []string{beginning(model, string(secrets.Hide([]byte(text))))}, embed.Passage)
	if err != nil {
		return 0, ctx.Err()
	}
	k, err := kernel.Select(sess.Place.Env(kernel.EnvVar))
	if err != nil {
		return 0, err
	}
	ix := vector.New(model.Dimensions(), k.Dots)
	ix.Put(1, []vector.Page{{Page: page, Info: has.Info, Size: len(has.Values)}}, has.Values)
	hits, err := ix.Search(asked[0], 1, func(int64) bool { return true })
	near := 0.0
	for _, h := range hits {
		near = max(near, float64(h.Score))
	}
	return near, err
}

// beginning returns as much of a text as a model accepts.
func beginning(model embed.Embedder, text string) string {
	for len(text) > 0 {
		n, err := model.CountTokens(text)
		if err != nil || n <= model.MaxTokens() {
			break
		}
		text = text[:len(text)*model.MaxTokens()/(n+1)]
		for !utf8.ValidString(text) {
			text = text[:len(text)-1]
		}
		text = strings.TrimRight(text, " \n")
	}
	return text
}
