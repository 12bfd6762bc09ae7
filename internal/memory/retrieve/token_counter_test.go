package retrieve

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/search/embed/bge"
)

// What has at most the budget is counted exactly, whatever stands at the ends of
// parts, and of what has more no more is read than that takes.
func TestTally(t *testing.T) {
	t.Parallel()
	if !bge.Available() {
		t.Skip("this build has no embedding model (tag slim)")
	}
	const most = 30_000
	rnd := rand.New(rand.NewPCG(3, 4))
	pieces := []string{"stone", "Überraschung", "日本語", "`x := y`", "antidisestablishmentarianism", "🙂", "a", "é", "[SEP]", "3.1415926535", "\u0301"}
	for _, blanks := range []string{" \n\t", "\n", " ", ""} {
		for range 6 {
			var text strings.Builder
			for range rnd.IntN(30_000) {
				text.WriteString(pieces[rnd.IntN(len(pieces))])
				if blanks != "" && rnd.IntN(3) > 0 {
					text.WriteByte(blanks[rnd.IntN(len(blanks))])
				}
			}
			s := text.String()
			want := CountTokens(s)
			got := tokenCounter{CountTokens, most}.of(s)
			if (want <= most || got <= most) && got != want {
				t.Errorf("%d tokens of %d, blanks %q", got, want, blanks)
			}
		}
	}
	if n := (tokenCounter{CountTokens, most}).of(strings.Repeat("stone", 10_000)); n != 1 {
		t.Errorf("a word that is too long for the vocabulary has %d tokens", n)
	}
	if n := (tokenCounter{CountTokens, most}).of(strings.Repeat("\x80", 1<<17)); n != 0 {
		t.Errorf("bytes that are no characters have %d tokens", n)
	}
	read := 0
	count := func(text string) int { read += len(text); return CountTokens(text) }
	for name, line := range map[string]string{"lines": "A line of seven words, and more.\n", "one line": "word ", "no blanks": "日本語"} {
		read = 0
		text := strings.Repeat(line, 4<<20/len(line))
		if n := (tokenCounter{count, 1000}).of(text); n <= 1000 || read > 2*partBytes {
			t.Errorf("%s: %d tokens, of %d bytes read", name, n, read)
		}
	}
}

// What costs the reader of an answer something counts, also where the model of
// the memory takes it for next to nothing.
func TestUnseen(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want int
	}{
		"nothing":        {"", 0},
		"prose":          {"It says, in so many words: antidisestablishmentarianism.\n\n\tIndented.\n", 0},
		"a word of 100":  {strings.Repeat("a", 100), 0},
		"a word of 101":  {strings.Repeat("a", 101), 26},
		"two of them":    {strings.Repeat("é", 104) + "-" + strings.Repeat("0f", 52), 52},
		"Chinese":        {strings.Repeat("语", 500), 0},
		"kana":           {strings.Repeat("カ", 400), 100},
		"15 blanks":      {"a" + strings.Repeat(" ", 15) + "b", 0},
		"empty lines":    {"a" + strings.Repeat("\n", 1600) + "b", 100},
		"base64 in rows": {strings.Repeat(strings.Repeat("aB3", 25)+"\n", 10), 0},
	} {
		if n := unseen(c.text); n != c.want {
			t.Errorf("%s: %d tokens, want %d", name, n, c.want)
		}
	}
}

// A tokenizer that gives words with the blank before them fewer tokens than
// words without counts parts otherwise than the whole.
func TestTallyOfPartsThatDoNotAddUp(t *testing.T) {
	t.Parallel()
	count := func(text string) int { return 2*strings.Count(text, " word") + strings.Count(text, "word") }
	text := strings.Repeat(" word", partBytes)
	want := count(text)
	if n := (tokenCounter{count, want}).of(text); n != want {
		t.Errorf("%d tokens, want %d", n, want)
	}
	if n := (tokenCounter{count, want - 1}).of(text); n < want {
		t.Errorf("%d tokens fit, of %d", n, want)
	}
}
