package modeldir

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/embed/model"
	"github.com/cairn-kb/cairn/internal/embed/tokenizer"
	"github.com/cairn-kb/cairn/internal/kb"
)

// The files of a model directory.
const (
	configFile    = "config.json"
	weightsFile   = "model.safetensors"
	tokenizerFile = "tokenizer.json"
	vocabFile     = "vocab.txt"
	rulesFile     = "tokenizer_config.json"
	modulesFile   = "modules.json"
	poolingFile   = "1_Pooling/config.json"
	promptsFile   = "config_sentence_transformers.json"
	lengthFile    = "sentence_bert_config.json"
)

const (
	// maxConfig and maxVocabulary bound files that are read whole, in bytes.
	maxConfig     = 1 << 20
	maxVocabulary = 64 << 20
	// maxPositions bounds the memory of one thread.
	maxPositions = 1 << 14
)

// config is what the files of a directory say, besides words and weights.
type config struct {
	info          model.Info
	maxTokens     int // of a text with its special tokens
	queryPrefix   string
	passagePrefix string
	lowercase     bool // before the tokenizer, whatever that does
}

// readConfig reads and checks all JSON files but the tokenizer's.
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

// gelus are the activations that are computed with the exact GELU. The
// approximations by tanh are within 5e-4 of it, which moves no vector by more
// than rounding to 16 bits does; the tests hold that.
var gelus = []string{"gelu", "gelu_python", "gelu_new", "gelu_fast", "gelu_pytorch_tanh"}

func (c *config) readShape(dir fs.FS) error {
	var f struct {
		Type       string  `json:"model_type"`
		Hidden     int     `json:"hidden_size"`
		Wide       int     `json:"intermediate_size"`
		Layers     int     `json:"num_hidden_layers"`
		Heads      int     `json:"num_attention_heads"`
		Vocabulary int     `json:"vocab_size"`
		Positions  int     `json:"max_position_embeddings"`
		Types      int     `json:"type_vocab_size"`
		Epsilon    float32 `json:"layer_norm_eps"`
		Activation string  `json:"hidden_act"`
		Position   string  `json:"position_embedding_type"`
	}
	f.Types, f.Epsilon, f.Activation, f.Position = 2, 1e-12, "gelu", "absolute"
	found, err := readJSON(dir, configFile, &f)
	switch {
	case err != nil:
		return err
	case !found:
		return kb.Errorf(kb.NotFound, "there is no %s in the model's directory", configFile).
			WithHint("name the directory that holds %s and %s", configFile, weightsFile)
	case f.Type != "bert":
		return unsupported("its type is %.40q, not \"bert\"", f.Type)
	case !slices.Contains(gelus, f.Activation):
		return unsupported("its activation is %.40q, not GELU", f.Activation)
	case f.Position != "absolute":
		return unsupported("its positions are %.40q, not absolute", f.Position)
	case f.Types != 2:
		return unsupported("it has %d token types, not 2", f.Types)
	case !(f.Epsilon > 0 && f.Epsilon < 1): // also when it is no number
		return unsupported("its layer_norm_eps is %v", f.Epsilon)
	case f.Positions > maxPositions:
		return unsupported("it has %d positions, more than %d", f.Positions, maxPositions)
	}
	c.info = model.Info{
		Hidden: f.Hidden, Intermediate: f.Wide, Layers: f.Layers, Heads: f.Heads,
		Vocabulary: f.Vocabulary, MaxTokens: f.Positions, NormEpsilon: f.Epsilon,
	}
	c.maxTokens = f.Positions
	return c.info.Check()
}

// modules are the steps of a sentence encoder that are computed here; vectors
// are normalised whether that is listed or not.
var modules = []string{
	"sentence_transformers.models.Transformer", "sentence_transformers.models.Pooling", "sentence_transformers.models.Normalize",
}

func (c *config) readModules(dir fs.FS) error {
	var list []struct {
		Type string `json:"type"`
	}
	if _, err := readJSON(dir, modulesFile, &list); err != nil {
		return err
	}
	for _, m := range list {
		if !slices.Contains(modules, m.Type) {
			return unsupported("it has a step %.60q", m.Type)
		}
	}
	return nil
}

// readPooling takes the mean when the directory says nothing, as Sentence
// Transformers does.
func (c *config) readPooling(dir fs.FS) error {
	flags := map[string]any{}
	found, err := readJSON(dir, poolingFile, &flags)
	if err != nil {
		return err
	}
	c.info.Pooling = model.Mean
	if !found {
		return nil
	}
	chosen := ""
	for name, value := range flags {
		if on, isFlag := value.(bool); !isFlag || !on || !strings.HasPrefix(name, "pooling_mode_") {
			continue
		}
		if chosen != "" {
			return unsupported("it pools in two ways at once")
		}
		chosen = name
	}
	if flags["include_prompt"] == false {
		return unsupported("it leaves the prefix out of the mean")
	}
	switch chosen {
	case "pooling_mode_cls_token":
		c.info.Pooling = model.CLS
	case "pooling_mode_mean_tokens":
	default:
		return unsupported("it pools neither by the first token nor by the mean")
	}
	return nil
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

func (c *config) readLength(dir fs.FS) error {
	var f struct {
		MaxTokens *int `json:"max_seq_length"`
		Lowercase bool `json:"do_lower_case"`
	}
	if _, err := readJSON(dir, lengthFile, &f); err != nil {
		return err
	}
	c.lowercase = f.Lowercase
	if f.MaxTokens == nil {
		return nil
	}
	if *f.MaxTokens <= tokenizer.Specials {
		return kb.Errorf(kb.Invalid, "%s allows only %d tokens", lengthFile, *f.MaxTokens)
	}
	c.maxTokens = min(c.maxTokens, *f.MaxTokens)
	return nil
}

func unsupported(format string, args ...any) error {
	err := kb.Errorf(kb.Invalid, format, args...)
	err.Message = "this model cannot run here: " + err.Message
	return err.WithHint("choose a BERT sentence encoder, or run this one with Ollama or an OpenAI-compatible server")
}

// readJSON decodes a file, if there is one.
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

// readFile reads a file of at most limit bytes.
func readFile(dir fs.FS, name string, limit int64) (b []byte, err error) {
	f, err := dir.Open(name)
	if err != nil {
		return nil, kb.Errorf(kb.Damaged, "the model's %s cannot be opened: %w", name, err)
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
