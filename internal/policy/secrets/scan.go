package secrets

import (
	"bytes"
	"cmp"
	"slices"
)

// Finding is one credential in a text. It has its place and its kind, and never
// the value.
type Finding struct {
	Rule  string // stable id, as accepted by Options.Allow
	Kind  string // the same in words, for people
	Line  int    // the line on which it starts, from 1
	Start int    // span of the value in bytes, [Start, End)
	End   int
}

// Options hold the rules that the writer has accepted, and additional rules.
type Options struct {
	Allow []string // ids of rules to leave out; ids that no rule has do nothing
	Rules []Rule   // of the space; those that Check rejects are ignored

	// IgnoreMarks is for text that no person wrote: "cairn:allow" is ignored in it.
	IgnoreMarks bool
}

// allowMark silences every finding on the line that carries it.
const allowMark = "cairn:allow"

// maxFindings bounds the memory that a hostile text can make Scan use. It is
// far above what any page holds that somebody means to keep.
const maxFindings = 10_000

// Scan returns the credentials in text, in order, without overlaps. Those of a
// rule in opts.Allow, and those on a line with "cairn:allow" (unless
// opts.IgnoreMarks is set), are left out. Published example values and placeholders
// are not credentials. Encoded text is scanned in decoded form, and the span is that
// of the encoded bytes.
func Scan(text []byte, opts Options) []Finding {
	if mark := []byte(allowMark); opts.IgnoreMarks && bytes.Contains(text, mark) {
		text = bytes.ReplaceAll(text, mark, bytes.Repeat([]byte(" "), len(mark))) // a word after a value changes how it reads
	}
	raw, rest := findings(text, opts.Rules)
	if len(raw) == 0 {
		return nil
	}
	found := resolve(raw)
	lines := lineReader{text: text, number: 1, end: lineEnd(text, 0)}
	out := make([]Finding, 0, len(found))
	for _, c := range found {
		if c.end > rest {
			rest = min(rest, c.start)
			break
		}
		line, allowed := lines.cover(c.start, c.end)
		if allowed && !opts.IgnoreMarks || slices.Contains(opts.Allow, c.rule.ID) {
			continue
		}
		out = append(out, finding(c, line))
	}
	if rest < len(text) {
		line, _ := lines.cover(rest, rest)
		out = append(out, finding(candidate{tooMany, rest, len(text)}, line))
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

func finding(c candidate, line int) Finding {
	return Finding{Rule: c.rule.ID, Kind: c.rule.Kind, Line: line, Start: c.start, End: c.end}
}

// candidate is a span that a finder takes for a credential.
type candidate struct {
	rule       *Rule
	start, end int
}

// candidates scans the text and its decoded forms. The second result is where
// it stopped, len(text) or less when there were too many; the third is the
// number of bytes scanned in addition to the walks themselves.
func candidates(text []byte, own []Rule) ([]candidate, int, int) {
	indexes := []*index{builtin().index}
	if len(own) > 0 {
		own = slices.Clone(own)
		x := newIndex()
		for i := range own {
			own[i].rank, own[i].own = byFormat, true
			_ = x.add(&own[i], x.expression) // Check has reported it to the author
		}
		indexes = append(indexes, x)
	}
	var out []candidate
	rest, work := len(text), 0
	look := func(v *view) {
		v.mark(indexes)
		for n, x := range indexes {
			s := scanner{text: v.text, rest: len(v.text)}
			s.walk(x, v.marks[n])
			work += s.work
			for _, c := range s.found {
				c.start, c.end = v.source(c.start, c.end)
				out = append(out, c)
			}
			if s.rest < len(v.text) {
				_, end := v.source(s.rest-1, s.rest)
				rest = min(rest, end)
			}
		}
	}
	plain := &view{text: text}
	look(plain)
	plain.views(look)
	return out, rest, work
}

// scanner walks one text.
type scanner struct {
	text    []byte
	found   []candidate
	covered int // end of the furthest candidate of a known format
	quiet   int // end of an embedded picture or font
	rest    int // where it stopped
	work    int // bytes looked at around anchors
}

// walk looks at the anchors at the places in m.
func (s *scanner) walk(x *index, m marks) {
	text := s.text
	m.each(0, len(text)-1, func(at int) bool {
		if at < max(s.covered, s.quiet) {
			return true
		}
		for _, entries := range x.at(text, at) {
			s.lookAt(entries, at)
		}
		return s.rest == len(text)
	})
	if s.rest < len(text) {
		// A finder may look back, so an earlier candidate can reach past the
		// stop; the rest begins after it.
		for _, c := range s.found {
			s.rest = max(s.rest, c.end)
		}
	}
}

// lookAt has the finders look of those entries whose anchor begins at a place.
func (s *scanner) lookAt(entries []entry, at int) {
	text := s.text
	for i := range entries {
		e := &entries[i]
		s.work++
		if !hasFold(text[at:], e.anchor) {
			continue
		}
		end := at + len(e.anchor)
		for k := range e.finds {
			s.work++
			if f := &e.finds[k]; s.rest == len(text) && f.looksAt(text[at:end]) {
				f.look(s, at, end)
			}
		}
	}
}

// maxGlued is how much of the beginning of a token another one may have at its end.
const maxGlued = 12

// add records [start, end) as a credential. Nothing else is searched in one
// with a conclusive format.
func (s *scanner) add(r *Rule, start, end int, format bool) {
	if len(s.found) == maxFindings {
		s.rest = start
		return
	}
	s.found = append(s.found, candidate{r, start, end})
	if format {
		if end < len(s.text) && (s.text[end] == '_' || s.text[end] == '-') {
			end -= maxGlued
		}
		s.covered = max(s.covered, end)
	}
}

// run is charset.run, counted.
func (s *scanner) run(c *charset, i, limit int) int {
	end := c.run(s.text, i, limit)
	s.work += end - i + 1
	return end
}

// back is charset.back, counted.
func (s *scanner) back(c *charset, i, limit int) int {
	start := c.back(s.text, i, limit)
	s.work += i - start + 1
	return start
}

// nearLine bounds the part of a line that is searched for words of Near.
const nearLine = 300

// near reports whether one of the words of r is around [start, end).
func (s *scanner) near(r *Rule, start, end int) bool {
	if len(r.Near) == 0 {
		return true
	}
	reach := min(cmp.Or(r.Within, nearLine), 4096)
	from, to := max(0, start-reach), min(len(s.text), end+reach)
	if r.Within == 0 {
		from += 1 + bytes.LastIndexByte(s.text[from:start], '\n')
		to = min(to, lineEnd(s.text[:to], end))
	}
	s.work += to - from
	around := bytes.ToLower(s.text[from:to])
	return slices.ContainsFunc(r.Near, func(w string) bool { return bytes.Contains(around, []byte(w)) })
}

// resolve sorts candidates and merges overlapping ones: the result has the rule
// that knows the format best, and a span that covers both, so that masking
// hides all of it.
func resolve(raw []candidate) []candidate {
	slices.SortStableFunc(raw, func(a, b candidate) int { return cmp.Compare(a.start, b.start) })
	out := raw[:1]
	for _, c := range raw[1:] {
		last := &out[len(out)-1]
		if c.start >= last.end {
			out = append(out, c)
			continue
		}
		last.end = max(last.end, c.end)
		if c.rule.rank > last.rule.rank {
			last.rule = c.rule
		}
	}
	return out
}
