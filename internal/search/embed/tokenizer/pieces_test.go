package tokenizer

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
)

// tinyPieces is the model of tinyUnigram as a packed file has it.
func tinyPieces() Pieces {
	return Pieces{
		Words:  "<s>\n</s>\n<unk>\n▁\na\nb\nab\n▁a\nbab\n語\n語a\n",
		Scores: []float32{0, 0, 0, -2, -3, -3.5, -4, -4, -5, -6, -7},
		Points: PackPoints(map[rune]string{'ａ': "a", '\n': " ", '\t': " ", '\u00ad': ""}),
		First:  0, Last: 1, Unknown: 2,
	}
}

func TestUnigramOfPieces(t *testing.T) {
	t.Parallel()
	tok, err := NewUnigram(tinyPieces())
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]int32{
		"":          {0, 1},
		"a":         {0, 7, 1},
		"ａ":         {0, 7, 1},
		"a\n\t a":   {0, 7, 7, 1},
		"b\u00adab": {0, 3, 8, 1},
		"xa":        {0, 3, 2, 4, 1},
		"xyz":       {0, 3, 2, 1},
		"語a":        {0, 3, 10, 1},
		"\xff":      {0, 3, 2, 1},
		" ":         {0, 3, 1},
	} {
		if got := tok.Encode(text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
		if n := tok.Count(text); n != len(want)-Specials {
			t.Errorf("%q has %d tokens", text, n)
		}
	}
}

func TestPiecesThatDoNotBelongTogether(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Pieces){
		"too few scores":    func(p *Pieces) { p.Scores = p.Scores[1:] },
		"unknown word":      func(p *Pieces) { p.Unknown = 11 },
		"negative word":     func(p *Pieces) { p.First = -1 },
		"no words":          func(p *Pieces) { p.Words, p.Scores = "", nil },
		"long word":         func(p *Pieces) { p.Words = strings.Replace(p.Words, "bab", strings.Repeat("b", maxPiece+1), 1) },
		"no character":      func(p *Pieces) { p.Points = "\xff\n" },
		"empty replacement": func(p *Pieces) { p.Points = "\n" },
		"long replacement":  func(p *Pieces) { p.Points = "a" + strings.Repeat("b", maxReplacement+1) },
	} {
		p := tinyPieces()
		change(&p)
		if _, err := NewUnigram(p); kb.CodeOf(err) != kb.Damaged {
			t.Errorf("%s: %v, want %s", name, err, kb.Damaged)
		}
	}
}

func TestPointsArePackedWhole(t *testing.T) {
	t.Parallel()
	points := map[rune]string{'\n': " ", '\\': "\\n", 'n': "\n\\", '\u200b': "", 'ﬁ': "fi", '\ufffd': "?"}
	got, err := newPointMap(PackPoints(points))
	if err != nil || !maps.Equal(map[rune]string(got), points) {
		t.Errorf("%q, %v, want %q", got, err, points)
	}
}
