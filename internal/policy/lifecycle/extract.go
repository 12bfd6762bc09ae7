package lifecycle

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// SourceText is an input text of a summary.
type SourceText struct {
	Text string // prose, without metadata and relations
	Day  string // of the text; newer texts are more current
}

// Part is which part of a summary a sentence belongs to, in the order of the summary.
type Part int

// The parts of a summary.
const (
	Decided Part = iota
	Why
	Now
	Besides
	partCount
)

// Extract holds the most relevant sentences of texts, part by part. Central is
// the text that has most in common with the others.
type Extract struct {
	Parts   [partCount][]string
	Central int
}

// Empty reports whether there is no sentence.
func (e Extract) Empty() bool {
	return !slices.ContainsFunc(e.Parts[:], func(p []string) bool { return len(p) > 0 })
}

// cues assign a sentence to a part: by the category of an observation, or by
// words.
var cues = []struct {
	part       Part
	categories []string
	words      *regexp.Regexp
}{
	{Decided, []string{"decision", "rule", "requirement"}, regexp.MustCompile(`(?i)\b(decid\w*|decision|agreed?|chose(n)?|choose|approved?|rejected|will (not )?\w+|must|never|always|instead of|settled on|ruled out|beschlossen|entschieden|entscheidung|vereinbart)\b`)},
	{Why, []string{"rationale", "reason", "why"}, regexp.MustCompile(`(?i)\b(because|since|so that|due to|therefore|reason\w*|in order to|otherwise|too (\w+) (to|for)|weil|damit|deshalb|daher|wegen)\b`)},
	{Now, []string{"state", "status", "fact", "now"}, regexp.MustCompile(`(?i)\b(now|currently|today|at present|still|no longer|as of|is (in|at|on)|runs? (on|in|at)|uses?|jetzt|derzeit|aktuell|inzwischen|nicht mehr)\b`)},
}

// kept is which share of the texts a summary may be, in percent: it is to be shorter.
const kept = 60

// statement is a sentence of one of the texts.
type statement struct {
	text      string
	told, at  int
	part      Part
	terms     map[string]bool
	weight    float64
	newest    bool // of the text that is newest
	firstOfIt bool
	asks      bool // a question states nothing
}

// Sum extracts sentences from texts: in turn those about decisions, reasons and
// current states, and then those with most in common with the rest, up to three
// fifths of all sentences. Repetitions are left out, starting from the newest
// text. The result consists of whole sentences, in any script, and depends on
// the texts alone.
func Sum(texts []SourceText) (out Extract) {
	var all []statement
	in := map[string]int{} // in how many texts a term is
	size, newest := 0, 0
	for i, t := range texts {
		size += len(t.Text)
		if t.Day > texts[newest].Day {
			newest = i
		}
		of := map[string]bool{}
		for k, s := range statements(t.Text) {
			x := statement{text: s, told: i, at: k, part: partOf(s), terms: terms(s), firstOfIt: k == 0, asks: asks(s)}
			if x.asks {
				x.part = Besides
			}
			all = append(all, x)
			for term := range x.terms {
				of[term] = true
			}
		}
		for term := range of {
			in[term]++
		}
	}
	common := make([]float64, len(texts))
	for i := range all {
		s := &all[i]
		s.newest = s.told == newest
		for term := range s.terms {
			s.weight += float64(in[term] - 1)
		}
		common[s.told] += s.weight
		s.weight /= float64(len(s.terms) + 4) // or long sentences would always win
	}
	for i, c := range common {
		if c > common[out.Central] {
			out.Central = i
		}
	}
	slices.SortStableFunc(all, func(x, y statement) int {
		return cmp.Or(cmp.Compare(x.part, y.part), boolean(x.asks, y.asks), -boolean(x.newest, y.newest), cmp.Compare(y.weight, x.weight), -boolean(x.firstOfIt, y.firstOfIt),
			cmp.Compare(texts[y.told].Day, texts[x.told].Day), cmp.Compare(x.told, y.told), cmp.Compare(x.at, y.at))
	})
	var taken []statement
	budget := size * kept / 100
	for _, s := range inTurn(all) {
		if len(s.text) > budget && len(taken) > 0 || slices.ContainsFunc(taken, s.repeats) {
			continue
		}
		taken = append(taken, s)
		out.Parts[s.part] = append(out.Parts[s.part], s.text)
		budget -= len(s.text)
	}
	return out
}

// inTurn reorders sentences, which are sorted by part, so that parts alternate
// and sentences without a part come last: with limited room no part is dropped
// for another.
func inTurn(all []statement) []statement {
	var parts [partCount][]statement
	for _, s := range all {
		parts[s.part] = append(parts[s.part], s)
	}
	out := make([]statement, 0, len(all))
	for len(out)+len(parts[Besides]) < len(all) {
		for part := range Besides {
			if rest := parts[part]; len(rest) > 0 {
				out, parts[part] = append(out, rest[0]), rest[1:]
			}
		}
	}
	return append(out, parts[Besides]...)
}

// boolean compares truth values, false first.
func boolean(x, y bool) int {
	switch {
	case x == y:
		return 0
	case y:
		return -1
	}
	return 1
}

// repeats reports whether a sentence adds nothing to another one.
func (s statement) repeats(other statement) bool {
	for term := range s.terms {
		if !other.terms[term] {
			return false
		}
	}
	return true
}

// asks reports whether a sentence is a question.
func asks(s string) bool {
	return strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？")
}

// partOf is the part of a summary that a sentence belongs to.
func partOf(s string) Part {
	if rest, is := strings.CutPrefix(s, "["); is {
		if category, _, closed := strings.Cut(rest, "] "); closed {
			for _, c := range cues {
				if slices.Contains(c.categories, strings.ToLower(category)) {
					return c.part
				}
			}
		}
	}
	for _, c := range cues {
		if c.words.MatchString(s) {
			return c.part
		}
	}
	return Besides
}

// terms are the distinctive words of a text; in scripts without blanks, its
// characters.
func terms(text string) map[string]bool {
	out := map[string]bool{}
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }) {
		for _, r := range word {
			if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
				out[string(r)] = true
			}
		}
		if r, _ := utf8.DecodeRuneInString(word); utf8.RuneCountInString(word) > 3 || unicode.IsDigit(r) {
			out[word] = true
		}
	}
	return out
}

var (
	listMarker = regexp.MustCompile(`^(?:[-*+]|\d+[.)])[ \t]+(?:\[[ xX-]\][ \t]+)?`)
	drawerLine = regexp.MustCompile(`^:[A-Za-z_-]+:`)
)

// statements returns the sentences of a text in one line each: of paragraphs, items and
// quotes, not of headings, code, tables and comments.
func statements(text string) (out []string) {
	var paragraph []string
	flush := func() {
		line := strings.Join(paragraph, " ")
		for paragraph = nil; line != ""; {
			n := sentenceEnd(line)
			if s := strings.TrimSpace(line[:n]); len(terms(s)) > 0 {
				out = append(out, s)
			}
			line = line[n:]
		}
	}
	until := "" // what ends the block that is left out
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		lower := strings.ToLower(line)
		switch {
		case until != "":
			if strings.HasPrefix(lower, until) || until == "-->" && strings.Contains(line, until) {
				until = ""
			}
			continue
		case strings.HasPrefix(line, "```"), strings.HasPrefix(line, "~~~"):
			until = line[:3]
		case strings.HasPrefix(lower, "#+begin"):
			until = "#+end"
		case strings.HasPrefix(line, "<!--"):
			if !strings.Contains(line, "-->") {
				until = "-->"
			}
		case line == "", line[0] == '#' && !isTag(line), line[0] == '|', strings.HasPrefix(line, "%%"), strings.HasPrefix(line, "---"),
			strings.HasPrefix(line, "**") && strings.TrimLeft(line, "*")[0:1] == " ", drawerLine.MatchString(line):
		default:
			rest := strings.TrimLeft(line, "> ")
			if marker := listMarker.FindString(rest); marker != "" {
				flush()
				rest = rest[len(marker):]
			}
			if rest != "" {
				paragraph = append(paragraph, rest)
			}
			continue
		}
		flush()
	}
	flush()
	return out
}

// isTag reports whether a line that begins with "#" begins with a tag, not as a heading.
func isTag(line string) bool {
	r, _ := utf8.DecodeRuneInString(line[1:])
	return len(line) > 1 && r != '#' && r != '+' && !unicode.IsSpace(r)
}

// sentenceEnd returns where the first sentence of a line ends.
func sentenceEnd(line string) int {
	for i, r := range line {
		end := i + utf8.RuneLen(r)
		if strings.ContainsRune("。！？", r) {
			return end
		}
		if !strings.ContainsRune(".!?…", r) || end == len(line) || line[end] != ' ' {
			continue
		}
		next, _ := utf8.DecodeRuneInString(line[end+1:])
		word := line[strings.LastIndexByte(line[:i], ' ')+1 : i]
		if unicode.IsLower(next) || r == '.' && (utf8.RuneCountInString(word) < 2 || strings.Contains(word, ".")) {
			continue // an abbreviation, or an initial
		}
		return end + 1
	}
	return len(line)
}
