package retrieve

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/search/rank"
	"github.com/cairn-kb/cairn/internal/search/snippet"
	"github.com/cairn-kb/cairn/internal/search/vector"
)

// Passages are ranked over all pages of an answer. Words and meaning make a score from 0 to
// 1; the others are added to it. Measured by bench/quality -evidence (docs/benchmarks.md).
const (
	passageMeaning = 0.65 // share of meaning in the score
	passagePage    = 0.6  // for the rank of its page
	passageTime    = 0.5  // of the evidence that its page is of a time in the question
	passageBeside  = 0.5  // of the score of the better one of the passages next to it
	passageFirst   = 0.05 // for the first paragraph of a page
	passageOther   = 0.2  // for the best passage of a page in a contradiction
	passageSpoken  = 0.5  // in a dialogue, of a speaker that the question names
	passageName    = 0.2  // for the best passage with a name of the question
	passageNamed   = 1.5  // of passagePage, for a page that the question names
	loosely        = 0.5  // of passagePage, for a page with some of the words where others have all

	aboveCounts = 0.15 // of a word of the text: one of the title or of a heading
	saturation  = 1.2  // k1 and b of BM25
	lengthNorm  = 0.4
)

const (
	passagePages = 20        // the best pages with passages that are ranked
	passageText  = 256 << 10 // bytes of a page that are ranked, in addition to lines near its match
	passageReach = 50        // lines around a match
	maxVectors   = 2000      // vectors of these pages that are compared with the question
)

// passage is a block of lines of a page: a paragraph, an item of a list, a row of a table.
type passage struct {
	page    int    // number of its hit
	at      int    // its number among the passages of its page
	lines   [2]int // of the document
	first   bool   // of the page
	section int    // number of the heading above it, counted from 1; 0 for none
	truth   bool   // not of the timeline

	found   map[string]int  // terms of the query, and how often it has them
	above   map[string]bool // terms that its title and headings have
	length  int             // words
	speaker string          // that it begins with, as a turn of a dialogue does
	about   string          // whom the turn is about: see setSubjects
	words   float64
	meaning float64
	unknown bool // its page is not embedded yet: words are all that is known
	score   float64
}

// rankPassages returns the passages of the best hits, best first.
func (s *Search) rankPassages(ctx context.Context, hits []found) ([]passage, error) {
	if s.bearing == nil {
		hits = hits[:min(len(hits), passagePages)]
	}
	q, err := s.looseQuery(ctx)
	if err != nil {
		return nil, err
	}
	matcher := snippet.NewMatcher(q.Root)
	s.matcher = matcher
	spokenIn := "" // English
	if s.asked != nil {
		spokenIn = s.asked.Name
	}
	var all []passage
	for i := range hits {
		hits[i].cut()
		above := hits[i].above(matcher)
		for at := range hits[i].blocks {
			p := &hits[i].blocks[at]
			p.page, p.found = i, map[string]int{}
			text := hits[i].textOf(p.lines)
			for _, f := range matcher.Find(text) {
				p.found[f.Leaf]++
			}
			p.above = above[p.section]
			p.length = 0
			for range strings.FieldsSeq(text) {
				p.length++
			}
			p.speaker = speakerOf(text)
			all = append(all, *p)
		}
		setSubjects(all[len(all)-len(hits[i].blocks):], hits[i].textOf, pronounsOf()[spokenIn])
	}
	scoreWords(all)
	if err := s.scoreMeaning(ctx, hits, all); err != nil {
		return nil, err
	}
	s.addEvidence(hits, all)
	bestPassagesFirst(all)
	return all, s.rerank(ctx, hits, all)
}

func bestPassagesFirst(all []passage) {
	slices.SortStableFunc(all, func(a, b passage) int { return cmp.Compare(b.score, a.score) })
}

// looseQuery returns the query with any of its words: corrected, and in the languages of the
// memory, as a hybrid search has looked for it already.
func (s *Search) looseQuery(ctx context.Context) (query.Query, error) {
	if s.found.Root.String() != s.query.Root.String() && s.question.asked {
		return s.found, nil
	}
	q, _, err := s.corrected(ctx)
	if err != nil {
		return q, err
	}
	if loose, ok := query.Relax(q); ok {
		q = loose
	}
	return s.inLanguages(ctx, q, true)
}

// scoreWords gives passages their BM25 scores over these passages, brought to 1 for the best.
func scoreWords(all []passage) {
	having, length := map[string]int{}, 0.0
	for _, p := range all {
		length += float64(p.length) / float64(len(all))
		for term := range p.found {
			having[term]++
		}
		for term := range p.above {
			having[term] += 0
		}
	}
	terms := slices.Sorted(maps.Keys(having)) // always in this order: sums of equal passages are equal
	rarity := make([]float64, len(terms))
	for i, term := range terms {
		rarity[i] = rank.Rarity(len(all), having[term])
	}
	best := 0.0
	for i := range all {
		p := &all[i]
		norm := saturation * (1 - lengthNorm + lengthNorm*float64(p.length)/max(length, 1))
		for j, term := range terms {
			if n := p.found[term]; n > 0 {
				p.words += rarity[j] * float64(n) * (saturation + 1) / (float64(n) + norm)
			} else if p.above[term] {
				p.words += aboveCounts * rarity[j]
			}
		}
		best = max(best, p.words)
	}
	for i := range all {
		if best > 0 {
			all[i].words /= best
		}
	}
}

// scoreMeaning gives passages how near they are to the question in meaning: 1 for the
// nearest, 0 for the least near vector of these pages. The few pages that are embedded while
// others wait may all be near: with the built-in model 0 is then for texts that have nothing
// to do with the question.
func (s *Search) scoreMeaning(ctx context.Context, hits []found, all []passage) error {
	if s.index == nil || s.question.vector == nil {
		return nil
	}
	number := map[int64]int{}
	for i, h := range hits {
		if before, err := s.embeddedBefore(ctx, h.page); err != nil {
			return err
		} else if !before {
			number[h.page.Row] = i
		}
	}
	near, err := s.index.Search(s.question.vector, maxVectors, func(row int64) bool { _, ok := number[row]; return ok })
	if err != nil {
		return err
	}
	for i, h := range hits { // of a page that changed since, the passage if it is still there, else where it matched
		if _, ok := number[h.page.Row]; ok || h.by.meaning == nil {
			continue
		}
		number[h.page.Row] = i
		lines := h.Why.Chunk
		if lines == [2]int{} {
			lines = h.Lines
		}
		near = append(near, vector.Hit{Page: h.page.Row, Score: h.by.meaning.score, Lines: lines})
	}
	if len(near) == 0 {
		return nil
	}
	waits := false
	for i := range all {
		if _, known := number[hits[all[i].page].page.Row]; !known {
			all[i].unknown, waits = true, true
		}
	}
	slices.SortStableFunc(near, func(a, b vector.Hit) int { return cmp.Compare(b.Score, a.Score) })
	from := make([]int, len(hits)+1) // where the passages of a page begin
	for i := range from {
		from[i], _ = slices.BinarySearchFunc(all, i, func(p passage, page int) int { return cmp.Compare(p.page, page) })
	}
	least := near[len(near)-1].Score
	if waits && embedding.IsBuiltIn(s.question.model) {
		least = min(least, rank.Unrelated)
	}
	alone := waits && near[0].Score <= least // nothing to compare one with
	least = min(least, near[0].Score-meaningWidth)
	for _, c := range near {
		i := number[c.Page]
		first, _ := slices.BinarySearchFunc(all[from[i]:from[i+1]], c.Lines[0], func(p passage, line int) int { return cmp.Compare(p.lines[1], line) })
		for at := from[i] + first; at < from[i+1] && all[at].lines[0] <= c.Lines[1]; at++ {
			all[at].meaning = max(all[at].meaning, c.Score-least)
		}
	}
	for i := range all {
		all[i].meaning /= near[0].Score - least
		all[i].unknown = all[i].unknown || alone
	}
	return nil
}

// addEvidence makes scores of what passages have of words and meaning, and of what else
// speaks for them.
func (s *Search) addEvidence(hits []found, all []passage) {
	own := make([]float64, len(all))
	asked, meaning := false, passageMeaning
	if s.index == nil {
		meaning = 0
	}
	for i, p := range all {
		if own[i] = (1-meaning)*p.words + meaning*p.meaning; p.unknown {
			own[i] = p.words
		}
		asked = asked || own[i] > 0
	}
	pages := priors(hits)
	for i := range all {
		p := &all[i]
		if !asked { // the beginnings of all pages in turn
			p.score = -float64(p.at*len(hits) + p.page)
			continue
		}
		beside := 0.0
		for _, j := range []int{i - 1, i + 1} {
			if j >= 0 && j < len(all) && all[j].page == p.page {
				beside = max(beside, own[j])
			}
		}
		p.score = own[i] + passageBeside*beside + passagePage*pages[p.page] + passageTime*shareOf(hits[p.page].by.votes, timesList)
		if p.first {
			p.score += passageFirst
		}
	}
	if !asked {
		return
	}
	s.addNames(all, len(hits))
	for i, h := range hits {
		if h.Contested {
			raise(all, passageOther, func(p passage) bool { return p.page == i })
		}
	}
}

// addNames adds to the scores of passages which speakers that the question names say, and of
// the best passage with each name, so that all of them are represented. Before, it compares
// whom passages are about. Passages about the speakers served less of the evidence of LoCoMo
// (.799 rather than .822 at 500 tokens): those of other speakers ask more than they answer.
func (s *Search) addNames(all []passage, pages int) {
	names := askedNames(s.query.Root)
	spoken := make([]int, pages)
	for _, p := range all {
		if p.speaker != "" {
			spoken[p.page]++
		}
	}
	ofDialogue := func(p passage) bool { return p.speaker != "" && spoken[p.page] >= leastSpoken }
	s.turns = compareTurns(names, all, ofDialogue)
	for i := range all {
		if p := &all[i]; ofDialogue(*p) && speaks(names, p.speaker) {
			p.score += passageSpoken
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		raise(all, passageName, func(p passage) bool { return p.mentions(name) })
	}
}

// mentions reports whether a passage has a word of the query, given in lower case.
func (p *passage) mentions(name string) bool {
	for term := range p.found {
		if strings.EqualFold(bareName(term), name) {
			return true
		}
	}
	return false
}

// raise adds to the score of the best of the passages that meant selects.
func raise(all []passage, by float64, meant func(passage) bool) {
	best := -1
	for i, p := range all {
		if meant(p) && (best < 0 || p.score > all[best].score) {
			best = i
		}
	}
	if best >= 0 {
		all[best].score += by
	}
}

// priors returns the evidence of the rank of each page for its passages, 1 for the best page. A
// page that the question names has more.
func priors(hits []found) []float64 {
	out, best, least := make([]float64, len(hits)), 0.0, 1.0
	for i, h := range hits {
		if h.by.name == "" {
			best = max(best, hits[i].Score)
			if best > 0 {
				least = min(least, h.Score/best)
			}
		}
		if out[i] = least; h.by.loose {
			out[i] *= loosely
		}
		if h.by.name != "" {
			out[i] += passageNamed
		}
	}
	return out
}

// cut cuts the page, as a reader sees it, into passages. Headings are none.
func (h *found) cut() {
	o, d, n := h.body, h.body.d, h.body.n
	h.lines = bytes.SplitAfter(o.readingLines(), []byte("\n"))
	h.heads, h.remarked = map[int]bool{}, map[int]bool{}
	lines := doc.NewLines(d.Text)
	for _, x := range n.Headings {
		at := lines.At(x.Line.Start)
		if len(h.heads) == 0 && x.Level == 1 {
			h.title = at
		}
		h.heads[at] = true
		until := min(lines.At(max(x.Line.End, x.Section.End-1)), len(h.lines))
		h.remarked[at] = h.blank(at+1, until) && slices.ContainsFunc(o.own(doc.Span{Start: x.Line.End, End: x.Section.End}), func(s doc.Span) bool { return !doc.Blank(d.Text[s.Start:s.End]) })
	}
	h.truth = [2]int{lines.At(n.Truth.Start), lines.At(max(n.Truth.Start, n.Truth.End-1))}
	below := len(h.lines) + 1 // the line at which the timeline begins
	if n.Timeline.Len() > 0 {
		below = lines.At(n.Timeline.Start)
	}
	start, last, bytesBefore, section := 0, 0, 0, 0
	size := 0 // of the lines from start to last
	end := func() {
		near := bytesBefore <= passageText && size <= passageText
		for _, at := range [][2]int{h.Lines, h.Why.Chunk} {
			near = near || at[0]-passageReach <= last && start <= at[1]+passageReach && at[0] > 0 && size <= passageText
		}
		if start > 0 && near {
			h.blocks = append(h.blocks, passage{at: len(h.blocks), section: section, lines: [2]int{start, last}, first: len(h.blocks) == 0, truth: start < below})
		}
		start = 0
	}
	var fence []byte // that opened the code around a line
	for i, line := range h.lines {
		bytesBefore += len(line)
		text := bytes.TrimSpace(line)
		switch {
		case fence != nil:
			if bytes.HasPrefix(text, fence) && len(bytes.Trim(text, string(fence[:1]))) == 0 {
				fence = nil
			}
		case h.heads[i+1], len(text) == 0, string(text) == "---", h.heads[i] && isUnderline(text):
			end()
			if h.heads[i+1] {
				section++
			}
			continue
		default:
			if start > 0 && (beginsItem(line) || text[0] == '|') {
				end()
			}
			fence = fenceOf(text)
		}
		if start > 0 && size+len(line) > passageText {
			end()
		}
		if start == 0 {
			start, size = i+1, 0
		}
		last = i + 1
		size += len(line)
	}
	end()
}

// isUnderline reports whether a line below the text of a heading makes a heading of it.
func isUnderline(text []byte) bool {
	return len(bytes.Trim(text, "=")) == 0 || len(bytes.Trim(text, "-")) == 0
}

// fenceOf returns the signs with which a line opens a block of code, also in an item of a
// list; nil for one that opens none.
func fenceOf(text []byte) []byte {
	if beginsItem(text) {
		_, text, _ = bytes.Cut(text, []byte(" "))
		text = bytes.TrimSpace(text)
	}
	for _, sign := range []string{"`", "~"} {
		rest := bytes.TrimLeft(text, sign)
		if n := len(text) - len(rest); n >= 3 && (sign == "~" || !bytes.Contains(rest, []byte(sign))) {
			return text[:n]
		}
	}
	return nil
}

// above returns which terms the title and the headings above each section have: nearest
// headings are what models read with a passage, too.
func (h *found) above(m *snippet.Matcher) []map[string]bool {
	title := map[string]bool{}
	for _, f := range m.Find(h.Title) {
		title[f.Leaf] = true
	}
	out := []map[string]bool{title}
	for _, x := range h.body.n.Headings {
		terms := maps.Clone(title)
		for _, f := range m.Find(x.Path) {
			terms[f.Leaf] = true
		}
		out = append(out, terms)
	}
	return out
}

// beginsItem reports whether a line begins an item of a list that is not within another.
func beginsItem(line []byte) bool {
	marker := bytes.TrimLeft(line, "0123456789")
	if len(marker) < len(line) {
		return len(marker) > 1 && (marker[0] == '.' || marker[0] == ')') && marker[1] == ' '
	}
	return len(line) > 1 && (line[0] == '-' || line[0] == '*' || line[0] == '+') && line[1] == ' '
}

// textOf returns lines of the page as a reader sees them.
func (h *found) textOf(lines [2]int) string {
	return strings.TrimRight(string(bytes.Join(h.lines[lines[0]-1:lines[1]], nil)), " \t\r\n")
}
