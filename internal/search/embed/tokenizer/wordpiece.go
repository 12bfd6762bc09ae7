package tokenizer

import (
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/kb"
)

// maxWordRunes is the length of words above which the reference returns the unknown token.
const maxWordRunes = 100

// special are the tokens that BERT's vocabulary must have.
var special = []string{"[PAD]", unknownWord, "[CLS]", "[SEP]", "[MASK]"}

const unknownWord = "[UNK]"

// wordPiece splits words into the longest known pieces.
type wordPiece struct {
	rules   Rules
	classes *classTable
	words   *vocabulary
	unknown int32
}

// New makes a tokenizer of uncased text from a vocabulary: words in the order of their ids,
// each with a line feed after it. A vocabulary without BERT's special tokens is kb.Invalid.
func New(vocabulary string) (*Tokenizer, error) { return NewWith(vocabulary, Rules{}) }

// NewWith is New with other rules.
func NewWith(vocabulary string, rules Rules) (*Tokenizer, error) {
	words := newVocabulary(vocabulary)
	ids := map[string]int32{}
	var found []added
	for _, s := range special {
		id, ok := words.id(s)
		if !ok {
			return nil, kb.Errorf(kb.Invalid, "the vocabulary has no %s", s)
		}
		ids[s] = id
		found = append(found, added{id: id, text: s})
	}
	return &Tokenizer{
		raw: newSpelled(found), scheme: newWordPiece(words, rules, ids[unknownWord]),
		first: ids["[CLS]"], last: ids["[SEP]"], size: len(words.ends),
	}, nil
}

func newWordPiece(words *vocabulary, rules Rules, unknown int32) *wordPiece {
	return &wordPiece{rules: rules, classes: classes(), words: words, unknown: unknown}
}

func (w *wordPiece) normalize(text string) string { return w.classes.normalize(text, w.rules) }

func (w *wordPiece) appendIDs(ids []int32, text string) []int32 {
	start := 0
	for i, r := range text {
		kind := w.classes.of(r)
		if kind == keep || kind == drop { // marks can only occur if they are kept
			continue
		}
		ids = w.appendWord(ids, text[start:i])
		start = i + utf8.RuneLen(r)
		if kind == split {
			ids = w.appendWord(ids, text[i:start])
		}
	}
	return w.appendWord(ids, text[start:])
}

// appendWord appends the ids of the longest pieces of a word, from its start, or the unknown
// token if that fails.
func (w *wordPiece) appendWord(ids []int32, word string) []int32 {
	if word == "" {
		return ids
	}
	if len(word) > maxWordRunes && utf8.RuneCountInString(word) > maxWordRunes {
		return append(ids, w.unknown)
	}
	// A piece would also match at the start of a word that contains its ##, but punctuation
	// is split off before.
	whole := len(ids)
	for rest := word; rest != ""; {
		id, size := w.words.longestStart(rest, len(rest) < len(word))
		if size == 0 {
			return append(ids[:whole], w.unknown)
		}
		ids = append(ids, id)
		rest = rest[size:]
	}
	return ids
}
