package retrieve

import (
	"strings"
	"sync"
	"unicode"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
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

// truthTokens are the tokens of truths that were counted, by the text and the model: to count
// them takes a fifth of the time of an answer, and the best pages of questions recur.
type truthTokens struct {
	mu  sync.Mutex
	all map[truthKey]int
}

type truthKey struct {
	hash        kb.Hash
	node, model string
	budget      int // that the estimate of a long text depends on; 0 for a short one
}

const maxTruths = 20_000 // that are kept

// tokensOf returns the tokens of the truth of a hit, as a reader sees it.
func (s *Search) tokensOf(count tokenCounter, h *found) int {
	key := truthKey{hash: h.page.Hash, node: h.page.Node, model: s.countedBy}
	if h.body.n.Truth.Len() > partBytes { // no text of a reader is longer than it is written
		key.budget = count.most
	}
	kept := memory.Keep[truthTokens](s.engine)
	kept.mu.Lock()
	n, ok := kept.all[key]
	kept.mu.Unlock()
	if ok {
		return n
	}
	n = h.truthTokens(count)
	kept.mu.Lock()
	defer kept.mu.Unlock()
	if kept.all == nil || len(kept.all) >= maxTruths {
		kept.all = map[truthKey]int{}
	}
	kept.all[key] = n
	return n
}

// truthTokens counts the tokens of the truth of a hit. What a large one has beyond the budget
// is estimated by its first part.
func (h *found) truthTokens(count tokenCounter) int {
	truth := h.body.n.Truth
	if truth.Len() > keptBytes {
		part := doc.Span{Start: truth.Start, End: truth.Start + keptBytes}
		if n := count.of(h.body.within(part)); n > count.most {
			return int(float64(n) / keptBytes * float64(truth.Len()))
		}
	}
	return count.of(h.body.within(truth))
}
