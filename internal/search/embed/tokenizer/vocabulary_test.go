package tokenizer

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// The table finds what a search through all words finds.
func TestVocabularyAgainstASearch(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 1))
	letters := []rune("abß語#")
	text := func(most int) string {
		var b strings.Builder
		for range rnd.IntN(most + 1) {
			b.WriteRune(letters[rnd.IntN(len(letters))])
		}
		return b.String()
	}
	found := 0
	for range 200 {
		var words []string
		for range rnd.IntN(300) {
			word := text(4)
			if rnd.IntN(3) == 0 {
				word = piece + word
			}
			words = append(words, word)
		}
		if rnd.IntN(2) == 0 {
			words = append(words, strings.Repeat("a", 40), piece+strings.Repeat("a", 50)) // longer than most
		}
		v := newVocabulary(strings.Join(words, "\n"))
		for range 50 {
			word, within := text(6), rnd.IntN(2) == 0
			if rnd.IntN(4) == 0 {
				word = strings.Repeat("a", 30+rnd.IntN(30))
			}
			wantID, wantSize := int32(0), 0
			for id, w := range words {
				if within {
					var ok bool
					if w, ok = strings.CutPrefix(w, piece); !ok {
						continue
					}
				}
				if w != "" && len(w) >= wantSize && strings.HasPrefix(word, w) {
					wantID, wantSize = int32(id), len(w)
				}
			}
			id, size := v.longestStart(word, within)
			if id != wantID || size != wantSize {
				t.Fatalf("%q within %v of %q: %d of %d bytes, want %d of %d", word, within, words, id, size, wantID, wantSize)
			}
			if size > 0 {
				found++
			}
		}
	}
	if found < 1000 {
		t.Errorf("only %d words were found", found)
	}
}
