package snippet

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Snippet is a passage of a document.
type Snippet struct {
	Text    string
	Matches []Range // in Text
	From    int     // first line of the document in Text, from 1
	To      int     // last line
	Line    int     // the line of the first match; From if there is none
}

// Range is the bytes [Start, End).
type Range struct{ Start, End int }

// ellipsis replaces the cut part of a line.
const ellipsis = "…"

// chunk is the size of the parts in which a document is searched. A phrase across two chunks
// is not found as a whole.
const chunk = 256 << 10

// Make returns the passage of a document, of at most limit bytes, that shows most of the
// words of m: the start if there are none. Frontmatter is never shown. limit is at least 40.
func Make(document []byte, m *Matcher, limit int) Snippet {
	limit = max(limit, 40)
	body := bodyStart(document)
	best := find(document, body, m, limit-2*len(ellipsis))
	from, to := window(document, body, best, limit-2*len(ellipsis))
	return render(document, body, from, to, best)
}

// find returns the matches of the best passage of width bytes, by ascending start. The best
// passage has the most distinct words, then the most words, then comes first.
func find(document []byte, body int, m *Matcher, width int) []match {
	var best, recent []match
	bestScore := 0
	counts, different := make([]int, len(m.patterns)), 0
	for at := body; at < len(document) && len(m.patterns) > 0; {
		end := chunkEnd(document, at)
		m.each(string(document[at:end]), func(f match) {
			f.start += at
			f.end += at
			recent = append(recent, f)
			if counts[f.pattern]++; counts[f.pattern] == 1 {
				different++
			}
			drop := 0
			for recent[drop].start < f.end-width && drop < len(recent)-1 {
				if counts[recent[drop].pattern]--; counts[recent[drop].pattern] == 0 {
					different--
				}
				drop++
			}
			recent = recent[drop:]
			if score := different*(enough+1) + min(len(recent), enough); score > bestScore {
				bestScore = score
				best = append(best[:0], recent...)
			}
		})
		at = end
		if len(best) >= enough && distinct(best) == len(m.patterns) {
			break
		}
	}
	slices.SortFunc(best, func(a, b match) int { return cmp.Or(a.start-b.start, a.end-b.end) })
	return best
}

// enough is the number of words in a passage above which they are not counted.
const enough = 8

func distinct(matches []match) int {
	seen := make(map[int]bool)
	for _, f := range matches {
		seen[f.pattern] = true
	}
	return len(seen)
}

// chunkEnd returns the end of the chunk at a position: at a line end if there is one.
func chunkEnd(document []byte, at int) int {
	if len(document)-at <= chunk {
		return len(document)
	}
	end := at + chunk
	if i := bytes.LastIndexByte(document[at:end], '\n'); i > 0 {
		return at + i + 1
	}
	for end > at+chunk-utf8.UTFMax && !utf8.RuneStart(document[end]) {
		end--
	}
	return end
}

// window returns the byte range to show: the matches with text around them, from the start
// of a line or a word to the end of one.
func window(document []byte, body int, matches []match, width int) (from, to int) {
	if len(matches) == 0 {
		from = body + len(document[body:]) - len(bytes.TrimLeft(document[body:], " \t\r\n"))
		return from, wordEnd(document, from, min(from+width, len(document)))
	}
	first, last := matches[0].start, matches[0].end
	for _, f := range matches {
		last = max(last, f.end)
	}
	last = min(last, first+width)
	room := width - (last - first)
	// Start at the start of the text, or of the line, if it is near; otherwise use a third
	// of the room before the match.
	near := max(first-room/2, body)
	from = wordStart(document, max(first-room/3, body), first)
	if i := bytes.LastIndexByte(document[near:first], '\n'); near == body {
		from = body
	} else if i >= 0 {
		from = near + i + 1
	}
	to = wordEnd(document, last, min(from+width, len(document)))
	return from, to
}

// wordStart returns the first start of a word from a position on, up to limit; the start of
// a character if there is none.
func wordStart(document []byte, from, limit int) int {
	if from == 0 || space(document[from-1]) {
		return from
	}
	for i := from; i < limit; i++ {
		if space(document[i]) {
			return i + 1
		}
	}
	for from < limit && !utf8.RuneStart(document[from]) {
		from++
	}
	return from
}

// wordEnd returns the last end of a word up to a position, but not before least; the end of
// a character if there is none.
func wordEnd(document []byte, least, to int) int {
	if to >= len(document) || space(document[to]) {
		return to
	}
	for i := to; i > least; i-- {
		if space(document[i-1]) {
			return i - 1
		}
	}
	for to > least && !utf8.RuneStart(document[to]) {
		to--
	}
	return to
}

func space(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }

// render cleans the passage and adjusts the matches to it.
func render(document []byte, body, from, to int, matches []match) Snippet {
	for from < to && space(document[from]) {
		from++
	}
	for to > from && space(document[to-1]) {
		to--
	}
	s := Snippet{From: 1 + bytes.Count(document[:from], []byte{'\n'})}
	s.To = s.From + bytes.Count(document[from:to], []byte{'\n'})
	s.Line = s.From
	if len(matches) > 0 && matches[0].start > from {
		s.Line += bytes.Count(document[from:matches[0].start], []byte{'\n'})
	}
	var out strings.Builder
	if from > body && !atLineStart(document, from) {
		out.WriteString(ellipsis)
	}
	start := 0 // start of the current match in out
	next := 0
	gap := false // white space is pending
	inside := -1 // end of the current match
	for i := from; i < to; {
		r, size := utf8.DecodeRune(document[i:to])
		if inside >= 0 && i >= inside {
			s.add(start, out.Len())
			inside = -1
		}
		visible := !unicode.IsSpace(r) && !unicode.Is(unicode.C, r) && !(r == utf8.RuneError && size <= 1)
		if joiner(r) {
			visible = true // required for emoji and Indic scripts
		}
		if visible && gap && out.Len() > 0 {
			out.WriteByte(' ')
		}
		for next < len(matches) && matches[next].start <= i {
			if inside < 0 && matches[next].end > i {
				start = out.Len()
			}
			if matches[next].end > i {
				inside = max(inside, matches[next].end)
			}
			next++
		}
		if visible {
			out.Write(document[i : i+size])
			gap = false
		} else if unicode.IsSpace(r) {
			gap = true
		}
		i += size
	}
	if inside >= 0 {
		s.add(start, out.Len())
	}
	if rest, _ := lineAt(document, to); len(rest) > 0 {
		out.WriteString(ellipsis)
	}
	s.Text = out.String()
	return s
}

// add adds a match, merged with the previous one if they touch.
func (s *Snippet) add(start, end int) {
	if n := len(s.Matches); n > 0 && s.Matches[n-1].End >= start {
		s.Matches[n-1].End = max(end, s.Matches[n-1].End)
		return
	}
	if end > start {
		s.Matches = append(s.Matches, Range{start, end})
	}
}

// joiner reports whether r is one of the two format characters that change the shape of
// their neighbours.
func joiner(r rune) bool { return r == '\u200c' || r == '\u200d' }

func atLineStart(document []byte, at int) bool {
	before := bytes.TrimRight(document[:at], " \t")
	return len(before) == 0 || before[len(before)-1] == '\n'
}
