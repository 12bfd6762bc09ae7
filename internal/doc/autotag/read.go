package autotag

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/doc/sentence"
	"github.com/cairn-kb/cairn/internal/kb"
)

// word is a word of a text.
type word struct {
	text    string
	starts  bool // it is the first of a sentence
	follows bool // only blanks precede it
}

// reading is a text split into words.
type reading struct {
	words       []word
	keys        []string // of words, as names are compared
	joined      string   // keys joined with hyphens
	hashed      []string
	identifiers []string
}

// read splits a text into words. Code blocks and addresses are left out, text
// between backticks is not.
func read(text string) reading {
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "")
	}
	var (
		r      reading
		fenced bool
	)
	for line := range strings.SplitSeq(text, "\n") {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") || strings.HasPrefix(strings.ToLower(trimmed), "#+begin_") || strings.HasPrefix(strings.ToLower(trimmed), "#+end_") {
			fenced = !fenced
			continue
		}
		if !fenced {
			r.line(trimmed)
		}
	}
	r.keys = make([]string, len(r.words))
	for i, w := range r.words {
		r.keys[i] = kb.NameKey(w.text)
	}
	r.joined = "-" + strings.Join(r.keys, "-") + "-"
	return r
}

// line reads a line.
func (r *reading) line(line string) {
	start, plain := true, false
	begins := sentence.Spans([]byte(line))
	for at, field := range fields(line) {
		for len(begins) > 0 && begins[0].Start <= at {
			start, begins = true, begins[1:]
		}
		if strings.Contains(field, "://") {
			start, plain = false, false
			continue
		}
		if tag, ok := hashTag(field); ok {
			r.hashed = append(r.hashed, tag)
		}
		quoted := strings.Contains(field, "`")
		core := strings.TrimFunc(field, func(c rune) bool { return !isLetter(c) && c != '_' })
		if id := identifier(core, quoted); id != "" && !stop[kb.NameKey(core)] {
			r.identifiers = append(r.identifiers, id)
		}
		opens := !strings.HasPrefix(field, firstRune(core))
		for i, part := range strings.FieldsFunc(field, func(c rune) bool { return !isLetter(c) && !strings.ContainsRune("_-'’.+", c) }) {
			part = strings.Trim(part, "_-'’.")
			if part == "" {
				continue
			}
			part = strings.TrimSuffix(strings.TrimSuffix(part, "'s"), "’s")
			r.words = append(r.words, word{text: part, starts: start, follows: plain && i == 0 && !opens})
			start = false
		}
		if core == "" && len(r.words) > 0 {
			plain = false
			continue // a separate sign, such as a dash or a bullet
		}
		end := strings.TrimRight(field, `"')]*_`+"`”’»")
		last, _ := utf8.DecodeLastRuneInString(end)
		start = last == ':'
		plain = isLetter(last) && end == field
	}
}

// fields are the words between blanks, each with where it begins.
func fields(line string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		at := 0
		for field := range strings.FieldsSeq(line) {
			at += strings.Index(line[at:], field)
			if !yield(at, field) {
				return
			}
			at += len(field)
		}
	}
}

func firstRune(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return s[:n]
}

func isLetter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// hashTag returns the tag of a word such as #pricing.
func hashTag(field string) (string, bool) {
	field = strings.TrimLeft(field, "([\"'")
	tag, ok := strings.CutPrefix(field, "#")
	end := strings.IndexFunc(tag, func(c rune) bool { return !isLetter(c) && !strings.ContainsRune("_-/", c) })
	if end >= 0 {
		tag = tag[:end]
	}
	tag = strings.Trim(tag, "-_/")
	return tag, ok && tag != "" && !isNumber(tag)
}

// identifier returns the tag of a word that is a name in a program or of a thing: with
// an underscore, a capital within, digits after letters, or capitals alone.
func identifier(field string, quoted bool) string {
	n := utf8.RuneCountInString(field)
	if n < 2 || n > 40 || strings.ContainsAny(field, "/\\@=(),;") || strings.Count(field, ".") > 1 {
		return ""
	}
	var lower, upper, inner, digit, after bool
	for i, c := range field {
		switch {
		case unicode.IsUpper(c):
			upper = true
			inner = inner || lower && i > 0
		case unicode.IsLower(c):
			lower = true
		case unicode.IsDigit(c):
			digit = true
			after = after || upper || lower
		}
	}
	letters := upper || lower
	capitals := upper && !lower && !digit && n >= 2 && !strings.ContainsAny(field, ".'’")
	switch {
	case !letters:
		return ""
	case strings.Contains(strings.Trim(field, "_"), "_"), inner && !strings.ContainsAny(field, "-'’"), after && digit, capitals, quoted && lower && n >= minName:
		return Tag(field)
	}
	return ""
}

// mentions returns how often a name occurs in the text, and its first position.
// In scripts without blanks between words the name may be part of a longer run.
func (r *reading) mentions(key string) (n, at int) {
	if spaceless(key) {
		return strings.Count(r.joined, key), strings.Index(r.joined, key)
	}
	whole := "-" + key + "-"
	for from := 0; ; {
		i := strings.Index(r.joined[from:], whole)
		if i < 0 {
			return n, at
		}
		if n++; n == 1 {
			at = from + i
		}
		from += i + len(whole) - 1
	}
}

// spaceless reports whether a name is in a script without blanks between words.
func spaceless(key string) bool {
	for _, c := range key {
		if unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) {
			return true
		}
	}
	return false
}

// proper returns the proper names: runs of words with a capital, and words in katakana. One
// word alone at the start of a sentence is a name where the text has it within a sentence
// too, or where a verb shows it.
func (r *reading) proper() []string {
	inside := map[string]bool{} // capitalised names within a sentence
	for i, w := range r.words {
		if !w.starts && capital(w.text) && !stop[r.keys[i]] {
			inside[r.keys[i]] = true
		}
	}
	var out []string
	for i := 0; i < len(r.words); {
		end := i
		for end < len(r.words) && end < i+maxWords && capital(r.words[end].text) && !stop[r.keys[end]] && (end == i || r.words[end].follows) {
			end++
		}
		run := r.words[i:end]
		switch {
		case len(run) > 1, len(run) == 1 && (!run[0].starts || inside[r.keys[i]]):
			names := make([]string, len(run))
			for k, w := range run {
				names[k] = w.text
			}
			if name := strings.Join(names, " "); utf8.RuneCountInString(name) >= minName {
				out = append(out, Tag(name))
			}
		case len(run) == 0:
			out = append(out, katakana(r.words[i].text)...)
		}
		i = max(end, i+1)
	}
	return out
}

func capital(word string) bool {
	first, n := utf8.DecodeRuneInString(word)
	second, _ := utf8.DecodeRuneInString(word[n:])
	return unicode.IsUpper(first) || unicode.IsDigit(first) && unicode.IsUpper(second)
}

// katakana returns the words in katakana within a text, which are names and loans.
func katakana(text string) (out []string) {
	for _, run := range strings.FieldsFunc(text, func(c rune) bool { return !unicode.Is(unicode.Katakana, c) && c != 'ー' }) {
		if utf8.RuneCountInString(run) >= minName {
			out = append(out, run)
		}
	}
	return out
}

// stop are words that are never names, although they have a capital or the
// space has a page with that name.
var stop = func() map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(`i i'm i've i'll i'd ok no yes the a an and or but if in on at of for to from by with as it its we
		they he she you our their his her this that these those there then when where what who why how not all any some one two
		monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september
		october november december mondays tuesdays wednesdays thursdays fridays saturdays sundays mon tue wed thu fri sat sun jan feb mar apr jun jul aug sep sept oct nov dec
		eur usd gbp chf jpy cny inr sek nok dkk pln czk aud cad utc gmt cet cest est edt pst pdt bst am pm us uk eu kb mb gb tb ip
		todo note notes new old see note: fixme der die das und ein eine ich wir sie le la les un une et il elle`) {
		out[kb.NameKey(w)] = true
	}
	return out
}()
