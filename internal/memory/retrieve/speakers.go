package retrieve

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/search/query"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// spoken matches the beginning of a line that names its speaker, as dialogues and minutes
// have them: "- [D1:3] Caroline: I went", "**Ann Lee:** yes", "[10:02] Bo (chair): next".
var spoken = lazyregexp.New(`^(?:[-*+>]\s+)?(?:\[[^\]\n]{1,20}\]\s*|\d{1,2}:\d\d(?::\d\d)?\s+)?[*_]{0,2}(\p{Lu}[\p{L}.'’-]*(?: \p{Lu}[\p{L}.'’-]*){0,2})(?: \([^)\n]{1,30}\))?[*_]{0,2}:[*_]{0,2}\s`)

// leastSpoken is how many passages of a page name a speaker, from which on it is a dialogue:
// a line that begins with "Note:" names none.
const leastSpoken = 3

// speakerOf returns the speaker that a passage names, "" for none.
func speakerOf(text string) string {
	if m := spoken().FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// nameMarks are the signs around a word of a question that are not of a name.
const nameMarks = ".,;:!?\"()'’"

// bareName returns a word of a question without signs around it and a possessive ending.
func bareName(word string) string {
	word = strings.Trim(word, nameMarks)
	return strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "’s")
}

// askedNames returns the capitalised words of a question after the first, in lower case.
func askedNames(root query.Node) map[string]bool {
	names := map[string]bool{}
	for i, n := range query.Terms(root) {
		w, ok := n.(*query.Word)
		if !ok || w.Prefix {
			continue
		}
		text := bareName(w.Text)
		if first, _ := utf8.DecodeRuneInString(text); i > 0 && unicode.IsUpper(first) && !query.IsStopword(strings.ToLower(text)) {
			names[strings.ToLower(text)] = true
		}
	}
	return names
}

// speaks reports whether names have one of a speaker.
func speaks(names map[string]bool, speaker string) bool {
	for part := range strings.FieldsSeq(strings.ToLower(speaker)) {
		if names[part] {
			return true
		}
	}
	return false
}

// turns compares what those say whom a question names with what others say.
type turns struct {
	known        bool    // the question names one who speaks, and others speak as well
	ahead        float64 // see rank.Fit
	named, other string  // whom the question names, and who says what fits best: "" for the former
}

// bestTurns is how many of the best turns of each side are compared, in addition to the best.
const bestTurns = 3

// compareTurns reads the scores that passages of dialogues have before names are added.
func compareTurns(names map[string]bool, all []passage, ofDialogue func(passage) bool) (t turns) {
	var own, others []float64
	best := math.Inf(-1)
	for _, p := range all {
		if !ofDialogue(p) {
			continue
		}
		asked := speaks(names, p.speaker)
		switch {
		case !asked:
			others = append(others, p.score)
		case t.named != "" && t.named != p.speaker:
			return turns{} // a question about two
		default:
			t.named = p.speaker
			own = append(own, p.score)
		}
		if p.score > best {
			best, t.other = p.score, p.speaker
		}
	}
	if t.other == t.named {
		t.other = ""
	}
	t.known = len(own) > 0 && len(others) > 0
	if t.known {
		ownBest, ownMean := bestOf(own)
		otherBest, otherMean := bestOf(others)
		t.ahead = (ownBest - otherBest + ownMean - otherMean) / 2
	}
	return t
}

// bestOf returns the best of some scores, and the mean of the best of them.
func bestOf(scores []float64) (best, mean float64) {
	slices.SortFunc(scores, func(a, b float64) int { return cmp.Compare(b, a) })
	few := scores[:min(bestTurns, len(scores))]
	for _, score := range few {
		mean += score / float64(len(few))
	}
	return scores[0], mean
}
