//go:build !slim

package bge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/search/embed/packed"
)

// A passage with the question's words, in another order and form, is nearer than others.
func TestLateScores(t *testing.T) {
	t.Parallel()
	late := packed.NewLate(newEmbedder(t, ""))
	const question = "where did Ada walk her dog?"
	passages := []string{
		"Ada took the dog for a walk along the lake.",
		"Copper prices fell for the third week.",
		"",
		"Ada's cat slept on the keyboard.",
		strings.Repeat("Snow closed the pass in October. ", 100),
	}
	score := func(question string, passages []string, most int) []float64 {
		t.Helper()
		scores, err := late.Score(t.Context(), question, passages, most)
		if err != nil {
			t.Fatal(err)
		}
		return scores
	}
	cold := score(question, passages, 1<<20)
	if len(cold) != len(passages) || cold[0] != slices.Max(cold) || cold[2] != slices.Min(cold) || cold[3] < cold[1] {
		t.Errorf("scores %v", cold)
	}
	for i, s := range cold {
		if math.Abs(s) > 1.0001 {
			t.Errorf("passage %d: %v", i, s)
		}
	}
	if warm := score(question, passages, 1<<20); !slices.Equal(warm, cold) {
		t.Errorf("with the vectors that were kept: %v, want %v", warm, cold)
	}
	if same := score(passages[0], passages[:1], 1<<20); math.Abs(same[0]-1) > 1e-3 {
		t.Errorf("a text is %v near itself", same)
	}
	// 10 words and a full stop, with two special tokens, and 9 with two.
	if got := score(question, passages, 13+10); len(got) != 2 {
		t.Errorf("%d passages have 23 tokens", len(got))
	}
	if got := score("", passages, 1<<20); slices.Max(got) != 0 {
		t.Errorf("no question: %v", got)
	}
	if got := score(question, nil, 1<<20); len(got) != 0 {
		t.Errorf("no passages: %v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := late.Score(ctx, question, []string{"not compared before"}, 1<<20); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A question compared with passages of 1,000 tokens, none of which was compared before.
func BenchmarkLate(b *testing.B) {
	late := packed.NewLate(newEmbedder(b, ""))
	for n := 0; b.Loop(); n++ {
		passages := make([]string, 60)
		for i := range passages {
			passages[i] = fmt.Sprintf("- Ada %d %d: %s", n, i, strings.Repeat("walked by the lake ", 1+i%8))
		}
		scores, err := late.Score(b.Context(), "where did Ada walk with her dog on Sunday afternoon?", passages, 1000)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(scores)), "passages")
	}
}
