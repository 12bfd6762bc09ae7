package query

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is the kind of a token.
type kind uint8

const (
	word kind = iota
	phrase
	open
	closing
	and
	or
	not // NOT, or the minus before a term
	filter
)

// token is a lexical unit. key and value are set for filters, including title: and name:
// with a value.
type token struct {
	kind   kind
	text   string
	key    string // known key, in lower case
	quoted bool   // whether the value was quoted
}

// maxWords bounds the work for one query: its tokens, and the words in them. Longer input is
// cut: nobody types it, and pasted documents are found by their first words.
const maxWords = 512

const tooLong = "the query is very long; only its first %d words were used"

const unpaired = "a quotation mark has no partner; it was left out"

// lexer splits cleaned input into tokens.
type lexer struct {
	rest   string
	notes  []string
	ofPart bool // input is the value of a filter for a part
}

// lex returns the tokens of input, and notes on input with an unexpected interpretation.
// ofPart means that input is the value of a filter for a part.
func lex(input string, ofPart bool) ([]token, []string) {
	l := &lexer{rest: clean(input), ofPart: ofPart}
	var tokens []token
	words := 0
	for {
		l.rest = strings.TrimLeft(l.rest, " ")
		if l.rest == "" {
			return tokens, l.notes
		}
		if len(tokens) == maxWords || words == maxWords {
			l.notes = append(l.notes, fmt.Sprintf(tooLong, maxWords))
			return tokens, l.notes
		}
		if t, ok := l.next(); ok {
			text, n := firstWords(t.text, maxWords-words)
			if words += n; text != t.text {
				l.notes = append(l.notes, fmt.Sprintf(tooLong, maxWords))
				t.text = text
				return append(tokens, t), l.notes
			}
			tokens = append(tokens, t)
		}
	}
}

// firstWords returns text up to its n-th word (n > 0), and the number of words in it. A word
// is a run of letters and digits, roughly as in analysis; in scripts without spaces each
// character is a word.
func firstWords(text string, n int) (string, int) {
	count, inside := 0, false
	for i, r := range text {
		wordy := unicode.IsLetter(r) || unicode.IsNumber(r) || inside && unicode.IsMark(r)
		unspaced := r >= 0x0E00 && wordy
		if wordy && (!inside || unspaced) {
			if count == n {
				return text[:i], count
			}
			count++
		}
		inside = wordy
	}
	return text, count
}

// clean converts input to valid UTF-8 with uniform spaces and quotes.
func clean(input string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '“' || r == '”' || r == '„':
			return '"'
		case unicode.IsSpace(r) || unicode.IsControl(r) || r == utf8.RuneError:
			return ' '
		}
		return r
	}, input)
}

// next reads a token from rest, which must not be empty or start with a space.
func (l *lexer) next() (token, bool) {
	switch l.rest[0] {
	case '(':
		l.rest = l.rest[1:]
		return token{kind: open}, true
	case ')':
		l.rest = l.rest[1:]
		return token{kind: closing}, true
	case '"':
		text, ok := l.quoted()
		if !ok {
			l.rest = l.rest[1:]
			l.notes = append(l.notes, unpaired)
			return token{}, false
		}
		return token{kind: phrase, text: text}, strings.TrimSpace(text) != ""
	case '[':
		if t, ok := l.bracket(); ok {
			return t, true
		}
	case '/':
		if t, ok := l.regex(); ok {
			return t, true
		}
	case '-':
		// Two minus signs start a command-line flag, which is text.
		if len(l.rest) > 1 && !strings.ContainsRune(" -)", rune(l.rest[1])) {
			l.rest = l.rest[1:]
			return token{kind: not}, true
		}
	}
	if t, ok := l.filter(); ok {
		return t, true
	}
	// If a filter has no value, the word before the space is text.
	switch text := l.word(); text {
	case "AND":
		return token{kind: and, text: text}, true
	case "OR":
		return token{kind: or, text: text}, true
	case "NOT":
		return token{kind: not, text: text}, true
	default:
		return token{kind: word, text: text}, text != ""
	}
}

// filter reads key:value for a known key that has a value.
func (l *lexer) filter() (token, bool) {
	colon := strings.IndexByte(l.rest, ':')
	if colon < 0 {
		return token{}, false
	}
	key := strings.ToLower(l.rest[:colon])
	switch Key(key) {
	case Type, Tag, Space, Path, Status, Wing, Where, Before, After, Permalink, InTitle, Category, Item, Title, Name, file, Line, Block, Section, Task, TaskTodo, TaskDone:
	default:
		return token{}, false
	}
	name := l.rest[:colon+1]
	l.rest = l.rest[colon+1:]
	if Key(key).ofPart() {
		if text, rest, ok := part(l.rest, Key(key).ofTask()); ok {
			l.rest = rest
			return token{kind: filter, key: key, text: text}, true
		}
		l.rest = name + l.rest
		return token{}, false
	}
	if condition, rest, ok := quotedValue(l.rest); ok && Key(key) == Where {
		l.rest = rest
		return token{kind: filter, key: key, text: condition}, true
	}
	for strings.HasPrefix(l.rest, `"`) {
		if text, ok := l.quoted(); !ok {
			l.rest = l.rest[1:]
			l.notes = append(l.notes, unpaired)
		} else if strings.TrimSpace(text) != "" {
			return token{kind: filter, key: key, text: text, quoted: true}, true
		}
	}
	text := l.word()
	if text == "" {
		l.rest = name + " " + l.rest
		return token{}, false
	}
	return token{kind: filter, key: key, text: text}, true
}

// quoted reads "text" if there is a closing mark.
func (l *lexer) quoted() (string, bool) {
	text, rest, ok := strings.Cut(l.rest[1:], `"`)
	if !ok {
		return "", false
	}
	l.rest = rest
	return text, true
}

// word reads up to a space or an unbalanced parenthesis: f(x) is one word, but the final
// parenthesis of (a OR b) is not part of b.
func (l *lexer) word() string {
	depth, opened := 0, 0
	end := len(l.rest)
scan:
	for i := 0; i < len(l.rest); i++ {
		switch l.rest[i] {
		case ' ':
			end = i
			break scan
		case '(':
			if depth == 0 {
				opened = i
			}
			depth++
		case ')':
			if depth == 0 {
				end = i
				break scan
			}
			depth--
		}
	}
	if depth > 0 {
		end = opened
	}
	text := l.rest[:end]
	l.rest = l.rest[end:]
	return text
}
