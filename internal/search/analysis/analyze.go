package analysis

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Token is an occurrence of a term.
type Token struct {
	Term       []byte // valid until the callback returns
	Pos        int    // number of the word in the text, from 0
	Start, End int    // byte range in the text
	Single     bool   // in a query: a single character, which terms may start with
}

// Analyzer finds terms. Its zero value is ready; it is not safe for concurrent
// use.
type Analyzer struct {
	text  string
	query bool
	emit  func(Token)
	pos   int
	fold  folder
	term  []byte
}

// Document calls emit for each term of a document's text, and returns the number of
// positions used. Two terms may share a position.
func (a *Analyzer) Document(text string, emit func(Token)) int {
	return a.run(text, false, emit)
}

// Query calls emit for the terms that a document must have to contain text. It works like
// Document, but emits at most one term for each position.
func (a *Analyzer) Query(text string, emit func(Token)) int {
	return a.run(text, true, emit)
}

func (a *Analyzer) run(text string, query bool, emit func(Token)) int {
	a.text, a.query, a.emit, a.pos = text, query, emit, 0
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case asciiWord[c] != 0:
			i = a.word(i)
		case c == '.':
			i = a.dotName(i)
		case c < utf8.RuneSelf:
			i++
		default:
			r, size := utf8.DecodeRuneInString(text[i:])
			switch classOf(r) {
			case letter:
				i = a.word(i)
			case unspaced:
				i = a.pairs(i)
			case pictograph:
				a.emit(Token{Term: []byte(text[i : i+size]), Pos: a.pos, Start: i, End: i + size})
				a.pos++
				i += size
			default:
				i += size
			}
		}
	}
	return a.pos
}

// asciiWord maps ASCII letters and digits to themselves in lower case, and
// all else to 0.
var asciiWord = func() (t [256]byte) {
	for c := byte('0'); c <= '9'; c++ {
		t[c] = c
	}
	for c := byte('a'); c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = c, c
	}
	return t
}()

// word reads the word at i and returns the position after it.
func (a *Analyzer) word(i int) int {
	term, end := a.term[:0], i
	for end < len(a.text) {
		c := asciiWord[a.text[end]]
		if c == 0 {
			break
		}
		if len(term) < MaxTerm {
			term = append(term, c)
		}
		end++
	}
	a.term = term
	if end < len(a.text) && a.text[end] >= utf8.RuneSelf && wordGoesOn(a.text[end:]) {
		return a.foldedWord(i, end)
	}
	if next, ok := a.signedName(i, end); ok {
		return next
	}
	a.emit(Token{Term: term, Pos: a.pos, Start: i, End: end})
	a.pos++
	return a.possessive(end)
}

// foldedWord reads the word that starts at i; its bytes from end on are not all ASCII.
func (a *Analyzer) foldedWord(i, end int) int {
	for end < len(a.text) && wordGoesOn(a.text[end:]) {
		_, size := utf8.DecodeRuneInString(a.text[end:])
		end += size
	}
	a.term = a.fold.append(a.term[:0], a.text[i:end])
	if len(a.term) > 0 {
		a.emit(Token{Term: a.term, Pos: a.pos, Start: i, End: end})
		a.pos++
	}
	return a.possessive(end)
}

// wordGoesOn reports whether text starts with a letter, a digit or a mark.
func wordGoesOn(text string) bool {
	if text[0] < utf8.RuneSelf {
		return asciiWord[text[0]] != 0
	}
	r, _ := utf8.DecodeRuneInString(text)
	k := classOf(r)
	return k == letter || k == mark
}

// startsWord reports whether a word starts at i.
func (a *Analyzer) startsWord(i int) bool {
	return i < len(a.text) && wordGoesOn(a.text[i:])
}

// possessive returns the end of a possessive 's at i, or i.
func (a *Analyzer) possessive(i int) int {
	rest := a.text[i:]
	n := 0
	switch {
	case len(rest) > 1 && rest[0] == '\'':
		n = 1
	case len(rest) > 3 && rest[:3] == "’":
		n = 3
	default:
		return i
	}
	if rest[n]|0x20 != 's' || a.startsWord(i+n+1) {
		return i
	}
	return i + n + 1
}

// signedName reads the signs after the ASCII word [i, end) if they belong to it: one letter
// with ++ or # (C++, F#), or a longer word with ++ (notepad++), which a document also
// contains without them.
func (a *Analyzer) signedName(i, end int) (int, bool) {
	rest := a.text[end:]
	one := end-i == 1 && a.term[0] > '9'
	signs := 0
	switch {
	case len(rest) >= 2 && rest[:2] == "++" && (one || end-i > 1 && !a.startsWord(end+2)):
		signs = 2
	case one && len(rest) >= 1 && rest[0] == '#' && !a.startsWord(end+1):
		signs = 1
	default:
		return 0, false
	}
	if !one && !a.query {
		a.emit(Token{Term: a.term, Pos: a.pos, Start: i, End: end})
	}
	a.term = append(a.term, rest[:signs]...)
	if len(a.term) > MaxTerm {
		a.term = a.term[:MaxTerm]
	}
	a.emit(Token{Term: a.term, Pos: a.pos, Start: i, End: end + signs})
	a.pos++
	return end + signs, true
}

// dotName reads .net at the dot at i. Other dotted names are found by their parts.
func (a *Analyzer) dotName(i int) int {
	const name = ".net"
	if len(a.text) < i+len(name) || a.startsWord(i+len(name)) || i > 0 && wordEnds(a.text[:i]) {
		return i + 1
	}
	a.term = append(a.term[:0], '.')
	for j := i + 1; j < i+len(name); j++ {
		a.term = append(a.term, asciiWord[a.text[j]])
	}
	if string(a.term) != name {
		return i + 1
	}
	if !a.query {
		a.emit(Token{Term: a.term[1:], Pos: a.pos, Start: i + 1, End: i + len(name)})
	}
	a.emit(Token{Term: a.term, Pos: a.pos, Start: i, End: i + len(name)})
	a.pos++
	return i + len(name)
}

// wordEnds reports whether text ends in a letter, a digit or a mark.
func wordEnds(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	if r < utf8.RuneSelf {
		return asciiWord[byte(r)] != 0
	}
	k := classOf(r)
	return k == letter || k == mark
}

// pairs reads a run of a script without spaces at i. A character is read together with its
// marks, as in normalisation.
func (a *Analyzer) pairs(i int) int {
	end := i
	for end < len(a.text) {
		r, size := utf8.DecodeRuneInString(a.text[end:])
		if r < utf8.RuneSelf || classOf(r) != unspaced {
			break
		}
		end += size
	}
	var it norm.Iter
	it.InitString(norm.NFKC, a.text[i:end])
	var last []byte
	lastStart, n := 0, 0
	for !it.Done() {
		start := i + it.Pos()
		char := it.Next()
		if n > 0 {
			a.term = append(append(a.term[:0], last...), char...)
			a.emit(Token{Term: cut(a.term), Pos: a.pos, Start: lastStart, End: i + it.Pos()})
			a.pos++
		}
		last = append(last[:0], char...)
		lastStart = start
		n++
	}
	if !a.query || n == 1 {
		a.emit(Token{Term: cut(last), Pos: a.pos, Start: lastStart, End: end, Single: a.query})
	}
	a.pos++
	return end
}

// cut shortens a term to MaxTerm, at a character's end.
func cut(term []byte) []byte {
	if len(term) <= MaxTerm {
		return term
	}
	n := MaxTerm
	for n > 0 && !utf8.RuneStart(term[n]) {
		n--
	}
	return term[:n]
}

// class is the kind of a character.
type class uint8

const (
	separator class = iota
	letter          // or digit
	mark            // continues a word but does not start one
	unspaced
	pictograph
)

// classOf returns the class of a character that is not ASCII.
func classOf(r rune) class {
	switch {
	case inUnspaced(r):
		return unspaced
	case unicode.IsLetter(r) || unicode.IsNumber(r):
		return letter
	case unicode.Is(unicode.M, r):
		return mark
	case inPictographs(r) && unicode.Is(unicode.So, r):
		return pictograph
	}
	return separator
}

// HasUnspaced reports whether a text has letters of a script that does not put spaces
// between words.
func HasUnspaced(text string) bool { return strings.ContainsFunc(text, inUnspaced) }

// inUnspaced reports whether r is a letter, mark or number of a script without spaces
// between words. Hangul has spaces, but attaches particles to words.
func inUnspaced(r rune) bool {
	if r < 0x0E00 {
		return false
	}
	for _, b := range unspacedBlocks {
		if r < b[0] {
			return false
		}
		if r <= b[1] {
			return unicode.In(r, unicode.L, unicode.M, unicode.N)
		}
	}
	return false
}

var unspacedBlocks = [...][2]rune{
	{0x0E00, 0x0EFF},   // Thai, Lao
	{0x1000, 0x109F},   // Myanmar
	{0x1100, 0x11FF},   // Hangul letters
	{0x1780, 0x17FF},   // Khmer
	{0x2E80, 0x2FDF},   // Han radicals
	{0x3005, 0x3029},   // Han iteration mark and numerals
	{0x3041, 0x30FF},   // kana
	{0x3131, 0x318F},   // Hangul letters
	{0x31F0, 0x31FF},   // kana
	{0x3400, 0x4DBF},   // Han
	{0x4E00, 0x9FFF},   // Han
	{0xA960, 0xA97F},   // Hangul letters
	{0xAC00, 0xD7FF},   // Hangul
	{0xF900, 0xFAFF},   // Han
	{0xFF66, 0xFFDC},   // half-width kana and Hangul
	{0x1B000, 0x1B16F}, // kana
	{0x20000, 0x323AF}, // Han
}

// inPictographs reports whether r is in a block of pictographs, which people search for,
// unlike box drawing characters or trade marks.
func inPictographs(r rune) bool {
	return r >= 0x1F000 && r <= 0x1FBFF || r >= 0x2600 && r <= 0x27BF ||
		r >= 0x2B00 && r <= 0x2BFF || r >= 0x2300 && r <= 0x23FF
}
