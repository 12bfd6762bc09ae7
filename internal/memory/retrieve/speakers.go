package retrieve

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
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
	if !strings.Contains(text, ":") {
		return ""
	}
	if m := spoken().FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// pronouns are those of the first and the second person in a language, in lower case.
type pronouns struct{ first, second map[string]bool }

// pronounsOf returns them by the name of the language, "" for English. The others are left out:
// we do not know their pronouns, or their verbs do without them.
var pronounsOf = sync.OnceValue(func() map[string]pronouns {
	words := func(text string) map[string]bool {
		set := map[string]bool{}
		for w := range strings.FieldsSeq(text) {
			set[w] = true
		}
		return set
	}
	out := map[string]pronouns{}
	for language, text := range map[string][2]string{
		"":        {"i me my mine myself we us our ours ourselves", "you your yours yourself yourselves"},
		"German":  {"ich mich mir mein meine meinen meinem meiner meines wir uns unser unsere unseren unserem unserer", "du dich dir dein deine deinen deinem deiner deines euch euer eure euren eurem eurer"},
		"French":  {"je j me m moi mon ma mes nous notre nos", "tu te t toi ton ta tes vous votre vos"},
		"Dutch":   {"ik me mij mijn wij we ons onze", "jij je jou jouw jullie u uw"},
		"Swedish": {"jag mig min mitt mina vi oss vår vårt våra", "du dig din ditt dina ni er ert era"},
		"Russian": {"я меня мне мной мой моя моё мое мои мы нас нам наш наша наше наши", "ты тебя тебе тобой твой твоя твоё твое твои вы вас вам ваш ваша ваше ваши"},
	} {
		out[language] = pronouns{first: words(text[0]), second: words(text[1])}
	}
	return out
})

// addresses reports whether a turn is about the one whom it addresses and not about its speaker:
// "That is a lovely necklace! Who gave it to you?"
func (p pronouns) addresses(turn string) bool {
	second := false
	for w := range strings.FieldsFuncSeq(strings.ToLower(turn), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if p.first[w] {
			return false
		}
		second = second || p.second[w]
	}
	return second
}

// setSubjects sets whom the turns of a page are about: the speaker, or the one whom the turn
// addresses. That is another speaker whom it names, else the one who spoke before, else the next.
func setSubjects(turns []passage, textOf func(lines [2]int) string, p pronouns) {
	var speakers []string
	parts := map[string][]int{} // numbers of speakers by the parts of their names: two of each suffice
	seen := map[string]bool{}
	for _, t := range turns {
		if t.speaker == "" || seen[t.speaker] {
			continue
		}
		seen[t.speaker] = true
		for part := range strings.FieldsSeq(strings.ToLower(t.speaker)) {
			if had := parts[part]; len(had) < 2 {
				parts[part] = append(had, len(speakers))
			}
		}
		speakers = append(speakers, t.speaker)
	}
	last, before := "", "" // who spoke last, and the last other one
	for i := range turns {
		t := &turns[i]
		if t.about = t.speaker; t.speaker == "" || len(speakers) < 2 {
			continue
		}
		if t.speaker != last {
			last, before = t.speaker, last
		}
		text := textOf(t.lines)
		said := strings.TrimPrefix(text, spoken().FindString(text))
		if !p.addresses(said) {
			continue
		}
		t.about = cmp.Or(before, speakers[1]) // the first turns are of the first speaker
		named := len(speakers)
		for word := range strings.FieldsSeq(said) {
			for _, at := range parts[strings.ToLower(bareName(word))] {
				if speakers[at] != t.speaker {
					named = min(named, at)
				}
			}
		}
		if len(speakers) > 2 && named < len(speakers) {
			t.about = speakers[named]
		}
	}
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

// turns compares words about those whom a question names with words about others.
type turns struct {
	known        bool    // the question names one who speaks, and others speak as well
	ahead        float64 // see rank.Fit
	named, other string  // whom the question names, and whom the best is about: "" for the former
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
		asked := speaks(names, p.about)
		switch {
		case !asked:
			others = append(others, p.score)
		case t.named != "" && t.named != p.about:
			return turns{} // a question about two
		default:
			t.named = p.about
			own = append(own, p.score)
		}
		if p.score > best {
			best, t.other = p.score, p.about
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
