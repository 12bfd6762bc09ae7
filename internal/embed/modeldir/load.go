package modeldir

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/cairn-kb/cairn/internal/embed/kernel"
	"github.com/cairn-kb/cairn/internal/embed/model"
	"github.com/cairn-kb/cairn/internal/embed/tokenizer"
	"github.com/cairn-kb/cairn/internal/kb"
)

// loadTokenizer reads tokenizer.json, or what came before it.
func loadTokenizer(dir fs.FS, c config) (*tokenizer.Tokenizer, error) {
	words, rules, err := readTokenizerJSON(dir)
	if errors.Is(err, fs.ErrNotExist) {
		words, rules, err = readVocabulary(dir)
	}
	if err != nil {
		return nil, err
	}
	// An embedding is looked up for each word, so there must be as many.
	if n := strings.Count(words, "\n"); n > c.info.Vocabulary {
		return nil, kb.Errorf(kb.Invalid, "the tokenizer has %d words, the model %d", n, c.info.Vocabulary)
	}
	if c.lowercase {
		rules.KeepCase = false
	}
	t, err := tokenizer.NewWith(words, rules)
	if err != nil {
		return nil, err
	}
	if n := max(t.Count(c.queryPrefix), t.Count(c.passagePrefix)); n+tokenizer.Specials >= c.maxTokens {
		return nil, kb.Errorf(kb.Invalid, "a prefix of %d tokens leaves no room for text in a model that takes %d", n, c.maxTokens)
	}
	return t, nil
}

func readTokenizerJSON(dir fs.FS) (words string, rules tokenizer.Rules, err error) {
	b, err := readFile(dir, tokenizerFile, maxVocabulary)
	if err != nil {
		return "", rules, err
	}
	return tokenizer.ReadJSON(b)
}

// readVocabulary reads vocab.txt, a word a line, and the rules beside it.
func readVocabulary(dir fs.FS) (words string, rules tokenizer.Rules, err error) {
	b, err := readFile(dir, vocabFile, maxVocabulary)
	if errors.Is(err, fs.ErrNotExist) {
		return "", rules, kb.Errorf(kb.NotFound, "the model's directory has neither %s nor %s", tokenizerFile, vocabFile)
	}
	if err != nil {
		return "", rules, err
	}
	f := struct {
		Lowercase    bool  `json:"do_lower_case"`
		StripAccents *bool `json:"strip_accents"`
		Chinese      bool  `json:"tokenize_chinese_chars"`
	}{Lowercase: true, Chinese: true}
	if _, err := readJSON(dir, rulesFile, &f); err != nil {
		return "", rules, err
	}
	if !f.Chinese {
		return "", rules, unsupported("its tokenizer does not split ideographs")
	}
	words = strings.ReplaceAll(strings.TrimRight(string(b), "\r\n"), "\r\n", "\n") + "\n"
	return words, tokenizer.RulesFor(f.Lowercase, f.StripAccents), nil
}

// loadModel reads the weights.
func loadModel(dir fs.FS, c config, k kernel.Set, threads int) (m *model.Model, err error) {
	file, err := openWeights(dir, "")
	if err != nil {
		return nil, err
	}
	defer func() {
		if cerr := file.close(); err == nil && cerr != nil {
			m, err = nil, cerr
		}
	}()
	w, err := model.WeightsFrom(c.info, c.tensors(file))
	if err != nil {
		return nil, err
	}
	return model.FromWeights(c.info, w, k, threads)
}
