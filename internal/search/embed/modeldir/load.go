package modeldir

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/embed/kernel"
	"github.com/cairn-kb/cairn/internal/search/embed/model"
	"github.com/cairn-kb/cairn/internal/search/embed/tokenizer"
)

// loadTokenizer reads tokenizer.json, or the files of its predecessors.
func loadTokenizer(dir fs.FS, c config) (*tokenizer.Tokenizer, error) {
	b, err := readFile(dir, tokenizerFile, maxVocabulary)
	var t *tokenizer.Tokenizer
	switch {
	case errors.Is(err, fs.ErrNotExist):
		t, err = readVocabulary(dir, c.lowercase)
	case err == nil:
		t, err = tokenizer.Read(b, c.lowercase)
	}
	if err != nil {
		return nil, err
	}
	// Embeddings are looked up by word id, so there must be enough of them.
	if t.Size() > c.info.Vocabulary {
		return nil, kb.Errorf(kb.Invalid, "the tokenizer has %d words, the model %d", t.Size(), c.info.Vocabulary)
	}
	if n := max(t.Count(c.queryPrefix), t.Count(c.passagePrefix)); n+tokenizer.Specials >= c.maxTokens {
		return nil, kb.Errorf(kb.Invalid, "a prefix of %d tokens leaves no room for text in a model that takes %d", n, c.maxTokens)
	}
	return t, nil
}

// readVocabulary reads vocab.txt, a word a line, and the rules in the same
// directory.
func readVocabulary(dir fs.FS, lowercase bool) (*tokenizer.Tokenizer, error) {
	b, err := readFile(dir, vocabFile, maxVocabulary)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, kb.Errorf(kb.NotFound, "the model's directory has neither %s nor %s", tokenizerFile, vocabFile).
			WithHint("Transformers writes %s when it saves a tokenizer of another file", tokenizerFile)
	}
	if err != nil {
		return nil, err
	}
	f := struct {
		Lowercase    bool  `json:"do_lower_case"`
		StripAccents *bool `json:"strip_accents"`
		Chinese      bool  `json:"tokenize_chinese_chars"`
	}{Lowercase: true, Chinese: true}
	if _, err := readJSON(dir, rulesFile, &f); err != nil {
		return nil, err
	}
	if !f.Chinese {
		return nil, unsupported("its tokenizer does not split ideographs")
	}
	rules := tokenizer.RulesFor(f.Lowercase, f.StripAccents)
	rules.KeepCase = rules.KeepCase && !lowercase
	words := strings.ReplaceAll(strings.TrimRight(string(b), "\r\n"), "\r\n", "\n") + "\n"
	return tokenizer.NewWith(words, rules)
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
	w, err := c.encoder(file)
	if err != nil {
		return nil, err
	}
	if w.Projections, err = c.projections(dir); err != nil {
		return nil, err
	}
	return model.FromWeights(c.info, w, k, threads)
}
