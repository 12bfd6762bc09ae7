package secrets

import (
	"bytes"
	"encoding/base64"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// isFiller reports whether generated-looking text was typed as a filler: a run
// of one byte, or the alphabet and digits in order.
func isFiller(v []byte) bool {
	same, rising := 1, 1
	for i := 1; i < len(v); i++ {
		a, b := v[i-1]|0x20, v[i]|0x20
		if a == b {
			same++
		} else {
			same = 1
		}
		if b == a+1 || a == '9' && b == '0' {
			rising++
		} else {
			rising = 1
		}
		if same >= 6 || rising >= 8 || same >= 4 && (b == 'x' || b == '.' || b == '*') {
			return true
		}
	}
	return bytes.Contains(v, []byte("...")) || bytes.Contains(v, []byte("…"))
}

// isPlaceholder reports whether v is a placeholder rather than a value.
func isPlaceholder(v []byte) bool {
	if len(v) > entropyReach {
		return isFiller(v)
	}
	s := strings.ToLower(string(v))
	if strings.Trim(s, s[:min(1, len(s))]) == "" || isBcrypt(s) || isStandIn(s) || isFiller(v) || isReference(s) && !isRootedRandom(v) {
		return true
	}
	fill := builtin().Fill
	return slices.ContainsFunc(fill["beginnings"], func(w string) bool { return strings.HasPrefix(s, w) }) ||
		slices.ContainsFunc(fill["parts"], func(w string) bool { return strings.Contains(s, w) }) ||
		!isVaried(v) && slices.ContainsFunc(fill["own-words"], func(w string) bool { return strings.Contains(s, w) }) || published(v)
}

// isBcrypt reports whether s is a bcrypt hash of a password, which is slow to attack.
func isBcrypt(s string) bool { return len(s) == 60 && s[0] == '$' && s[1] == '2' && s[3] == '$' }

// isVaried reports whether v satisfies typical password rules: then it is made
// up, even with a word such as secret in it.
func isVaried(v []byte) bool {
	return bytes.ContainsAny(v, digits) && bytes.ContainsAny(v, "!@#$%^&*+") && alnum[v[0]] && bytes.ContainsAny(v, upper) && bytes.ContainsAny(v, lower)
}

// isStandIn reports whether s is a placeholder word, with at most one digit
// after it. More digits make it a password: admin123.
func isStandIn(s string) bool {
	w := strings.TrimRight(s, digits)
	return listed("values", w) && len(s) < len(w)+2
}

// published reports whether v is, or holds, an example from documentation.
func published(v []byte) bool {
	return containsFold(v, "example") ||
		slices.ContainsFunc(builtin().Examples, func(e string) bool { return bytes.Contains(v, []byte(strings.ReplaceAll(e, " ", ""))) })
}

// isReference reports whether s names a variable or a template's field.
func isReference(s string) bool {
	if s == "" {
		return true
	}
	switch s[0] {
	case '`':
		return s[len(s)-1] == '`' // the output of a command
	case '<', '$', '{', '[', '(', '%', '#', '&', '@', '/', '~':
		if strings.HasPrefix(s, "${") && strings.Contains(s, ":?") || strings.HasPrefix(s, "$(") {
			return true // the shell's message for an unset variable, or the output of a command
		}
		// Of these @, $, % and # may also begin a password that a person
		// made up; then letters alone do not follow.
		return !strings.ContainsRune("@$%#", rune(s[0])) || isVariable(s[1:])
	}
	return strings.Contains(s, "${") || strings.Contains(s, "{{") || strings.Contains(s, "<%") ||
		strings.Contains(s, "$(") || strings.Contains(s, "://") ||
		slices.ContainsFunc(builtin().Fill["references"], func(w string) bool { return strings.HasPrefix(s, w) })
}

// isRootedRandom recognises generated text that happens to begin as a path or
// another reference does.
func isRootedRandom(v []byte) bool {
	return strings.IndexByte("/!&(~", v[0]) >= 0 && len(v) >= 20 && isRandom(v[1:])
}

// isVariable accepts the text after the sigil of a variable: a name, optionally
// in braces or between signs.
func isVariable(s string) bool {
	s = strings.Trim(s, "{}()%$@[]")
	for i := range len(s) {
		if !wordByte[s[i]] && !strings.ContainsRune(".:-", rune(s[i])) {
			return false
		}
	}
	return true
}

// entropyReach bounds the part of a value that is measured; a longer part does
// not change the result.
const entropyReach = 256

// entropy returns the Shannon entropy of v in bits a byte.
func entropy(v []byte) float64 {
	v = v[:min(len(v), entropyReach)]
	var counts [256]float64
	for _, b := range v {
		counts[b]++
	}
	sum, n := 0.0, float64(len(v))
	for _, c := range counts {
		if c > 0 {
			sum -= c / n * math.Log2(c/n)
		}
	}
	return sum
}

// isWordy reports whether v reads as words: an identifier, a file name, a
// phrase in kebab case. Generated text changes between upper case, lower case
// and digits every second byte or so; words do not.
func isWordy(v []byte) bool {
	if hexDigits.all(v) {
		return false
	}
	s := shapeOf(v)
	switch {
	case s.cluster >= 6 || s.numbers*5 >= s.counted:
		return false // no language has such consonants; few names so many digits
	case s.pieces >= 3 && !s.mixed:
		return true // words and numbers, each by itself
	}
	return s.counted >= s.humps*4 || s.numbers*12 < s.counted && s.counted*2 >= s.humps*7
}

// shape holds counts that distinguish words from generated text.
type shape struct {
	counted int  // letters and digits
	numbers int  // digits
	humps   int  // runs of one case or of digits; a capital begins its word
	pieces  int  // stretches between signs
	mixed   bool // two humps meet without a sign between, but for a number at the end
	cluster int  // the longest row of consonants of one case
}

func shapeOf(v []byte) shape {
	const none, low, high, num = 0, 1, 2, 3
	s := shape{pieces: 1}
	last, caps, consonants := none, 0, 0
	for i, b := range v {
		kind := none
		switch {
		case isDigit(b):
			kind = num
			s.numbers++
		case isUpper(b):
			kind = high
		case isLetter(b):
			kind = low
		case i > 0:
			s.pieces++
		}
		if kind != none {
			s.counted++
			if kind != last && !(last == high && kind == low && caps == 1) {
				s.humps++
				s.mixed = s.mixed || last != none && kind != num
			}
		}
		if kind != last {
			consonants = 0
		}
		if kind == high {
			caps++
		} else {
			caps = 0
		}
		if kind == num || kind == none || strings.IndexByte("aeiouy", b|0x20) >= 0 {
			consonants = 0
		} else {
			consonants++
		}
		s.cluster = max(s.cluster, consonants)
		last = kind
	}
	return s
}

// isUUID reports whether v has the form of a UUID.
func isUUID(v []byte) bool {
	if len(v) != 36 {
		return false
	}
	for i, b := range v {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if b != '-' {
				return false
			}
		} else if !hexDigits[b] {
			return false
		}
	}
	return true
}

// isRandom reports whether v looks generated: letters and digits, or letters
// of both cases in no order, no words, and entropy that words of its length
// do not reach.
func isRandom(v []byte) bool {
	if !bytes.ContainsAny(v, digits) {
		return isMixedCase(v)
	}
	least := 3.2
	if hexGroups.all(v) {
		least = 2.7
	}
	return isMixed(v) && entropy(v) >= least && !isWordy(v)
}

// minMixedCase is the length from which letters alone can look generated.
const minMixedCase = 12

// isMixedCase reports whether v, which has no digits, changes case as often
// as generated text does: more often than any name in camel case.
func isMixedCase(v []byte) bool {
	v = bytes.TrimRight(v, "=")
	if len(v) < minMixedCase || !bytes.ContainsAny(v, lower) || !bytes.ContainsAny(v, upper) || bytes.ContainsAny(v, ".:%") {
		return false
	}
	s := shapeOf(v)
	return s.counted < s.humps*3 && s.counted >= s.pieces*5 && entropy(v) >= 3.2
}

// containsFold reports whether v contains the lower case ASCII word w in
// either case.
func containsFold(v []byte, w string) bool {
	for i := 0; i+len(w) <= len(v); i++ {
		if v[i]|0x20 == w[0] && strings.EqualFold(string(v[i:i+len(w)]), w) {
			return true
		}
	}
	return false
}

// minTokenEntropy is the least Shannon entropy, in bits a byte, of n bytes
// that a generator made. Short texts cannot reach the entropy of their
// alphabet, and hexadecimal ones have four bits at most.
func minTokenEntropy(n int) float64 {
	if n < 16 {
		return 2.3
	}
	return 2.8
}

// isMixed reports whether v has letters and digits, as generated text of this
// length nearly always has and an identifier mostly has not.
func isMixed(v []byte) bool {
	return bytes.ContainsAny(v, lower+upper) && bytes.ContainsAny(v, digits)
}

// Bounds on the length of values made up by people.
const (
	minChosen = 6
	maxChosen = 128
)

// inSigns are the signs that people put into passwords and prose does not
// put into words.
const inSigns = "!@#$%^&*?+~"

// isMadeUp reports whether v can be a password in a place that is known to have
// one: more than one run of letters, and not a path, version or code name.
func isMadeUp(v []byte) bool {
	if smalls.all(v) || len(v) < minChosen || len(v) > maxChosen || v[0] == '.' || v[0] == '-' || v[0] == '\\' {
		return false
	}
	if !bytes.ContainsAny(v, lower+upper) && (!isHigh(v) || isProse(v)) {
		return isDigitGroups(v)
	}
	// Without a digit, one sign at an end is punctuation around a word.
	signs := len(v) - len(bytes.TrimRight(v, "@#$%^&+~"))
	return (bytes.ContainsAny(v, digits) || isInner(v, inSigns) || signs > 1 || isMixedCase(v)) && entropy(v) >= 2.2
}

// isDigitGroups accepts a password of digits alone, as routers have them, and
// no date or number.
func isDigitGroups(v []byte) bool {
	groups := bytes.Split(v, []byte("-"))
	for _, g := range groups {
		if len(g) != len(groups[0]) || !decimals.all(g) {
			return false
		}
	}
	return len(groups) >= 3 && len(groups[0]) >= 3
}

// isPIN accepts a short number that nobody types to fill a form.
func isPIN(v []byte) bool {
	return len(v) >= 4 && len(v) <= 8 && decimals.all(v) && !isFiller(v)
}

// isDoorCode accepts what opens a door as well: digits in groups, and digits
// with a capital among or behind them.
func isDoorCode(v []byte) bool {
	v = bytes.TrimLeft(bytes.TrimRight(v, "#*"), "#*")
	if isPIN(v) {
		return true
	}
	if groups := bytes.Split(v, []byte("-")); len(groups) == 3 && len(v) == 8 {
		return len(groups[0]) == 2 && len(groups[1]) == 2 && decimals.all(bytes.Join(groups, nil))
	}
	n := 0
	for _, b := range v {
		if isDigit(b) {
			n++
		} else if !isUpper(b) {
			return false
		}
	}
	return len(v) >= 4 && len(v) <= 8 && n >= 3 && isDigit(v[0])
}

// isWordAndNumber accepts letters with a number at an end, in a sentence that
// calls them a password.
func isWordAndNumber(v []byte) bool {
	word := bytes.Trim(v, digits)
	return len(v) >= minSaid && len(word) < len(v) && len(word) >= 4 && alnum.all(word) && !bytes.ContainsAny(word, digits) && !isPlaceholder(v)
}

// isAppPassword accepts the four groups of four letters that a mail provider
// hands out, when not every group can be spoken.
func isAppPassword(v []byte) bool {
	if len(v) != 19 || v[4] != ' ' {
		return false
	}
	groups := bytes.Split(v, []byte(" "))
	if len(groups) != 4 {
		return false
	}
	for _, g := range groups {
		if len(g) != 4 || !smalls.all(g) {
			return false
		}
	}
	return slices.ContainsFunc(groups, func(g []byte) bool { return !bytes.ContainsAny(g, "aeiouy") })
}

// isHigh reports whether v has letters beyond ASCII.
func isHigh(v []byte) bool {
	return bytes.IndexFunc(v, func(r rune) bool { return r >= 0x80 && r != utf8.RuneError }) >= 0
}

// isProse reports whether v has characters of a script that passwords are not
// typed in: from Devanagari on, those of China and Japan among them.
func isProse(v []byte) bool {
	return bytes.IndexFunc(v, func(r rune) bool { return r >= 0x900 && r != utf8.RuneError }) >= 0
}

// isInner reports whether v contains one of signs other than at its ends, where
// it would be punctuation around a word.
func isInner(v []byte, signs string) bool {
	v = bytes.TrimFunc(v, func(r rune) bool { return r < 0x80 && !alnum[byte(r)] })
	return bytes.ContainsAny(v, signs)
}

// isStrong reports whether v looks like a password by itself, so that a loose
// place is enough: three of small letters, capitals, digits and signs, in no
// form that something else has.
func isStrong(v []byte) bool {
	if !isMadeUp(v) || isPlaceholder(v) || isCode(v) || bytes.IndexByte(v, '(') >= 0 || bytes.ContainsAny(v, "[]{}<>=,;") && !isInner(v, inSigns) {
		return false
	}
	kinds, high := 0, isHigh(v)
	for _, is := range []bool{bytes.ContainsAny(v, lower) || high, bytes.ContainsAny(v, upper), bytes.ContainsAny(v, digits), isInner(v, inSigns+"-_.'=") || strings.IndexByte(inSigns, v[len(v)-1]) >= 0} {
		if is {
			kinds++
		}
	}
	first, last, _ := bytes.Cut(v, []byte("-"))
	switch end := v[bytes.LastIndexByte(v, '.')+1:]; {
	case kinds < 3 && !isDigitGroups(v),
		len(end) < len(v) && listed("endings", strings.ToLower(string(end))), // a file or a host
		bytes.Count(v, []byte("/")) > 1,
		decimals.all(first) && smallWords.all(last), // 12-character
		capitals.all(first) && numbers.all(last),    // SHA-256
		isVersion(v):
		return false
	}
	host := v[bytes.IndexByte(v, '@')+1:]
	return len(host) == len(v) || bytes.IndexByte(host, '.') < 0 || !hostBytes.all(host)
}

// isVersion reports whether v begins as a number of a version does.
func isVersion(v []byte) bool {
	v = bytes.TrimPrefix(v, []byte("v"))
	i := decimals.run(v, 0, len(v))
	return i > 0 && i+1 < len(v) && v[i] == '.' && isDigit(v[i+1])
}

// isCode reports whether v is an expression, a path or several words.
func isCode(v []byte) bool {
	if bytes.ContainsAny(v, " \t") || len(v) > 2 && v[1] == ':' && (v[2] == '\\' || v[2] == '/') {
		return true // the latter is a path with its drive
	}
	return slices.ContainsFunc([]string{"->", "::", "=>", "()", "\\u"}, func(s string) bool { return bytes.Contains(v, []byte(s)) })
}

// isPhrase reports whether v is several words as people choose them for a
// passphrase, between blanks or all between hyphens, and no sentence about one.
func isPhrase(v []byte) bool {
	words := bytes.Fields(v)
	if len(words) == 1 && len(v) >= minMixedCase && smallWords.all(v) {
		words = bytes.Split(v, []byte("-"))
	}
	if len(words) < 3 || len(words) > 16 || len(v) > maxChosen {
		return false
	}
	for _, w := range words {
		w = bytes.Trim(w, ",.!?;'")
		if len(w) == 0 || listed("messages", strings.ToLower(string(w))) || bytes.ContainsAny(w, "<>{}()=:/\\%$\"") {
			return false
		}
	}
	return !isPlaceholder(bytes.ReplaceAll(v, []byte(" "), nil))
}

// isPair reports whether v is a name and a password, or a token for a name.
func isPair(v []byte) bool {
	user, pass, ok := bytes.Cut(v, []byte(":"))
	if !ok || bytes.ContainsAny(user, "/$<{") || isGivenAway(user, pass) || len(pass) <= 5 && decimals.all(pass) && len(pass) > 0 && !listed("accounts", string(user)) {
		return false // the latter is a port, as in http://host:8080@2x
	}
	return len(v) >= 7 && (len(pass) > 0 || isRandom(user))
}

// isBasic reports whether v is a pair in base 64.
func isBasic(v []byte) bool {
	pair, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(string(v), "="))
	if err != nil {
		return false // not base 64: no name and password
	}
	user, pass, ok := bytes.Cut(pair, []byte(":"))
	return ok && (len(pass) > 0 || len(user) >= 16) && !isGivenAway(user, pass)
}

// isGivenAway reports whether a pair of name and password is a placeholder or
// a well-known default, such as postgres:postgres.
func isGivenAway(user, pass []byte) bool {
	if len(pass) == 0 {
		return isPlaceholder(user)
	}
	return isPlaceholder(pass) || bytes.EqualFold(user, pass) || len(pass) < 3
}
