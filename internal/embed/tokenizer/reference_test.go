package tokenizer_test

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/cairn-kb/cairn/internal/embed/model"
	"github.com/cairn-kb/cairn/internal/embed/tokenizer"
)

// real returns the tokenizer of the built-in model, read from the repository
// so that a slim build tests it too.
func real(t testing.TB) *tokenizer.Tokenizer {
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
	tok, err := tokenizer.New(words)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

func TestReferenceTokens(t *testing.T) {
	tok := real(t)
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

func BenchmarkEncode(b *testing.B) {
	tok := real(b)
	const text = "The quick brown fox jumps over the lazy dog; naïve façades don't tokenize themselves. "
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		tok.Encode(text)
	}
}
