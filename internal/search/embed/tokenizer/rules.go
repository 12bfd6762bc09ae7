package tokenizer

import (
	"encoding/json"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Rules are the normalisation of a text before it is split. The zero Rules are
// those of uncased models.
type Rules struct {
	KeepCase    bool
	KeepAccents bool
}

// RulesFor returns the rules for two settings of BERT's tokenizers: without a setting for
// accents, they are stripped if case is folded.
func RulesFor(lowercase bool, stripAccents *bool) Rules {
	r := Rules{KeepCase: !lowercase, KeepAccents: !lowercase}
	if stripAccents != nil {
		r.KeepAccents = !*stripAccents
	}
	return r
}

// ReadJSON returns the vocabulary, in the form that New takes, and the rules from a
// tokenizer.json. An unreadable file is kb.Damaged, a tokenizer other than BERT's WordPiece
// kb.Invalid.
func ReadJSON(file []byte) (vocabulary string, rules Rules, err error) {
	f := jsonFile{}
	f.Normalizer.HandleChinese, f.Normalizer.CleanText = true, true
	f.Model.Prefix, f.Model.Unknown, f.Model.MaxRunes = "##", "[UNK]", maxWordRunes
	if err := json.Unmarshal(file, &f); err != nil {
		return "", Rules{}, kb.Errorf(kb.Damaged, "tokenizer.json cannot be read: %w", err)
	}
	if err := f.check(); err != nil {
		return "", Rules{}, err
	}
	words := make([]string, len(f.Model.Vocab))
	for word, id := range f.Model.Vocab {
		if id < 0 || id >= len(words) || words[id] != "" || word == "" || strings.ContainsRune(word, '\n') {
			return "", Rules{}, kb.Errorf(kb.Damaged, "word %.60q of tokenizer.json has no id of its own", word)
		}
		words[id] = word
	}
	return strings.Join(words, "\n") + "\n", RulesFor(f.Normalizer.Lowercase, f.Normalizer.StripAccents), nil
}

// jsonFile is the relevant part of a tokenizer.json.
type jsonFile struct {
	Normalizer struct {
		Type          string `json:"type"`
		Lowercase     bool   `json:"lowercase"`
		StripAccents  *bool  `json:"strip_accents"`
		HandleChinese bool   `json:"handle_chinese_chars"`
		CleanText     bool   `json:"clean_text"`
	} `json:"normalizer"`
	PreTokenizer struct {
		Type string `json:"type"`
	} `json:"pre_tokenizer"`
	Model struct {
		Type     string         `json:"type"`
		Unknown  string         `json:"unk_token"`
		Prefix   string         `json:"continuing_subword_prefix"`
		MaxRunes int            `json:"max_input_chars_per_word"`
		Vocab    map[string]int `json:"vocab"`
	} `json:"model"`
}

// check returns an error for tokenizers that are not supported here.
func (f *jsonFile) check() error {
	n, m := f.Normalizer, f.Model
	switch {
	case m.Type != "WordPiece" && m.Type != "" || m.Prefix != "##" || m.Unknown != "[UNK]" || m.MaxRunes != maxWordRunes:
	case n.Type != "BertNormalizer" || !n.HandleChinese || !n.CleanText:
	case f.PreTokenizer.Type != "BertPreTokenizer":
	default:
		return nil
	}
	return kb.Errorf(kb.Invalid, "the tokenizer is not BERT's WordPiece").
		WithHint("choose a model with a BERT tokenizer, or run this one with Ollama or an OpenAI-compatible server")
}
