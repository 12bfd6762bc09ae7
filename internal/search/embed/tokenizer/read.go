package tokenizer

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

const (
	// maxSize bounds the ids, and thus the memory that a hostile file can request; the
	// largest vocabularies of encoders have half a million words.
	maxSize = 1 << 20
	// maxAdded bounds the added tokens, each of which is searched for in texts.
	maxAdded = 4096
)

// worksHint lists the supported tokenizers.
const worksHint = "choose a model with a WordPiece, Unigram (SentencePiece) or byte-level BPE tokenizer, " +
	"or run this one with Ollama or an OpenAI-compatible server"

// Read makes a tokenizer from a tokenizer.json. If lowercase is set, a tokenizer that does
// not fold case does so. An unreadable file is kb.Damaged, a tokenizer that is not supported
// kb.Invalid.
func Read(file []byte, lowercase bool) (*Tokenizer, error) {
	var f tokenizerFile
	if err := decode(file, &f); err != nil {
		return nil, err
	}
	kind := f.kind()
	if kind == "WordPiece" {
		return f.wordPiece(file, lowercase)
	}
	if lowercase {
		return nil, refused("folds case before a tokenizer of the kind %.40q", kind)
	}
	t := &Tokenizer{}
	var err error
	switch kind {
	case "Unigram":
		err = f.unigram(t)
	case "BPE":
		err = f.bytePairs(t)
	default:
		err = refused("is of the kind %.40q", kind)
	}
	if err != nil {
		return nil, err
	}
	return t, f.addSpecials(t)
}

// tokenizerFile is the relevant part of a tokenizer.json.
type tokenizerFile struct {
	Added []struct {
		ID         int    `json:"id"`
		Content    string `json:"content"`
		SingleWord bool   `json:"single_word"`
		Left       bool   `json:"lstrip"`
		Right      bool   `json:"rstrip"`
		Normalized bool   `json:"normalized"`
	} `json:"added_tokens"`
	Normalizer    json.RawMessage `json:"normalizer"`
	PreTokenizer  json.RawMessage `json:"pre_tokenizer"`
	PostProcessor json.RawMessage `json:"post_processor"`
	Model         struct {
		Type    string          `json:"type"`
		Longest *int            `json:"max_input_chars_per_word"`
		Unknown *int            `json:"unk_id"`
		ByBytes bool            `json:"byte_fallback"`
		Dropout *float64        `json:"dropout"`
		Inside  string          `json:"continuing_subword_prefix"`
		End     string          `json:"end_of_word_suffix"`
		Whole   bool            `json:"ignore_merges"`
		Vocab   json.RawMessage `json:"vocab"`
		Merges  json.RawMessage `json:"merges"`
	} `json:"model"`
}

// kind returns the type of the model. Files from 2020 lack it; they are recognised by fields
// that only one of the types has.
func (f *tokenizerFile) kind() string {
	switch m := f.Model; {
	case m.Type != "":
		return m.Type
	case !isNull(m.Merges):
		return "BPE"
	case m.Unknown != nil:
		return "Unigram"
	case m.Longest != nil:
		return "WordPiece"
	}
	return ""
}

// wordPiece makes BERT's tokenizer, with the special tokens of the file if it has any.
func (f *tokenizerFile) wordPiece(file []byte, lowercase bool) (*Tokenizer, error) {
	text, rules, err := ReadJSON(file)
	if err != nil {
		return nil, err
	}
	if lowercase {
		rules.KeepCase = false
	}
	if isNull(f.PostProcessor) {
		return NewWith(text, rules)
	}
	words := newVocabulary(text)
	unknown, ok := words.id(unknownWord)
	if !ok {
		return nil, kb.Errorf(kb.Invalid, "the vocabulary has no %s", unknownWord)
	}
	t := &Tokenizer{scheme: newWordPiece(words, rules, unknown), size: len(words.ends)}
	return t, f.addSpecials(t)
}

func (f *tokenizerFile) unigram(t *Tokenizer) error {
	if f.Model.Unknown == nil {
		return refused("is a Unigram without an unknown piece")
	}
	var vocab [][2]any
	d := json.NewDecoder(bytes.NewReader(f.Model.Vocab))
	d.UseNumber()
	if err := d.Decode(&vocab); err != nil {
		return unreadable(err)
	}
	if len(vocab) > maxSize {
		return refused("has %d pieces, more than %d", len(vocab), maxSize)
	}
	pieces := make([]scoredPiece, len(vocab))
	for i, v := range vocab {
		text, ok1 := v[0].(string)
		number, ok2 := v[1].(json.Number)
		value, err := score(string(number))
		if !ok1 || !ok2 || err != nil {
			return kb.Errorf(kb.Damaged, "piece %d of tokenizer.json is not a text with its score", i)
		}
		pieces[i] = scoredPiece{text, value}
	}
	u, err := newUnigram(pieces, *f.Model.Unknown, f.Model.ByBytes)
	if err != nil {
		return err
	}
	if u.normalizers, err = readNormalizers(f.Normalizer); err != nil {
		return err
	}
	if u.spaces, err = readWordStarts(f.PreTokenizer); err != nil {
		return err
	}
	t.scheme, t.size = u, len(pieces)
	return nil
}

func (f *tokenizerFile) bytePairs(t *Tokenizer) error {
	prefix, err := readByteLevel(f.PreTokenizer)
	if err != nil {
		return err
	}
	m := f.Model
	if m.Inside != "" || m.End != "" || m.Dropout != nil && *m.Dropout != 0 {
		return refused("is a BPE that marks the parts of words, or splits them by chance")
	}
	var words map[string]int32
	var rawMerges []json.RawMessage
	if err := decode(m.Vocab, &words); err != nil {
		return err
	}
	if err := decode(m.Merges, &rawMerges); err != nil {
		return err
	}
	if len(words) > maxSize {
		return refused("has %d tokens, more than %d", len(words), maxSize)
	}
	for word, id := range words {
		if id < 0 || id >= maxSize {
			return kb.Errorf(kb.Damaged, "token %.60q of tokenizer.json has the id %d", word, id)
		}
		t.size = max(t.size, int(id)+1)
	}
	merges := make([][2]string, len(rawMerges))
	for i, raw := range rawMerges {
		if merges[i], err = readMerge(raw); err != nil {
			return err
		}
	}
	b, err := newBytePairs(words, merges, m.Whole)
	if err != nil {
		return err
	}
	b.prefix = prefix
	if b.normalizers, err = readNormalizers(f.Normalizer); err != nil {
		return err
	}
	t.scheme = b
	return nil
}

// readMerge reads a merge in the newer form, ["a","b"], or the older one, "a b".
func readMerge(raw json.RawMessage) (m [2]string, err error) {
	if len(raw) > 0 && raw[0] == '[' {
		err = decode(raw, &m)
		return m, err
	}
	var both string
	if err := decode(raw, &both); err != nil {
		return m, err
	}
	left, right, ok := strings.Cut(both, " ")
	if !ok {
		return m, kb.Errorf(kb.Damaged, "tokenizer.json has a merge %.60q", both)
	}
	return [2]string{left, right}, nil
}

// addSpecials adds the tokens that may be spelled out in texts, and those around texts.
func (f *tokenizerFile) addSpecials(t *Tokenizer) error {
	if len(f.Added) > maxAdded {
		return refused("has %d added tokens, more than %d", len(f.Added), maxAdded)
	}
	ids := map[string]int32{}
	var raw, folded []added
	for _, a := range f.Added {
		switch {
		case a.Content == "" || a.ID < 0 || a.ID >= maxSize:
			return kb.Errorf(kb.Damaged, "tokenizer.json has an added token %.60q with the id %d", a.Content, a.ID)
		case a.SingleWord:
			return refused("has an added token %.60q that must be a word of its own", a.Content)
		}
		t.size = max(t.size, a.ID+1)
		ids[a.Content] = int32(a.ID)
		token := added{id: int32(a.ID), text: a.Content, left: a.Left, right: a.Right}
		if !a.Normalized {
			raw = append(raw, token)
		} else if token.text = t.scheme.normalize(token.text); token.text != "" {
			folded = append(folded, token)
		}
	}
	t.raw = newSpelled(raw)
	if len(folded) > 0 {
		t.folded = newSpelled(folded)
	}
	first, last, err := readAround(f.PostProcessor)
	if err != nil {
		return err
	}
	for _, id := range []int{first, last} {
		if id < 0 || id >= t.size {
			return kb.Errorf(kb.Damaged, "tokenizer.json puts token %d of %d around a text", id, t.size)
		}
	}
	t.first, t.last = int32(first), int32(last)
	return nil
}

// decode decodes a part of tokenizer.json.
func decode(raw []byte, v any) error {
	if err := json.Unmarshal(raw, v); err != nil {
		return unreadable(err)
	}
	return nil
}

func unreadable(err error) error {
	return kb.Errorf(kb.Damaged, "tokenizer.json cannot be read: %w", err)
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

func refused(format string, args ...any) error {
	err := kb.Errorf(kb.Invalid, format, args...)
	err.Message = "the tokenizer cannot run here: it " + err.Message
	return err.WithHint(worksHint)
}
