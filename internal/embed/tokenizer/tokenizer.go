package tokenizer

import (
	"strings"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/kb"
)

// maxWordRunes is the length above which the reference gives up on a word and
// calls it unknown.
const maxWordRunes = 100

// Specials is how many special tokens Encode puts around a text.
const Specials = 2

// special are the tokens that the reference also finds when they are spelled
// out in a text.
var special = []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}

// Tokenizer holds a vocabulary.
type Tokenizer struct {
	rules   Rules
	classes *classTable
	words   *vocabulary
	special map[string]int32
	unknown int32
	first   int32 // [CLS]
	last    int32 // [SEP]
}

// New makes a tokenizer of uncased text from a vocabulary: words in the order
// of their ids, a line feed after each. One without BERT's special tokens
// gives kb.Invalid.
func New(vocabulary string) (*Tokenizer, error) { return NewWith(vocabulary, Rules{}) }

// NewWith is New with other rules.
func NewWith(vocabulary string, rules Rules) (*Tokenizer, error) {
	t := &Tokenizer{
		rules:   rules,
		classes: classes(),
		words:   newVocabulary(vocabulary),
		special: make(map[string]int32, len(special)),
	}
	for _, s := range special {
		at, ok := t.words.id(s)
		if !ok {
			return nil, kb.Errorf(kb.Invalid, "the vocabulary has no %s", s)
		}
		t.special[s] = at
	}
	t.unknown, t.first, t.last = t.special["[UNK]"], t.special["[CLS]"], t.special["[SEP]"]
	return t, nil
}

// Encode returns the ids of a text between the special tokens, however long.
func (t *Tokenizer) Encode(text string) []int32 {
	ids := make([]int32, 1, len(text)/4+Specials)
	ids[0] = t.first
	ids = t.appendText(ids, text)
	return append(ids, t.last)
}

// Count returns how many tokens a text has, without the special tokens that
// Encode adds.
func (t *Tokenizer) Count(text string) int {
	return len(t.appendText(make([]int32, 0, len(text)/4), text))
}

// appendText appends the ids of a text in which special tokens may be spelled.
func (t *Tokenizer) appendText(ids []int32, text string) []int32 {
	for {
		before, token, after := cutSpecial(text)
		ids = t.appendPlain(ids, before)
		if token == "" {
			return ids
		}
		ids = append(ids, t.special[token])
		text = after
	}
}

// cutSpecial splits a text at the first special token in it.
func cutSpecial(text string) (before, token, after string) {
	for at := 0; ; at++ {
		next := strings.IndexByte(text[at:], '[')
		if next < 0 {
			return text, "", ""
		}
		at += next
		for _, s := range special {
			if strings.HasPrefix(text[at:], s) {
				return text[:at], s, text[at+len(s):]
			}
		}
	}
}

// appendPlain appends the ids of a text without special tokens.
func (t *Tokenizer) appendPlain(ids []int32, text string) []int32 {
	text = t.classes.normalize(text, t.rules)
	start := 0
	for i, r := range text {
		kind := t.classes.of(r)
		if kind == keep || kind == drop { // only marks are left to drop, if they are kept
			continue
		}
		ids = t.appendWord(ids, text[start:i])
		start = i + utf8.RuneLen(r)
		if kind == split {
			ids = t.appendWord(ids, text[i:start])
		}
	}
	return t.appendWord(ids, text[start:])
}

// appendWord appends the ids of the longest pieces that make up a word, from
// its start, or the unknown token when there are none.
func (t *Tokenizer) appendWord(ids []int32, word string) []int32 {
	if word == "" {
		return ids
	}
	if len(word) > maxWordRunes && utf8.RuneCountInString(word) > maxWordRunes {
		return append(ids, t.unknown)
	}
	// A piece also matches at the start of a word that spells its ##;
	// punctuation is split off before, so none does.
	whole := len(ids)
	for rest := word; rest != ""; {
		id, size := t.words.longestStart(rest, len(rest) < len(word))
		if size == 0 {
			return append(ids[:whole], t.unknown)
		}
		ids = append(ids, id)
		rest = rest[size:]
	}
	return ids
}
