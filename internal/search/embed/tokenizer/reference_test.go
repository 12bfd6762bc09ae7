package tokenizer_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/cairn-kb/cairn/internal/search/embed/model"
	"github.com/cairn-kb/cairn/internal/search/embed/tokenizer"
)

// real returns the tokenizer of the built-in model, read from the repository
// so that a slim build tests it too.
func real(t testing.TB, rules tokenizer.Rules) *tokenizer.Tokenizer {
	t.Helper()
	tok, err := tokenizer.NewWith(realWords(t), rules)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// realWords is the vocabulary of the built-in model.
func realWords(t testing.TB) string {
	t.Helper()
	file, err := os.ReadFile("../bge/bge-small-en-v1.5.pack")
	if err != nil {
		t.Fatal(err)
	}
	pack, err := model.OpenPack(string(file))
	if err != nil {
		t.Fatal(err)
	}
	words, err := pack.Vocabulary()
	if err != nil {
		t.Fatal(err)
	}
	return words
}

func TestReferenceTokens(t *testing.T) {
	t.Parallel()
	tok := real(t, tokenizer.Rules{})
	f, err := os.Open("testdata/golden.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, n := bufio.NewScanner(f), 0
	for ; lines.Scan(); n++ {
		var want struct {
			Text string
			IDs  []int32
		}
		if err := json.Unmarshal(lines.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		if got := tok.Encode(want.Text); !slices.Equal(got, want.IDs) {
			t.Errorf("Encode(%q)\n got %v\nwant %v", want.Text, got, want.IDs)
		}
	}
	if lines.Err() != nil || n < 300 {
		t.Fatalf("%d golden texts: %v", n, lines.Err())
	}
}

func TestReferenceRules(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("testdata/rules.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	made := map[tokenizer.Rules]*tokenizer.Tokenizer{}
	for line := range bytes.Lines(file) {
		var want struct {
			Text        string
			KeepCase    bool `json:"keep_case"`
			KeepAccents bool `json:"keep_accents"`
			IDs         []int32
		}
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		rules := tokenizer.Rules{KeepCase: want.KeepCase, KeepAccents: want.KeepAccents}
		if made[rules] == nil {
			made[rules] = real(t, rules)
		}
		if got := made[rules].Encode(want.Text); !slices.Equal(got, want.IDs) {
			t.Errorf("%+v: Encode(%q)\n got %v\nwant %v", rules, want.Text, got, want.IDs)
		}
	}
	if len(made) != 3 {
		t.Errorf("%d rules tested", len(made))
	}
}

func BenchmarkEncode(b *testing.B) {
	tok := real(b, tokenizer.Rules{})
	const text = "The quick brown fox jumps over the lazy dog; naïve façades don't tokenize themselves. "
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		tok.Encode(text)
	}
}

func BenchmarkNew(b *testing.B) {
	words := realWords(b)
	for b.Loop() {
		if _, err := tokenizer.New(words); err != nil {
			b.Fatal(err)
		}
	}
}
