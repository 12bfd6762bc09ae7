package analysis

// Stem returns the stem of an English word by the Porter2 (Snowball English) algorithm,
// appended to dst. A term with characters other than the letters a to z is its own stem.
// Stems are not always fixed points: Stem(Stem(w)) can differ from Stem(w).
//
// Terms have no apostrophes, so the algorithm's step 0 is left out.
func Stem(dst, word []byte) []byte {
	start := len(dst)
	dst = append(dst, word...)
	if len(word) <= 2 {
		return dst
	}
	for _, c := range word {
		if c < 'a' || c > 'z' {
			return dst
		}
	}
	if to, ok := irregular[string(word)]; ok {
		return append(dst[:start], to...)
	}
	s := &stemmer{b: dst[start:]}
	s.markY()
	s.regions()
	s.step1a()
	if invariant[string(s.b)] {
		return dst[:start+len(s.b)]
	}
	s.step1b()
	s.step1c()
	s.step2()
	s.step3()
	s.step4()
	s.step5()
	for i, c := range s.b {
		if c == 'Y' {
			s.b[i] = 'y'
		}
	}
	return append(dst[:start], s.b...)
}

// irregular and invariant are the algorithm's lists of exceptions, before
// all steps and after step 1a.
var irregular = map[string]string{
	"skis": "ski", "skies": "sky", "idly": "idl", "gently": "gentl", "ugly": "ugli",
	"early": "earli", "only": "onli", "singly": "singl",
	"sky": "sky", "news": "news", "howe": "howe", "atlas": "atlas", "cosmos": "cosmos",
	"bias": "bias", "andes": "andes",
}

var invariant = map[string]bool{
	"inning": true, "outing": true, "canning": true, "herring": true, "earring": true, "evening": true,
	"proceed": true, "exceed": true, "succeed": true,
}

// stemmer holds a word while it is shortened. In b, a y that is a consonant is written as Y.
type stemmer struct {
	b      []byte
	r1, r2 int // start of the regions R1 and R2
}

func vowel(c byte) bool {
	switch c {
	case 'a', 'e', 'i', 'o', 'u', 'y':
		return true
	}
	return false
}

func (s *stemmer) markY() {
	for i, c := range s.b {
		if c == 'y' && (i == 0 || vowel(s.b[i-1])) {
			s.b[i] = 'Y'
		}
	}
}

func (s *stemmer) regions() {
	s.r1 = 0
	for _, prefix := range []string{"gener", "commun", "arsen", "past", "univers", "later", "emerg", "organ", "inter"} {
		if len(s.b) >= len(prefix) && string(s.b[:len(prefix)]) == prefix {
			s.r1 = len(prefix)
		}
	}
	if s.r1 == 0 {
		s.r1 = s.region(0)
	}
	s.r2 = s.region(s.r1)
}

// region returns the position after the first consonant that follows a vowel, searching from
// i.
func (s *stemmer) region(i int) int {
	for ; i+1 < len(s.b); i++ {
		if vowel(s.b[i]) && !vowel(s.b[i+1]) {
			return i + 2
		}
	}
	return len(s.b)
}

func (s *stemmer) ends(suffix string) bool {
	return len(s.b) >= len(suffix) && string(s.b[len(s.b)-len(suffix):]) == suffix
}

func (s *stemmer) cut(n int) { s.b = s.b[:len(s.b)-n] }

// replace replaces the last n bytes with to. append may reallocate the slice.
func (s *stemmer) replace(n int, to string) { s.b = append(s.b[:len(s.b)-n], to...) }

// hasVowel reports whether there is a vowel before the last n bytes.
func (s *stemmer) hasVowel(n int) bool {
	for _, c := range s.b[:max(len(s.b)-n, 0)] {
		if vowel(c) {
			return true
		}
	}
	return false
}

// short reports whether the word ends in a short syllable and R1 is empty.
func (s *stemmer) short() bool { return s.r1 >= len(s.b) && s.shortSyllable(len(s.b)) }

// shortSyllable reports whether b[:n] ends in a short syllable.
func (s *stemmer) shortSyllable(n int) bool {
	b := s.b[:n]
	if n == 2 {
		return vowel(b[0]) && !vowel(b[1])
	}
	if n >= 3 && !vowel(b[n-3]) && vowel(b[n-2]) && !vowel(b[n-1]) {
		c := b[n-1]
		return c != 'w' && c != 'x' && c != 'Y'
	}
	return n == 4 && string(b) == "past"
}

func (s *stemmer) step1a() {
	switch {
	case s.ends("sses"):
		s.cut(2)
	case s.ends("ied"), s.ends("ies"):
		if len(s.b) > 4 {
			s.cut(2)
		} else {
			s.cut(1)
		}
	case s.ends("us"), s.ends("ss"):
	case s.ends("s") && s.hasVowel(2):
		s.cut(1)
	}
}

func (s *stemmer) step1b() {
	n := 0
	switch {
	case s.ends("eedly"):
		n = 5
	case s.ends("eed"):
		n = 3
	}
	if n > 0 {
		if len(s.b)-n >= s.r1 {
			s.replace(n, "ee")
		}
		return
	}
	switch {
	case s.ends("ingly"):
		n = 5
	case s.ends("edly"):
		n = 4
	case s.ends("ing"):
		n = 3
	case s.ends("ed"):
		n = 2
	default:
		return
	}
	if s.ends("ying") && len(s.b) == 5 && !vowel(s.b[0]) {
		s.replace(4, "ie") // dying, lying, tying
		return
	}
	if !s.hasVowel(n) {
		return
	}
	s.cut(n)
	switch {
	case s.ends("at"), s.ends("bl"), s.ends("iz"):
		s.b = append(s.b, 'e')
	case s.double():
		// add, egg and off keep both letters.
		if c := s.b[0]; len(s.b) != 3 || c != 'a' && c != 'e' && c != 'o' {
			s.cut(1)
		}
	case s.short():
		s.b = append(s.b, 'e')
	}
}

// double reports whether the word ends in one of the doubled consonants.
func (s *stemmer) double() bool {
	n := len(s.b)
	if n < 2 || s.b[n-1] != s.b[n-2] {
		return false
	}
	switch s.b[n-1] {
	case 'b', 'd', 'f', 'g', 'm', 'n', 'p', 'r', 't':
		return true
	}
	return false
}

func (s *stemmer) step1c() {
	n := len(s.b)
	if n > 2 && (s.b[n-1] == 'y' || s.b[n-1] == 'Y') && !vowel(s.b[n-2]) {
		s.b[n-1] = 'i'
	}
}

// rule replaces a suffix.
type rule struct{ suffix, to string }

// step2Rules and the other rules are ordered so that of two suffixes with the same ending
// the longer one is tried first.
var step2Rules = []rule{
	{"ization", "ize"}, {"ational", "ate"}, {"fulness", "ful"}, {"ousness", "ous"}, {"iveness", "ive"},
	{"tional", "tion"}, {"biliti", "ble"}, {"lessli", "less"}, {"entli", "ent"}, {"ation", "ate"},
	{"alism", "al"}, {"aliti", "al"}, {"ousli", "ous"}, {"iviti", "ive"}, {"fulli", "ful"},
	{"enci", "ence"}, {"anci", "ance"}, {"abli", "able"}, {"izer", "ize"}, {"ator", "ate"}, {"alli", "al"},
	{"ogist", "og"}, {"bli", "ble"},
}

var step3Rules = []rule{
	{"ational", "ate"}, {"tional", "tion"}, {"alize", "al"}, {"icate", "ic"}, {"iciti", "ic"}, {"ical", "ic"},
	{"ness", ""}, {"ful", ""},
}

var step4Suffixes = []string{
	"ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize",
	"al", "er", "ic",
}

func (s *stemmer) step2() {
	for _, r := range step2Rules {
		if s.ends(r.suffix) {
			if len(s.b)-len(r.suffix) >= s.r1 {
				s.replace(len(r.suffix), r.to)
			}
			return
		}
	}
	n := len(s.b)
	switch {
	case s.ends("ogi"):
		if n-3 >= s.r1 && n > 3 && s.b[n-4] == 'l' {
			s.cut(1)
		}
	case s.ends("li"):
		if n-2 >= s.r1 && n > 2 && liEnding(s.b[n-3]) {
			s.cut(2)
		}
	}
}

func liEnding(c byte) bool {
	switch c {
	case 'c', 'd', 'e', 'g', 'h', 'k', 'm', 'n', 'r', 't':
		return true
	}
	return false
}

func (s *stemmer) step3() {
	for _, r := range step3Rules {
		if s.ends(r.suffix) {
			if len(s.b)-len(r.suffix) >= s.r1 {
				s.replace(len(r.suffix), r.to)
			}
			return
		}
	}
	if s.ends("ative") && len(s.b)-5 >= s.r2 {
		s.cut(5)
	}
}

func (s *stemmer) step4() {
	for _, suffix := range step4Suffixes {
		if s.ends(suffix) {
			if len(s.b)-len(suffix) >= s.r2 {
				s.cut(len(suffix))
			}
			return
		}
	}
	if n := len(s.b); s.ends("ion") && n-3 >= s.r2 && n > 3 && (s.b[n-4] == 's' || s.b[n-4] == 't') {
		s.cut(3)
	}
}

func (s *stemmer) step5() {
	n := len(s.b)
	switch {
	case s.ends("e"):
		if n-1 >= s.r2 || n-1 >= s.r1 && !s.shortSyllable(n-1) {
			s.cut(1)
		}
	case s.ends("l"):
		if n-1 >= s.r2 && s.b[n-2] == 'l' {
			s.cut(1)
		}
	}
}
