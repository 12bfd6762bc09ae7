package modeldir

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/embed/model"
	"github.com/cairn-kb/cairn/internal/search/embed/tokenizer"
)

// The files of a model directory.
const (
	configFile    = "config.json"
	weightsFile   = "model.safetensors"
	indexFile     = weightsFile + ".index.json" // of weights in several files
	tokenizerFile = "tokenizer.json"
	vocabFile     = "vocab.txt"
	rulesFile     = "tokenizer_config.json"
	modulesFile   = "modules.json"
	poolingFile   = "1_Pooling/config.json"
	promptsFile   = "config_sentence_transformers.json"
	lengthFile    = "sentence_bert_config.json"
)

const (
	// maxConfig and maxVocabulary bound the files that are read as a whole, in bytes.
	maxConfig     = 1 << 20
	maxVocabulary = 64 << 20
)

// config holds the settings in the files of a directory, except words and
// weights.
type config struct {
	family        family
	info          model.Info
	pooling       string // path of the file that defines the pooling
	dense         []denseStep
	dimensions    int // of a vector
	tokenTypes    int
	firstPosition int // row of the first token in the position table
	maxTokens     int // of a text, including special tokens
	queryPrefix   string
	passagePrefix string
	lowercase     bool // before the tokenizer, regardless of its own settings
}

// readConfig reads and checks all JSON files except the tokenizer's.
func readConfig(dir fs.FS) (config, error) {
	var c config
	if err := c.readShape(dir); err != nil {
		return config{}, err
	}
	if err := c.readModules(dir); err != nil {
		return config{}, err
	}
	if err := c.readPooling(dir); err != nil {
		return config{}, err
	}
	if err := c.readPrompts(dir); err != nil {
		return config{}, err
	}
	return c, c.readLength(dir)
}

func (c *config) readPrompts(dir fs.FS) error {
	var f struct {
		Prompts map[string]string `json:"prompts"`
		Default string            `json:"default_prompt_name"`
	}
	if _, err := readJSON(dir, promptsFile, &f); err != nil {
		return err
	}
	usual := f.Prompts[f.Default]
	c.queryPrefix, c.passagePrefix = usual, usual
	if p, ok := f.Prompts["query"]; ok {
		c.queryPrefix = p
	}
	for _, name := range []string{"passage", "document"} {
		if p, ok := f.Prompts[name]; ok {
			c.passagePrefix = p
		}
	}
	return nil
}

// readLength reads the maximum length of a text. Without a separate file it is in the
// tokenizer's configuration, where an absurd number means no limit.
func (c *config) readLength(dir fs.FS) error {
	var f struct {
		MaxTokens *int `json:"max_seq_length"`
		Lowercase bool `json:"do_lower_case"`
	}
	var usual struct {
		MaxTokens *float64 `json:"model_max_length"`
	}
	if _, err := readJSON(dir, lengthFile, &f); err != nil {
		return err
	}
	if _, err := readJSON(dir, rulesFile, &usual); err != nil {
		return err
	}
	c.lowercase = f.Lowercase
	from := lengthFile
	if f.MaxTokens == nil && usual.MaxTokens != nil && *usual.MaxTokens < float64(c.maxTokens) {
		f.MaxTokens, from = new(int(*usual.MaxTokens)), rulesFile
	}
	if f.MaxTokens == nil {
		return nil
	}
	if *f.MaxTokens <= tokenizer.Specials {
		return kb.Errorf(kb.Invalid, "%s allows only %d tokens", from, *f.MaxTokens)
	}
	c.maxTokens = min(c.maxTokens, *f.MaxTokens)
	return nil
}

func unsupported(format string, args ...any) error {
	err := kb.Errorf(kb.Invalid, format, args...)
	err.Message = "this model cannot run here: " + err.Message
	return err.WithHint("choose a sentence encoder of another kind, or run this one with Ollama or an OpenAI-compatible server")
}

// readJSON decodes a file, if it exists.
func readJSON(dir fs.FS, name string, v any) (found bool, err error) {
	b, err := readFile(dir, name, maxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return false, kb.Errorf(kb.Damaged, "the model's %s cannot be read: %w", name, err)
	}
	return true, nil
}

// open opens a regular file; a named pipe would block.
func open(dir fs.FS, name string) (fs.File, error) {
	info, err := fs.Stat(dir, name)
	if err == nil && !info.Mode().IsRegular() {
		return nil, kb.Errorf(kb.Damaged, "the model's %s is not a regular file", name)
	}
	var f fs.File
	if err == nil {
		f, err = dir.Open(name)
	}
	if err != nil {
		return nil, kb.Errorf(kb.Damaged, "the model's %s cannot be opened: %w", name, err)
	}
	return f, nil
}

// readFile reads a file of at most limit bytes.
func readFile(dir fs.FS, name string, limit int64) (b []byte, err error) {
	f, err := open(dir, name)
	if err != nil {
		return nil, err
	}
	defer func() {
		if cerr := f.Close(); err == nil && cerr != nil {
			err = kb.Errorf(kb.Damaged, "the model's %s cannot be read: %w", name, cerr)
		}
	}()
	b, err = io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, kb.Errorf(kb.Damaged, "the model's %s cannot be read: %w", name, err)
	}
	if int64(len(b)) > limit {
		return nil, kb.Errorf(kb.Damaged, "the model's %s is larger than %d bytes", name, limit)
	}
	return b, nil
}
