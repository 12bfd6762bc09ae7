package app

import "strings"

// partBytes is how much of a long text is counted at a time: less than most
// texts and than what a usual budget holds.
const partBytes = 16 << 10

// tally counts the tokens of texts, no further than it takes to know that one
// is beyond a budget: the cost of an answer depends on the budget, not on how
// long pages are.
type tally struct {
	count func(string) int
	most  int // tokens of the budget
}

// of returns the tokens of a text: exactly those that count says, or for a long
// text that has more than the budget an estimate, which is beyond it as well. A
// long text may be taken for some tokens longer than it is, where it is cut.
func (t tally) of(text string) int {
	if len(text) <= partBytes {
		return t.count(text)
	}
	sum := 0
	for at := 0; at < len(text); {
		end := len(clip(text, at+partBytes))
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
