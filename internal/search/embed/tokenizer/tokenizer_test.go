package tokenizer

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
)

// small is a vocabulary for tests that need no real one.
const small = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\n##b\n##c\nab\n!\n中\ncafe\n##s\n"

func newTokenizer(t *testing.T, vocabulary string) *Tokenizer {
	t.Helper()
	tok, err := New(vocabulary)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

func TestEncode(t *testing.T) {
	t.Parallel()
	tok := newTokenizer(t, small)
	for _, c := range []struct {
		text string
		want []int32
	}{
		{"", nil},
		{" \t\n ", nil},
		{"a", []int32{5}},
		{"A b", []int32{5, 6}},
		{"abc", []int32{9, 8}},                 // longest piece first
		{"acb", []int32{5, 8, 7}},              // ## pieces within a word
		{"abd", []int32{1}},                    // no way to the end: unknown as a whole
		{"d a", []int32{1, 5}},                 //
		{"a!!b", []int32{5, 10, 10, 6}},        // punctuation splits
		{"a中b", []int32{5, 11, 6}},             // so do ideographs
		{"Café", []int32{12}},                  // composed
		{"cafe\u0301s", []int32{12, 13}},       // and decomposed accents
		{"a\u200bb", []int32{9}},               // an unprintable character joins
		{"a\u00a0b", []int32{5, 6}},            // any white space separates
		{"a\xffb\xc3", []int32{9}},             // what is not UTF-8 vanishes
		{"a[SEP]b", []int32{5, 3, 6}},          // special tokens can be spelled
		{"[MASK]", []int32{4}},                 //
		{"[cls]", []int32{1, 1, 1}},            // but only in capitals
		{"a [SEP", []int32{5, 1, 1}},           //
		{"##b", []int32{1, 1, 6}},              // ## in text is punctuation
		{strings.Repeat("a", 101), []int32{1}}, // too long to try
	} {
		want := append(append([]int32{2}, c.want...), 3)
		if got := tok.Encode(c.text); !slices.Equal(got, want) {
			t.Errorf("Encode(%q) = %v, want %v", c.text, got, want)
		}
		if got := tok.Count(c.text); got != len(c.want) {
			t.Errorf("Count(%q) = %d, want %d", c.text, got, len(c.want))
		}
	}
}

func TestVocabularyWithoutSpecialTokens(t *testing.T) {
	t.Parallel()
	var e *kb.Error
	if _, err := New("a\nb\n"); !errors.As(err, &e) || e.Code != kb.Invalid {
		t.Errorf("New = %v, want %s", err, kb.Invalid)
	}
}

// golden is a text with the reference tokenizer's ids.
type golden struct {
	Text string  `json:"text"`
	IDs  []int32 `json:"ids"`
}

func readGolden(t testing.TB) []golden {
	t.Helper()
	f, err := os.Open("testdata/golden.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []golden
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var g golden
		if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
			t.Fatal(err)
		}
		all = append(all, g)
	}
	if lines.Err() != nil || len(all) < 300 {
		t.Fatalf("%d golden texts: %v", len(all), lines.Err())
	}
	return all
}

func FuzzEncode(f *testing.F) {
	for _, g := range readGolden(f) {
		f.Add(g.Text)
	}
	f.Add("\xff[SEP]\xc3\x28")
	tok, err := New(small)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ids := tok.Encode(text)
		if len(ids) != tok.Count(text)+Specials || ids[0] != tok.first || ids[len(ids)-1] != tok.last {
			t.Fatalf("Encode(%q) = %v", text, ids)
		}
		// White space around a text changes nothing.
		if padded := tok.Encode(" " + text + "\n"); !slices.Equal(ids, padded) {
			t.Fatalf("%q: %v, padded %v", text, ids, padded)
		}
	})
}
