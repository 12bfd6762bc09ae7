package retrieve

import (
	"strings"
	"unicode"

	"github.com/cairn-kb/cairn/internal/memory/embedding"
)

// partBytes is how much of a long text is counted at a time: less than most
// texts and than what a usual budget holds.
const partBytes = 16 << 10

// tokenCounter counts the tokens of texts, no further than it takes to know that one
// is beyond a budget: the cost of an answer depends on the budget, not on how
// long pages are.
type tokenCounter struct {
	count func(string) int
	most  int // tokens of the budget
}

// of returns the tokens of a text: exactly those that count says, or for a long
// text that has more than the budget an estimate, which is beyond it as well. A
// long text may be taken for some tokens longer than it is, where it is cut.
func (t tokenCounter) of(text string) int {
	if len(text) <= partBytes {
		return t.count(text)
	}
	sum := 0
	for at := 0; at < len(text); {
		end := len(embedding.Clip(text, at+partBytes))
		if blank := strings.LastIndexAny(text[at:end], " \n"); end < len(text) && blank >= 0 {
			end = at + blank + 1
		}
		sum += t.count(text[at:end])
		at = end
		if sum > t.most && at < len(text) {
			return int(float64(sum) / float64(at) * float64(len(text)))
		}
	}
	return t.count(text) // some tokenizers count parts otherwise
}

// What tokenizers of word pieces do not see, and the models of agents do. They
// take a word of over longWord runes for one unknown token, and blanks for none,
// so that pages of megabytes would cost next to nothing.
const (
	longWord   = 100 // runes, as in BERT's
	wordRunes  = 4   // that a token of a longer word counts, as of other words
	blankRunes = 16  // that a token of a run of blanks counts, the first ones aside
)

// WithUnseen returns a function that counts tokens as count does, and what it
// does not see.
func WithUnseen(count func(string) int) func(string) int {
	return func(text string) int { return count(text) + unseen(text) }
}

func unseen(text string) (tokens int) {
	word, blanks := 0, 0
	wordEnds := func() {
		if word > longWord {
			tokens += (word + wordRunes - 1) / wordRunes
		}
		word = 0
	}
	for _, r := range text {
		if unicode.IsSpace(r) {
			wordEnds()
			if blanks++; blanks%blankRunes == 0 {
				tokens++
			}
			continue
		}
		blanks = 0
		switch {
		case 'a' <= r|0x20 && r|0x20 <= 'z', '0' <= r && r <= '9':
			word++
		case unicode.IsPunct(r), unicode.IsSymbol(r), unicode.Is(unicode.Han, r): // words of their own
			wordEnds()
		default:
			word++
		}
	}
	wordEnds()
	return tokens
}
