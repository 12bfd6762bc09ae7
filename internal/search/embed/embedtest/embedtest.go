package embedtest

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/embed"
)

// sameVector is the minimum cosine of two vectors of the same text: embedding is
// deterministic, but a remote model may round differently in another batch.
const sameVector = 0.9999

// Run checks an embedder. make returns a new one; it is called once per test.
func Run(t *testing.T, make func(t *testing.T) embed.Embedder) {
	for name, test := range map[string]func(*testing.T, embed.Embedder){
		"describes itself":         describes,
		"unit vectors in order":    unitVectors,
		"no texts":                 noTexts,
		"meaning":                  meaning,
		"batches do not matter":    batches,
		"queries are not passages": kinds,
		"counts tokens":            counts,
		"too long is said":         tooLong,
		"cancelled":                cancelled,
		"many at once":             concurrent,
	} {
		t.Run(name, func(t *testing.T) { test(t, make(t)) })
	}
}

var samples = []string{
	"The cat sleeps on the warm windowsill.",
	"",
	"func add(a, b int) int { return a + b }",
	"東京は日本の首都です。",
	"Interest rates rose by a quarter of a point. " + strings.Repeat("Bonds fell on the news. ", 12),
	"x",
}

func embedAll(t *testing.T, e embed.Embedder, texts []string, kind embed.Kind) [][]float32 {
	t.Helper()
	vectors, err := e.Embed(t.Context(), texts, kind)
	if err != nil {
		t.Fatal(err)
	}
	if len(vectors) != len(texts) {
		t.Fatalf("%d vectors for %d texts", len(vectors), len(texts))
	}
	return vectors
}

func dot(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func describes(t *testing.T, e embed.Embedder) {
	if e.Model() == "" || e.Dimensions() < 1 || e.MaxTokens() < 1 {
		t.Errorf("model %q, %d dimensions, %d tokens", e.Model(), e.Dimensions(), e.MaxTokens())
	}
}

func unitVectors(t *testing.T, e embed.Embedder) {
	for i, v := range embedAll(t, e, samples, embed.Passage) {
		if len(v) != e.Dimensions() {
			t.Fatalf("text %d: %d dimensions of %d", i, len(v), e.Dimensions())
		}
		if n := dot(v, v); math.Abs(n-1) > 1e-4 {
			t.Errorf("text %d: squared length %v", i, n)
		}
	}
}

func noTexts(t *testing.T, e embed.Embedder) { embedAll(t, e, nil, embed.Passage) }

func meaning(t *testing.T, e embed.Embedder) {
	question := embedAll(t, e, []string{"Where is the cat napping?"}, embed.Query)[0]
	passages := embedAll(t, e, samples, embed.Passage)
	for i, v := range passages[1:] {
		if dot(question, v) >= dot(question, passages[0]) {
			t.Errorf("text %d is nearer to the question than its answer", i+1)
		}
	}
}

func batches(t *testing.T, e embed.Embedder) {
	together := embedAll(t, e, samples, embed.Passage)
	for i, text := range samples {
		alone := embedAll(t, e, []string{text}, embed.Passage)[0]
		if c := dot(alone, together[i]); c < sameVector {
			t.Errorf("text %d: cosine %v alone and in a batch", i, c)
		}
	}
}

func kinds(t *testing.T, e embed.Embedder) {
	text := samples[:1]
	passage, query := embedAll(t, e, text, embed.Passage)[0], embedAll(t, e, text, embed.Query)[0]
	if c := dot(passage, query); c < 0.5 {
		t.Errorf("cosine of a text as passage and as query is %v", c)
	}
}

func counts(t *testing.T, e embed.Embedder) {
	for i, text := range samples {
		n, err := e.CountTokens(text)
		if err != nil {
			t.Fatal(err)
		}
		if (n == 0) != (text == "") || n > len(text) {
			t.Errorf("text %d: %d tokens", i, n)
		}
	}
}

func tooLong(t *testing.T, e embed.Embedder) {
	text := strings.Repeat("stone ", e.MaxTokens())
	n, err := e.CountTokens(text)
	if err != nil {
		t.Fatal(err)
	}
	for n > e.MaxTokens() { // a word may be several tokens
		text = text[:len(text)/2]
		if n, err = e.CountTokens(text); err != nil {
			t.Fatal(err)
		}
	}
	embedAll(t, e, []string{text}, embed.Passage)

	text = strings.Repeat("stone ", e.MaxTokens()+32) // longer than the prefix of a passage
	if n, err = e.CountTokens(text); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []embed.Kind{embed.Passage, embed.Query} {
		_, err = e.Embed(t.Context(), []string{"short", text}, kind)
		var failure *kb.Error
		if !errors.As(err, &failure) || failure.Code != kb.Invalid {
			t.Fatalf("error %v, want %s", err, kb.Invalid)
		}
		limit, ok := failure.Details["max_tokens"].(int)
		if failure.Details["index"] != 1 || !ok || failure.Details["tokens"] != n {
			t.Errorf("details %v, want %d tokens", failure.Details, n)
		}
		if failure.Hint == "" || strings.Contains(failure.Error(), "stone") {
			t.Errorf("error %q, hint %q: want a hint and nothing of the text", failure.Error(), failure.Hint)
		}
		fits := text
		for tokens := n; tokens > limit; { // word by word, to find the longest text
			fits = strings.TrimSuffix(fits, "stone ")
			if tokens, err = e.CountTokens(fits); err != nil {
				t.Fatal(err)
			}
		}
		embedAll(t, e, []string{fits}, kind)
	}
}

func cancelled(t *testing.T, e embed.Embedder) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Embed(ctx, samples, embed.Passage); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

func concurrent(t *testing.T, e embed.Embedder) {
	want := embedAll(t, e, samples, embed.Passage)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			vectors, err := e.Embed(t.Context(), samples, embed.Passage)
			if err != nil {
				t.Error(err)
				return
			}
			for i, v := range vectors {
				if c := dot(v, want[i]); c < sameVector {
					t.Errorf("text %d: cosine %v", i, c)
				}
			}
		})
	}
	wg.Wait()
}
