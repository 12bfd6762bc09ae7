package embedding

import (
	"context"
	"errors"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/search/embed"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/search/embed/kernel"
)

// TextEmbedder computes vectors of texts with the built-in model. It needs no
// memory.
type TextEmbedder struct{ m embed.Embedder }

// NewTextEmbedder returns one; kb.NotFound in a build without a model.
func NewTextEmbedder(place space.Place) (TextEmbedder, error) {
	m, err := BuiltIn(place, 0)
	return TextEmbedder{m}, err
}

// BuiltIn returns the model in the binary; threads 0 is one per processor.
func BuiltIn(place space.Place, threads int) (embed.Embedder, error) {
	return bge.New(place.Env(kernel.EnvVar), threads)
}

// Embed returns an answer for each text, in order: as passages, or as queries.
func (t TextEmbedder) Embed(ctx context.Context, texts []string, query bool) ([]api.TextVector, error) {
	kind := embed.Passage
	if query {
		kind = embed.Query
	}
	out := make([]api.TextVector, len(texts))
	vectors, refused, err := embedEach(ctx, t.m, texts, kind)
	if err != nil {
		return nil, err
	}
	for i, text := range texts {
		if e := refused[i]; e != nil {
			out[i].Tokens, _ = e.Details["tokens"].(int)
			out[i].MaxTokens, _ = e.Details["max_tokens"].(int)
			out[i].Error = kb.Errorf(kb.Invalid, "the text has %d tokens; %s takes %d", out[i].Tokens, t.m.Model(), out[i].MaxTokens).Message
			continue
		}
		out[i].Vector = vectors[i]
		if out[i].Tokens, err = t.m.CountTokens(text); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// embedEach is m.Embed, except that a rejected text fails alone: it has no vector
// and an error under its index, which wraps embed.ErrNotTaken unless the text is
// too long.
func embedEach(ctx context.Context, m embed.Embedder, texts []string, kind embed.Kind) ([][]float32, map[int]*kb.Error, error) {
	refused := map[int]*kb.Error{}
	taken := make([]int, len(texts)) // indexes of accepted texts
	for i := range texts {
		taken[i] = i
	}
	for len(taken) > 0 {
		list := make([]string, len(taken))
		for i, at := range taken {
			list[i] = texts[at]
		}
		vectors, err := m.Embed(ctx, list, kind)
		if err == nil {
			out := make([][]float32, len(texts))
			for i, at := range taken {
				out[at] = vectors[i]
			}
			return out, refused, nil
		}
		e := kb.AsError(err)
		index, ok := e.Details["index"].(int)
		if e.Code != kb.Invalid && !errors.Is(err, embed.ErrNotTaken) || !ok || index < 0 || index >= len(taken) {
			return nil, nil, err
		}
		refused[taken[index]] = e
		taken = append(taken[:index:index], taken[index+1:]...)
	}
	return make([][]float32, len(texts)), refused, nil
}
