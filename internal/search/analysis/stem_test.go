package analysis

import (
	_ "embed"
	"strings"
	"testing"
)

// vocabulary pairs words with their Porter2 stems. The algorithm was also
// compared with Snowball 3.1 over the 57,860 distinct words of two real vaults.
//
//go:embed testdata/porter2.txt
var vocabulary string

func TestStemMatchesVocabulary(t *testing.T) {
	t.Parallel()
	lines := strings.Split(strings.TrimSpace(vocabulary), "\n")
	if len(lines) < 300 {
		t.Fatalf("the vocabulary has %d pairs", len(lines))
	}
	for _, line := range lines {
		word, want, _ := strings.Cut(line, " ")
		if got := string(Stem([]byte("x"), []byte(word))); got != "x"+want {
			t.Errorf("Stem(%s) = %s, want %s", word, got[1:], want)
		}
	}
}

func TestStemLeavesOtherTermsAlone(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"", "a", "is", "c++", "v1", "日本", "naïve", "gpt4ings", ".net"} {
		if got := string(Stem(nil, []byte(word))); got != word {
			t.Errorf("Stem(%q) = %q", word, got)
		}
	}
}

func FuzzStem(f *testing.F) {
	f.Add("yyyying")
	f.Add("eed")
	f.Add("s")
	f.Fuzz(func(t *testing.T, word string) {
		if got := Stem(nil, []byte(word)); len(got) > len(word)+1 {
			t.Errorf("Stem(%q) = %q", word, got)
		}
	})
}
