package lifecycle

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/doc/sentence"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// SourceText is an input text of a summary.
type SourceText struct {
	Text     string // prose, without metadata and relations
	Day      string // of the text; newer texts are more current
	Replaced bool   // another page replaced it: its statements no longer hold
	Summary  bool   // it is a summary of other texts: all of its sentences are kept
}

// Part is the part of a summary that a sentence belongs to, in the order of the
// summary.
type Part int

// Parts of a summary.
const (
	Decided Part = iota
	Why
	Now
	Besides
	partCount
)

// Extract holds the sentences of a summary. Sentences of one paragraph are one
// item, so that references between them remain clear. Central is the text with most
// in common with the others.
type Extract struct {
	First    []string // the paragraphs with the first sentence of each text, newest text first
	Parts    [partCount][]string
	Replaced []string // the first sentence of each replaced text
	Central  int
}

// cues assign a sentence to a part: by the category of an observation, or by
// words.
var cues = []struct {
	part       Part
	categories []string
	words      func() *regexp.Regexp
}{
	{Decided, []string{"decision", "rule", "requirement"}, lazyregexp.New(`(?i)\b(decid\w*|decision|agreed?|chose(n)?|choose|approved?|rejected|will (not )?\w+|must|never|always|instead of|settled on|ruled out|beschlossen|entschieden|entscheidung|vereinbart)\b`)},
	{Why, []string{"rationale", "reason", "why"}, lazyregexp.New(`(?i)\b(because|since|so that|due to|therefore|reason\w*|in order to|otherwise|too (\w+) (to|for)|weil|damit|deshalb|daher|wegen)\b`)},
	{Now, []string{"state", "status", "fact", "now"}, lazyregexp.New(`(?i)\b(now|currently|today|at present|still|no longer|as of|is (in|at|on)|runs? (on|in|at)|uses?|jetzt|derzeit|aktuell|inzwischen|nicht mehr)\b`)},
}

// Sentences without checkable statements are included in a summary up to this share
// of the texts, in percent, or up to this length in bytes.
const (
	kept  = 60
	short = 2000
)

// statement is a sentence of one of the texts.
type statement struct {
	text          string
	of, at        int // its text, and its position there
	paragraph     int // of the text
	part          Part
	terms, words  map[string]bool
	weight        float64
	first, states bool // the first of its text; it must be kept
}

// maxTaken limits the sentences of an extract in addition to the first ones: each
// is compared with the others.
const maxTaken = 400

// Sum extracts sentences from texts: the first one of each, whole; then those about
// decisions, reasons and current states and those with a number or a name; then the
// others that have most in common with the rest, questions last, as far as there is
// room. What a kept sentence says already is left out, starting from the newest
// text. Of a text that was replaced only the first sentence is kept, apart
// from the others. The result consists of whole sentences, in any script, and
// depends on the texts alone.
func Sum(texts []SourceText) (out Extract) {
	var all []statement
	in := map[string]int{} // number of texts with a term
	size := 0
	for i, t := range texts {
		size += len(t.Text)
		said := statements(i, t.Text)
		if len(said) == 0 {
			continue
		}
		said[0].first = true
		for k := range said {
			said[k].states = said[k].states || t.Summary
		}
		if t.Replaced {
			out.Replaced = append(out.Replaced, said[0].text)
			continue
		}
		of := map[string]bool{}
		for _, s := range said {
			for term := range s.terms {
				of[term] = true
			}
		}
		for term := range of {
			in[term]++
		}
		all = append(all, said...)
	}
	common := make([]float64, len(texts))
	for i := range all {
		s := &all[i]
		for term := range s.terms {
			s.weight += float64(in[term] - 1)
		}
		common[s.of] += s.weight
		s.weight /= float64(len(s.terms) + 4) // otherwise long sentences would always win
	}
	for i, c := range common {
		if c > common[out.Central] || texts[out.Central].Replaced && !texts[i].Replaced {
			out.Central = i
		}
	}
	slices.SortStableFunc(all, func(x, y statement) int {
		return cmp.Or(boolean(y.first, x.first), boolean(y.states, x.states), boolean(asks(x.text), asks(y.text)), cmp.Compare(texts[y.of].Day, texts[x.of].Day),
			cmp.Compare(y.weight, x.weight), cmp.Compare(x.of, y.of), cmp.Compare(x.at, y.at))
	})
	var taken []statement
	left := max(size*kept/100, short)
	for _, s := range all {
		repeated := func(t statement) bool { return t.text == s.text || !s.first && s.repeats(t) }
		if !s.first && (!s.states && len(s.text) > left || len(taken) >= maxTaken) || slices.ContainsFunc(taken, repeated) {
			continue
		}
		taken = append(taken, s)
		left -= len(s.text)
	}
	out.add(texts, taken)
	return out
}

// add joins the sentences of each paragraph, and adds it to the part of its first
// or its most important sentence.
func (e *Extract) add(texts []SourceText, taken []statement) {
	slices.SortStableFunc(taken, func(x, y statement) int {
		return cmp.Or(cmp.Compare(texts[y.of].Day, texts[x.of].Day), cmp.Compare(x.of, y.of), cmp.Compare(x.at, y.at))
	})
	for i := 0; i < len(taken); {
		item, first, part := taken[i].text, taken[i].first, taken[i].part
		n := i + 1
		for ; n < len(taken) && taken[n].of == taken[i].of && taken[n].paragraph == taken[i].paragraph; n++ {
			if last, _ := utf8.DecodeLastRuneInString(item); !strings.ContainsRune("。！？」』）", last) {
				item += " "
			}
			item += taken[n].text
			first, part = first || taken[n].first, min(part, taken[n].part)
		}
		if i = n; first {
			e.First = append(e.First, item)
		} else {
			e.Parts[part] = append(e.Parts[part], item)
		}
	}
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

// denials are words that negate a sentence.
var denials = []string{"not", "no", "never", "without", "instead", "unless", "cannot", "nobody", "nothing", "neither", "nor", "nicht", "kein", "keine", "nie", "ohne"}

// repeats reports whether a sentence adds nothing to another one.
func (s statement) repeats(other statement) bool {
	for word := range s.words {
		if !other.words[word] {
			return false
		}
	}
	return !slices.ContainsFunc(denials, func(word string) bool { return other.words[word] && !s.words[word] })
}

// asks reports whether a sentence is a question.
func asks(s string) bool {
	return strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？")
}

// partOf returns the part of a summary that a sentence belongs to.
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
		if c.words().MatchString(s) {
			return c.part
		}
	}
	return Besides
}

// wordsOf returns the words of a text, in scripts without blanks its characters, and
// those of them that are distinctive.
func wordsOf(text string) (words, terms map[string]bool) {
	words, terms = map[string]bool{}, map[string]bool{}
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }) {
		spaceless := false
		for _, r := range word {
			if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
				spaceless = true
				words[string(r)], terms[string(r)] = true, true
			}
		}
		if r, _ := utf8.DecodeRuneInString(word); utf8.RuneCountInString(word) > 3 || unicode.IsDigit(r) {
			terms[word] = true
		}
		if !spaceless {
			words[word] = true
		}
	}
	return words, terms
}

// checkable reports whether a sentence has a number, or a name after its first word.
func checkable(text string) bool {
	for i, word := range strings.Fields(text) {
		first, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
		if i > 0 && word != "I" && unicode.IsUpper(first) || strings.ContainsFunc(word, unicode.IsDigit) {
			return true
		}
	}
	return false
}

var (
	onlyLink   = lazyregexp.New(`^\[\[[^\[\]]*\](?:\[[^\[\]]*\])?\]$`)
	listMarker = lazyregexp.New(`^(?:[-*+]|\d+[.)])[ \t]+(?:\[[ xX-]\][ \t]+)?`)
	drawerLine = lazyregexp.New(`^:[A-Za-z_-]+:`)
)

// statements returns the sentences of a text in one line each: of paragraphs, items and
// quotes, not of headings, code, tables and comments.
func statements(of int, text string) (out []statement) {
	var paragraph []string
	n := 0
	flush := func() {
		for _, line := range sentence.Split(strings.Join(paragraph, " ")) {
			s := statement{text: line, of: of, at: len(out), paragraph: n, part: partOf(line)}
			if s.words, s.terms = wordsOf(line); len(s.words) == 0 || onlyLink().MatchString(line) {
				continue
			}
			if asks(line) {
				s.part = Besides
			} else {
				s.states = s.part != Besides || checkable(line)
			}
			out = append(out, s)
		}
		paragraph = nil
		n++
	}
	until := "" // end of the omitted block
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
			strings.HasPrefix(line, "**") && strings.HasPrefix(strings.TrimLeft(line, "*")+" ", " "), drawerLine().MatchString(line):
		default:
			rest := strings.TrimLeft(line, "> ")
			if marker := listMarker().FindString(rest); marker != "" {
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
