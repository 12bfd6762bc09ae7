package secrets

import (
	"bytes"
	"cmp"
	"slices"
)

// Finding is one credential in a text. It says where and of what kind, and
// never holds the value.
type Finding struct {
	Rule  string // stable id, as accepted by Options.Allow
	Kind  string // the same in words, for people
	Line  int    // the line on which it starts, from 1
	Start int    // span of the value in bytes, [Start, End)
	End   int
}

// Options say which findings the writer has accepted.
type Options struct {
	Allow []string // ids of rules to leave out; ids that no rule has do nothing
}

// allowMark silences every finding on the line that carries it.
const allowMark = "cairn:allow"

// maxFindings bounds the memory that a hostile text can make Scan use. It is
// far above what any page holds that somebody means to keep.
const maxFindings = 10_000

// Scan returns the credentials in text, in order, without overlaps. Those of
// a rule in opts.Allow, and those on a line that carries "cairn:allow", are
// left out. Values that are published as examples, and placeholders, are not
// credentials.
func Scan(text []byte, opts Options) []Finding {
	raw, rest := candidates(text)
	if len(raw) == 0 {
		return nil
	}
	found := resolve(raw)
	lines := lineReader{text: text, number: 1, end: lineEnd(text, 0)}
	out := make([]Finding, 0, len(found))
	for _, c := range found {
		line, allowed := lines.cover(c.start, c.end)
		if allowed || slices.Contains(opts.Allow, c.rule.ID) {
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

// candidate is a span that a detector takes for a credential.
type candidate struct {
	rule       *Rule
	start, end int
}

// candidates runs every detector whose anchor occurs. The second result is
// where it stopped: len(text), or less when there were too many.
func candidates(text []byte) ([]candidate, int) {
	var out []candidate
	a := detectors()
	covered := 0 // end of the furthest candidate of a known format
	quiet := 0   // end of an embedded picture or font
	rest := len(text)
	a.walk(text, func(id, at, end int) bool {
		if at < covered || at < quiet {
			return true
		}
		d := &a.detectors[id]
		if d.skip != nil {
			quiet = d.skip(text, at, end)
			return true
		}
		c, ok := d.find(text, at, end)
		if !ok {
			return true
		}
		if len(out) == maxFindings {
			rest = c.start
			return false
		}
		if c.rule.format {
			covered = max(covered, c.end)
		}
		out = append(out, c)
		return true
	})
	if rest < len(text) {
		// A detector may look back, so an earlier candidate can reach past
		// the stop; the rest begins after it.
		for _, c := range out {
			rest = max(rest, c.end)
		}
	}
	return out, rest
}

// resolve sorts candidates and joins those that overlap into one: the name
// comes from the rule that knows the format best, the span covers both, so
// that masking hides all of it.
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

// lineReader numbers lines for spans that come in order, and reads each line
// at most once.
type lineReader struct {
	text       []byte
	number     int
	start, end int // the current line, without its line feed
	read       bool
	allowed    bool
}

// cover returns the number of the line on which [start, end) begins, and
// whether any line that it touches carries the mark.
func (l *lineReader) cover(start, end int) (number int, allowed bool) {
	for start > l.end {
		l.next()
	}
	number = l.number
	for {
		allowed = allowed || l.marked()
		if end <= l.end+1 || l.end == len(l.text) {
			return number, allowed
		}
		l.next()
	}
}

func (l *lineReader) next() {
	l.start = l.end + 1
	l.end = lineEnd(l.text, l.start)
	l.number++
	l.read = false
}

func (l *lineReader) marked() bool {
	if !l.read {
		l.read, l.allowed = true, hasMark(l.text[l.start:l.end])
	}
	return l.allowed
}

// hasMark reports whether line carries the mark as a word of its own.
func hasMark(line []byte) bool {
	for {
		i := bytes.Index(line, []byte(allowMark))
		if i < 0 {
			return false
		}
		line = line[i+len(allowMark):]
		if len(line) == 0 || !wordByte[line[0]] {
			return true
		}
	}
}

func lineEnd(text []byte, from int) int {
	if i := bytes.IndexByte(text[from:], '\n'); i >= 0 {
		return from + i
	}
	return len(text)
}
