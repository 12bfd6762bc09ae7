package secrets

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// grade is how much a value resembles a password that a person chose. The
// required grade depends on the place: in a configuration field a single word
// can be a password, in a sentence it is just a word.
type grade int8

const (
	noValue grade = iota // a placeholder, a reference, or something else: a date, a version, a file
	word                 // a word as any other
	odd                  // written as no word is, or digits alone
	made                 // letters with digits or signs, or one of the passwords most in use
)

// minWeak is the minimum length of a password in a place that is known to have
// one.
const minWeak = 4

// gradeOf grades a value of one word.
func gradeOf(v []byte) grade {
	if len(v) < minWeak || len(v) > maxChosen || bytes.IndexByte([]byte(".-\\,:;=?"), v[0]) >= 0 || bytes.ContainsAny(v, " \t") || isProse(v) || !utf8.Valid(v) {
		return noValue
	}
	var buf [24]byte
	lower := bytes.ToLower(append(buf[:0], v...))
	switch {
	case listed("common", string(lower)):
		return made
	case listed("descriptions", strings.TrimRight(string(lower), digits)), bytes.ContainsAny(v, "()"), isPlaceholder(v), isCode(v), isOther(v):
		return noValue
	case decimals.all(v):
		return odd
	case bytes.ContainsAny(v, "(){}[]<>=,;\"") && !isInner(v, inSigns):
		return noValue
	case !bytes.ContainsAny(v, digits) && !isInner(v, inSigns):
		if isMixedCase(v) {
			return made
		}
		// A capital behind a sign, as in Plover_Nest.
		if joined := isInner(v, "-_.'"); joined && bytes.ContainsAny(v, upper) && !bytes.Equal(v, bytes.ToUpper(v)) {
			return odd
		}
		if endsIn(string(lower), builtin().Names["password"]) {
			return noValue // the word for it, as on a form
		}
		return word
	case entropy(v) < 1.5 || !bytes.ContainsAny(v, letterBytes) && !isHigh(v) && !isInner(v, inSigns):
		return noValue
	}
	return made
}

const letterBytes = lower + upper

// isOther reports whether v has letters and digits but is not a password: a
// version, a date, a file, a host, a number with its unit, an algorithm.
func isOther(v []byte) bool {
	end := v[bytes.LastIndexByte(v, '.')+1:]
	host := v[bytes.IndexByte(v, '@')+1:]
	word := bytes.TrimLeft(v, digits)
	number := v[:len(v)-len(word)]
	name := bytes.TrimRight(v, digits+"-_/")
	switch {
	case isVersion(v), isUUID(v), len(end) < len(v) && listed("endings", strings.ToLower(string(end))):
		return true
	case len(host) < len(v) && bytes.IndexByte(host, '.') >= 0 && hostBytes.all(host):
		return true // an address
	case bytes.Count(v, []byte("/")) > 1, bytes.Contains(v, []byte("::")), bytes.Contains(v, []byte("->")):
		return true
	case len(number) > 0 && len(number) <= 3 && len(word) > 0 && smallWords.all(word):
		return true // 12-character, 90days, 2nd
	case len(word) > 0 && len(number) > 0 && newCharset(digits, "-./:,").all(word):
		return true // a date, a time, an address
	}
	return len(name) > 0 && listed("algorithms", strings.ToLower(string(name))) || isAlgorithm(v)
}

// isAlgorithm reports whether v is the name of an algorithm with its parameters:
// AES-256-GCM, TLS1.3.
func isAlgorithm(v []byte) bool {
	n := 0
	for n < len(v) && isLetter(v[n]) {
		n++
	}
	return n > 0 && parameters.all(v[n:]) && listed("algorithms", strings.ToLower(string(v[:n])))
}

var parameters = newCharset(upper, digits, "-_./")
