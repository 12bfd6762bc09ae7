package retrieve

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
)

const (
	gapTokens  = 2   // of "…" between two passages
	maxMisses  = 50  // passages that do not fit, after which no smaller one is tried
	weakTokens = 150 // of a page, where the answer is weak
	maxLooks   = 50  // short passages of a page served whole that are looked up as shared
	repeated   = 0.9 // of the words of two passages that say the same
	sayable    = 5   // words of a passage, from which on it can say the same as another
)

const (
	compared   = 60  // candidates for the next passage
	openPage   = 0.1 // of a score, what a passage of one more page has to be better
	pageTokens = 50  // tokens in addition to the text of a page that openPage is for
)

// selection has the served texts of pages, by the numbers of their hits.
type selection struct {
	hits   []found
	count  tokenCounter
	left   int  // tokens
	listed bool // see QueryRequest
	around int  // tokens of the fields of a page, without its text

	pages []selected
	order []int // of the pages with passages
	said  []map[string]bool
}

// selected has the served lines of a page.
type selected struct {
	taken  map[int]bool // lines
	tokens int
	truth  int  // those of its truth alone
	whole  bool // all of its truth
	hidden int  // tokens of its lines that many pages share
}

// choose takes passages, best first, as long as they fit the budget. No page has more than
// most tokens. allowed reports whether passages of a page are served.
func (s *Search) choose(ctx context.Context, x *selection, ranked []passage, most int, allowed func(i int) bool) error {
	ranked = slices.DeleteFunc(slices.Clone(ranked), func(p passage) bool { return !allowed(p.page) })
	for misses := 0; len(ranked) > 0 && misses <= maxMisses; {
		at := x.next(ranked)
		p := ranked[at]
		copy(ranked[1:at+1], ranked[:at])
		ranked = ranked[1:]
		page := &x.pages[p.page]
		if len(page.taken) > 0 && page.tokens >= most {
			continue
		}
		cost, heading := x.cost(p)
		if cost > x.left && len(x.order) == 0 {
			p = x.part(p)
			cost, heading = x.cost(p)
		}
		if cost > x.left || len(page.taken) > 0 && page.tokens+cost > most {
			misses++
			continue
		}
		text := x.hits[p.page].textOf(p.lines)
		if strings.TrimSpace(text) == "" {
			continue // its lines are shared
		}
		words := termsSaid(text)
		if x.repeats(words) {
			continue
		}
		if x.hits[p.page].mayBeShared(p) {
			if is, err := s.shared(ctx, text); err != nil {
				return err
			} else if is {
				continue
			}
		}
		x.said = append(x.said, words)
		x.take(p, heading, cost)
	}
	return nil
}

// mayBeShared reports whether a passage is left out where many pages have it: a line with
// words of the question that its page has elsewhere, too. A longer one only begins like others.
func (h *found) mayBeShared(p passage) bool {
	if p.length > sharedPhrase {
		return false
	}
	for term := range p.found {
		if !slices.ContainsFunc(h.blocks, func(o passage) bool { return o.at != p.at && o.found[term] > 0 }) {
			return false
		}
	}
	return true
}

// next returns which of the best passages is worth most: one of another page costs the fields
// of a page.
func (x *selection) next(ranked []passage) (best int) {
	worth := math.Inf(-1)
	for i, p := range ranked[:min(len(ranked), compared)] {
		score := p.score
		if len(x.pages[p.page].taken) == 0 {
			score -= openPage * float64(x.around) / pageTokens
		}
		if score > worth {
			best, worth = i, score
		}
	}
	return best
}

// cost returns the tokens that a passage adds, and the line of the heading that it needs, 0
// for none.
func (x *selection) cost(p passage) (tokens, heading int) {
	h, page := &x.hits[p.page], &x.pages[p.page]
	tokens = x.count.of(h.textOf(p.lines)) + gapTokens
	if len(page.taken) == 0 {
		tokens += x.around
	}
	if heading = h.headingOf(p); heading > 0 && !page.taken[heading] {
		tokens += x.count.of(h.textOf([2]int{heading, heading})) + gapTokens
	}
	return tokens, heading
}

// part returns the lines of a passage around its best match that fit the budget, of one of
// many lines that does not: the best passage is served in part rather than not at all.
func (x *selection) part(p passage) passage {
	h := &x.hits[p.page]
	best := p.lines[0]
	for _, at := range [][2]int{h.Why.Chunk, h.Lines} { // the words before the meaning
		if at[0] >= p.lines[0] && at[0] <= p.lines[1] {
			best = at[0]
		}
	}
	out := p
	out.lines = [2]int{best, best}
	for grown := true; grown; {
		grown = false
		for _, more := range [][2]int{{out.lines[0], out.lines[1] + 1}, {out.lines[0] - 1, out.lines[1]}} {
			if more[0] < p.lines[0] || more[1] > p.lines[1] {
				continue
			}
			longer := out
			longer.lines = more
			if cost, _ := x.cost(longer); cost <= x.left {
				out, grown = longer, true
			}
		}
	}
	return out
}

func (x *selection) take(p passage, heading, cost int) {
	page := &x.pages[p.page]
	if page.taken == nil {
		page.taken = map[int]bool{}
		x.order = append(x.order, p.page)
	}
	if heading > 0 {
		page.taken[heading] = true
	}
	for line := p.lines[0]; line <= p.lines[1]; line++ {
		page.taken[line] = true
	}
	if p.truth {
		page.truth += cost
		if page.tokens == 0 {
			page.truth -= x.around
		}
	}
	page.tokens += cost
	x.left -= cost
}

// complete takes all of the truth of a page, which has so many tokens, where that fits. Lines that
// many pages share are left out, unless all was asked for.
func (s *Search) complete(ctx context.Context, x *selection, i, tokens int, all bool) error {
	page, h := &x.pages[i], &x.hits[i]
	more := max(0, tokens-page.truth)
	if more > x.left || tokens == 0 {
		return nil
	}
	hidden, looks := map[int]bool{}, 0
	for _, p := range h.blocks {
		for line := p.lines[0]; line <= p.lines[1]; line++ {
			if h.lines[line-1] == nil {
				hidden[line] = true
			}
		}
		if all || !p.truth || !h.mayBeShared(p) || looks == maxLooks {
			continue
		}
		looks++
		if is, err := s.shared(ctx, h.textOf(p.lines)); err != nil {
			return err
		} else if is {
			page.hidden += x.count.of(h.textOf(p.lines))
			for line := p.lines[0]; line <= p.lines[1]; line++ {
				hidden[line], h.lines[line-1] = true, []byte("\n")
			}
		}
	}
	for line := h.truth[0]; line <= h.truth[1]; line++ {
		if !doc.Blank(h.lines[line-1]) && !h.onlyHidden(line, hidden) {
			page.taken[line] = true
		}
	}
	page.whole = true
	x.left -= more
	page.tokens += more
	return nil
}

// onlyHidden reports whether a line is a heading of text that is hidden, or of nothing but
// comments.
func (h *found) onlyHidden(heading int, hidden map[int]bool) bool {
	if !h.heads[heading] || h.remarked[heading] {
		return h.remarked[heading]
	}
	any := false
	for line := heading + 1; line <= len(h.lines) && !h.heads[line]; line++ {
		if hidden[line] {
			any = true
		} else if !doc.Blank(h.lines[line-1]) {
			return false
		}
	}
	return any
}

// repeats reports whether a passage that was taken says the same.
func (x *selection) repeats(words map[string]bool) bool {
	if len(words) < sayable {
		return false
	}
	return slices.ContainsFunc(x.said, func(said map[string]bool) bool { return overlap(words, said) >= repeated })
}

func termsSaid(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(strings.ToLower(text)) {
		out[w] = true
	}
	return out
}

// headingOf returns the line of the heading above a passage, 0 for none and for the title.
func (h *found) headingOf(p passage) int {
	for line := p.lines[0] - 1; line > 0; line-- {
		if h.heads[line] {
			if line == h.title {
				return 0
			}
			return line
		}
	}
	return 0
}

// text returns the text that was taken of a page, and its runs of lines. "…" marks lines with
// text between two of them.
func (x *selection) text(i int) (text string, runs [][2]int) {
	h := &x.hits[i]
	for line := 1; line <= len(h.lines); line++ {
		if !x.pages[i].taken[line] {
			continue
		}
		if n := len(runs); n > 0 && h.blank(runs[n-1][1]+1, line-1) {
			runs[n-1][1] = line
			continue
		}
		runs = append(runs, [2]int{line, line})
	}
	var out strings.Builder
	for i, r := range runs {
		if i > 0 {
			out.WriteString("\n…\n")
		}
		out.WriteString(squeezed(h.textOf(r)))
	}
	return out.String(), runs
}

// blank reports whether lines have no text.
func (h *found) blank(from, to int) bool {
	for n := from; n <= to; n++ {
		if !doc.Blank(h.lines[n-1]) {
			return false
		}
	}
	return true
}

// squeezed is a text without more than one blank line in a row, as hidden lines leave.
func squeezed(text string) string {
	var out []string
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			if len(out) > 0 && out[len(out)-1] == "\n" {
				continue
			}
			line = "\n"
		}
		out = append(out, line)
	}
	return strings.Join(out, "")
}
