package lexical

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestHoldingAgainstDefinition compares the words that hold a text with a look at all words.
func TestHoldingAgainstDefinition(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	rnd := rand.New(rand.NewPCG(7, 1))
	m, x := newMemory(), New(1<<20)
	for segment := range 3 {
		b := NewBatch()
		for id := range int64(60) {
			var words []string
			for range 20 {
				var w strings.Builder
				for range 3 + rnd.IntN(5) {
					w.WriteString([]string{"ab", "a", "ba", "ü", "aab", "c"}[rnd.IntN(6)])
				}
				words = append(words, w.String())
			}
			b.Put(Document{ID: id + int64(segment)*60, Texts: []Text{{Truth, strings.Join(words, " ")}}})
		}
		if err := x.Apply(ctx, m, b); err != nil {
			t.Fatal(err)
		}
	}
	texts := []string{"aba", "aaba", "baab", "üba", "cabab", "abü", "zzz"}
	want, got := []string{}, []string{}
	if err := x.Vocabulary(ctx, m, "", func(word []byte) bool {
		for _, text := range texts {
			if strings.Contains(string(word), text) {
				want = append(want, fmt.Sprint(text, " in ", string(word)))
			}
		}
		return true
	}); err != nil {
		t.Fatal(err)
	}
	if err := x.Holding(ctx, m, texts, func(word []byte, text string) {
		got = append(got, fmt.Sprint(text, " in ", string(word)))
	}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(slices.Compact(want), slices.Compact(got)); diff != "" || len(want) < 100 {
		t.Errorf("%d words hold them: %s", len(want), diff)
	}
}
