package tokenizer

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Pieces is the form of a Unigram model in a packed file. Its texts are normalised by
// Points, runs of spaces become one, and every word starts with SentencePiece's mark.
type Pieces struct {
	Words  string    // in the order of their ids, each with a line feed after it
	Scores []float32 // of each word
	Points string    // see PackPoints

	Unknown     int32 // id for characters without words
	First, Last int32 // ids before and after every text
}

// NewUnigram makes a tokenizer of pieces; kb.Damaged if they are inconsistent.
func NewUnigram(p Pieces) (*Tokenizer, error) {
	words := newVocabulary(p.Words)
	n := len(words.ends)
	for _, id := range []int32{p.Unknown, p.First, p.Last} {
		if id < 0 || int(id) >= n {
			return nil, kb.Errorf(kb.Damaged, "the packed model names word %d of %d", id, n)
		}
	}
	if len(p.Scores) != n || words.longest > maxPiece {
		return nil, kb.Errorf(kb.Damaged, "the packed model has %d scores for %d words of at most %d bytes", len(p.Scores), n, words.longest)
	}
	points, err := newPointMap(p.Points)
	if err != nil {
		return nil, err
	}
	u := &unigram{
		normalizers: []normalizer{points, squeeze{" "}}, spaces: wordStarts{prefix: true, cut: true},
		words: words, scores: make([]float64, n), unknown: p.Unknown,
	}
	for i, s := range p.Scores {
		u.scores[i] = float64(s)
	}
	u.unknownCost = slices.Min(u.scores) - unknownPenalty
	return &Tokenizer{raw: newSpelled(nil), scheme: u, first: p.First, last: p.Last, size: n}, nil
}

// pointMap replaces single characters.
type pointMap map[rune]string

func (m pointMap) normalize(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range text {
		if s, ok := m[r]; ok {
			b.WriteString(s)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// PackPoints encodes replacements of characters for a packed file: the character, its
// replacement and a line feed, in the order of the characters. A line feed in the
// replacement is written as "
// ", a backslash as "\\".
func PackPoints(points map[rune]string) string {
	var keys []rune
	for r := range points {
		keys = append(keys, r)
	}
	slices.Sort(keys)
	var b strings.Builder
	for _, r := range keys {
		escapePoint.WriteString(&b, string(r)+points[r])
		b.WriteByte('\n')
	}
	return b.String()
}

var (
	escapePoint = strings.NewReplacer("\\", `\\`, "\n", `\n`)
	plainPoint  = strings.NewReplacer(`\\`, "\\", `\n`, "\n")
)

func newPointMap(packed string) (pointMap, error) {
	m := pointMap{}
	for line := range strings.Lines(packed) {
		line = plainPoint.Replace(strings.TrimSuffix(line, "\n"))
		r, n := utf8.DecodeRuneInString(line)
		if n == 0 || r == utf8.RuneError && n == 1 || len(line)-n > maxReplacement {
			return nil, kb.Errorf(kb.Damaged, "the packed model's replacements of characters cannot be read")
		}
		m[r] = line[n:]
	}
	return m, nil
}
