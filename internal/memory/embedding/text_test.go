package embedding

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/embed"
)

// picky refuses texts that hold "bad", and breaks on "broken".
type picky struct{ embed.Embedder }

func (picky) Embed(_ context.Context, texts []string, _ embed.Kind) ([][]float32, error) {
	var out [][]float32
	for i, text := range texts {
		if strings.Contains(text, "bad") {
			return nil, kb.Errorf(kb.Invalid, "no").With("index", i)
		}
		if text == "untaken" {
			return nil, kb.Errorf(kb.Internal, "no").Because(embed.ErrNotTaken).With("index", i)
		}
		if text == "broken" {
			return nil, kb.Errorf(kb.Internal, "broken").With("index", i)
		}
		out = append(out, []float32{float32(len(text))})
	}
	return out, nil
}

func TestEmbedEach(t *testing.T) {
	t.Parallel()
	for _, texts := range [][]string{nil, {"a"}, {"bad"}, {"bad", "abc", "bad", "ab", "bad"}, {"abc", "bad", "bad", "ab"}} {
		vectors, refused, err := embedEach(context.Background(), picky{}, texts, embed.Passage)
		if err != nil || len(vectors) != len(texts) {
			t.Fatalf("%v: %v, %v", texts, vectors, err)
		}
		for i, text := range texts {
			if text == "bad" {
				if vectors[i] != nil || refused[i] == nil {
					t.Errorf("%v: %d was not refused", texts, i)
				}
			} else if refused[i] != nil || !slices.Equal(vectors[i], []float32{float32(len(text))}) {
				t.Errorf("%v: %d has %v", texts, i, vectors[i])
			}
		}
	}
	_, refused, err := embedEach(context.Background(), picky{}, []string{"a", "untaken"}, embed.Passage)
	if err != nil || !errors.Is(refused[1], embed.ErrNotTaken) {
		t.Errorf("not taken: %v, %v", refused, err)
	}
	if _, _, err := embedEach(context.Background(), picky{}, []string{"a", "broken"}, embed.Passage); kb.CodeOf(err) != kb.Internal {
		t.Errorf("another failure: %v", err)
	}
}
