package secrets

import (
	"bytes"
	"math"
	"strings"
)

// examples are credentials that vendors print in their documentation. They
// open nothing. Each is written in two pieces, so that scanners of source
// code do not take it for a leak.
var examples = []string{
	"AKIAIOSFODNN7" + "EXAMPLE", "AKIAI44QH8DHB" + "EXAMPLE", "ASIAIOSFODNN7" + "EXAMPLE",
	"wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYEXAMPLEKEY", "je7MtGbClwBF/2Zp9Utk/" + "h3yCo8nvbEXAMPLEKEY",
	// The storage emulator Azurite, learn.microsoft.com/azure/storage/common/storage-use-azurite.
	"Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/" + "K1SZFPTOtr/KBHBeksoGMGw==",
	// docs.stripe.com/keys.
	"sk_test_" + "4eC39HqLyjWDarjtT1zdp7dc", "sk_test_" + "BQokikJOvBiI2HlWgH4olfQ2", "sk_test_" + "26PHem9AhJZvU623DfE1x4sd",
	// core.telegram.org/bots/api.
	"123456:ABC-" + "DEF1234ghIkl-zyx57W2v1u123ew11",
}

// published reports whether v is, or holds, a documented example.
func published(v []byte) bool {
	for _, e := range examples {
		if bytes.Contains(v, []byte(e)) {
			return true
		}
	}
	return containsFold(v, "example")
}

// isFiller reports whether generated-looking text is filled in by hand: a
// run of one byte, or the alphabet and digits in order.
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

// fillWords make a value that a person chose for a name a placeholder.
var fillWords = []string{
	"example", "placeholder", "changeme", "change-me", "change_me", "redacted", "your", "dummy",
	"sample", "insert", "replace", "foobar", "not-a-real", "masked", "hidden",
	"password", "passwd", "secret", "xxxx", "****", "fake", "mypass",
}

// fillPrefixes are too short to count anywhere but at the beginning.
var fillPrefixes = []string{"my-", "my_", "todo", "tbd"}

// fillValues are placeholders, defaults and literals as whole values.
var fillValues = map[string]bool{
	"": true, "abc": true, "admin": true, "anonymous": true, "api": true, "apikey": true, "auth": true, "bar": true,
	"bearer": true, "credentials": true, "default": true, "empty": true, "enabled": true, "env": true,
	"false": true, "foo": true, "guest": true, "key": true, "login": true, "mypwd": true, "none": true,
	"nil": true, "null": true, "optional": true, "pass": true, "passphrase": true, "postgres": true,
	"private": true, "pw": true, "pwd": true, "required": true, "root": true, "string": true,
	"test": true, "test123": true, "testing": true, "token": true, "true": true, "undefined": true,
	"unknown": true, "user": true, "username": true, "value": true, "x-oauth-basic": true,
}

// isPlaceholder reports whether v stands for a value instead of being one.
func isPlaceholder(v []byte) bool {
	if len(v) > entropyReach {
		return isFiller(v)
	}
	s := strings.ToLower(string(v))
	if strings.Trim(s, s[:min(1, len(s))]) == "" || fillValues[strings.TrimRight(s, digits)] || isFiller(v) || isReference(s) && !isRootedRandom(v) {
		return true
	}
	for _, p := range fillPrefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	for _, w := range fillWords {
		if strings.Contains(s, w) {
			return true
		}
	}
	return published(v)
}

// isReference reports whether s names a variable or a template's field.
func isReference(s string) bool {
	if s == "" {
		return true
	}
	switch s[0] {
	case '<', '$', '{', '[', '(', '%', '#', '&', '@', '/', '~':
		// Of these @, $, % and # may also begin a password that a person
		// made up; then letters alone do not follow.
		return !strings.ContainsRune("@$%#", rune(s[0])) || isVariable(s[1:])
	}
	return strings.Contains(s, "${") || strings.Contains(s, "{{") || strings.Contains(s, "<%") ||
		strings.Contains(s, "$(") || strings.Contains(s, "://") ||
		strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../") || strings.HasPrefix(s, "process.env") ||
		strings.HasPrefix(s, "os.") || strings.HasPrefix(s, "env.") || strings.HasPrefix(s, "vault:") ||
		strings.HasPrefix(s, "op:") || strings.HasPrefix(s, "!")
}

// isRootedRandom recognises base 64 that happens to begin as a path does.
func isRootedRandom(v []byte) bool {
	return v[0] == '/' && len(v) >= 20 && isRandom(v[1:])
}

// isVariable accepts what follows the sigil of a variable: a name, perhaps in
// braces or between signs.
func isVariable(s string) bool {
	s = strings.Trim(s, "{}()%$@[]")
	for i := range len(s) {
		if !wordByte[s[i]] && !strings.ContainsRune(".:-", rune(s[i])) {
			return false
		}
	}
	return true
}

// entropyReach bounds how much of a value is weighed; more tells no more.
const entropyReach = 256

// logs holds n·log2(n), so that entropy takes one look-up a byte.
var logs = func() (t [entropyReach + 1]float64) {
	for n := 2; n <= entropyReach; n++ {
		t[n] = float64(n) * math.Log2(float64(n))
	}
	return t
}()

// entropy returns the Shannon entropy of v in bits a byte.
func entropy(v []byte) float64 {
	if len(v) == 0 {
		return 0
	}
	v = v[:min(len(v), entropyReach)]
	var counts [256]uint16
	sum := 0.0
	for _, b := range v {
		n := counts[b] + 1
		counts[b] = n
		sum += logs[n] - logs[n-1]
	}
	return math.Log2(float64(len(v))) - sum/float64(len(v))
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

// shape counts what tells words from generated text.
type shape struct {
	counted int  // letters and digits
	numbers int  // digits
	humps   int  // runs of one case or of digits; a capital begins its word
	pieces  int  // stretches between signs
	mixed   bool // two humps meet without a sign between
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
				s.mixed = s.mixed || last != none
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
