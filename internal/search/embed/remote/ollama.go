package remote

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Defaults.
const (
	OllamaURL    = "http://127.0.0.1:11434"
	DefaultModel = "nomic-embed-text"
)

const (
	// batchTexts keeps the first answer, and with it progress reports and cancellation,
	// within seconds on a machine without an accelerator.
	ollamaBatchTexts = 32
	ollamaBatchBytes = 256 << 10
	// defaultTimeout covers loading a model from a slow disk.
	ollamaTimeout = 2 * time.Minute
)

// OllamaOptions select a model and a server. The zero value is nomic-embed-text
// on this machine.
type OllamaOptions struct {
	URL   string // of the server; DefaultURL when empty
	Model string // as listed by ollama list; DefaultModel when empty

	// If zero, the following are taken from the known models.
	Dimensions    int
	Context       int     // tokens; 512 for an unknown model
	QueryPrefix   *string // before a question
	PassagePrefix *string // before a passage

	Timeout time.Duration // of one attempt; two minutes when zero
}

// NewOllama returns an embedder without contacting Ollama. A model of unknown
// dimensions or an invalid address is kb.Usage.
func NewOllama(opts OllamaOptions, world World) (*Embedder, error) {
	spec, err := opts.spec()
	if err != nil {
		return nil, err
	}
	if spec.Dimensions < 1 {
		return nil, kb.Errorf(kb.Usage, "the dimensions of the Ollama model %s are not known", opts.model()).
			WithReason(kb.OllamaDimensions).WithFact("model", opts.model())
	}
	return New(spec, ollama{opts.model()}, world), nil
}

// ProbeOllama asks Ollama for one embedding and returns its dimensions.
func ProbeOllama(ctx context.Context, opts OllamaOptions, world World) (int, error) {
	spec, err := opts.spec()
	if err != nil {
		return 0, err
	}
	spec.Dimensions = 0
	return New(spec, ollama{opts.model()}, world).Probe(ctx)
}

func (o OllamaOptions) model() string {
	if o.Model == "" {
		return DefaultModel
	}
	return plainName(o.Model)
}

func (o OllamaOptions) spec() (Spec, error) {
	f := factsOf(o.model())
	base := o.URL
	if base == "" {
		base = OllamaURL
	}
	url, err := Join(base, "/api/embed", "the address of Ollama")
	if err != nil {
		return Spec{}, err
	}
	spec := Spec{
		Name: "ollama/" + o.model(), URL: url,
		Dimensions: f.dimensions, Context: f.context,
		QueryPrefix: f.queryPrefix, PassagePrefix: f.passagePrefix,
		BatchTexts: ollamaBatchTexts, BatchBytes: ollamaBatchBytes, Timeout: ollamaTimeout,
	}
	if o.Dimensions != 0 {
		spec.Dimensions = o.Dimensions
	}
	if o.Context != 0 {
		spec.Context = o.Context
	}
	if o.QueryPrefix != nil {
		spec.QueryPrefix = *o.QueryPrefix
	}
	if o.PassagePrefix != nil {
		spec.PassagePrefix = *o.PassagePrefix
	}
	if o.Timeout != 0 {
		spec.Timeout = o.Timeout
	}
	return spec, spec.Check()
}

// ollama implements Service for the protocol of /api/embed.
type ollama struct{ model string }

// Request implements remote.Service.
func (s ollama) Request(texts []string) any {
	return struct {
		Model    string   `json:"model"`
		Input    []string `json:"input"`
		Truncate bool     `json:"truncate"` // true is the server's default
	}{s.model, texts, false}
}

// Vectors implements remote.Service.
func (s ollama) Vectors(answer []byte, _ int) ([]Vector, error) {
	var a struct {
		Embeddings []Vector `json:"embeddings"`
	}
	err := json.Unmarshal(answer, &a)
	return a.Embeddings, err
}

// Explain implements remote.Service.
func (s ollama) Explain(r Refusal) *kb.Error {
	switch {
	case r.Status == 0:
		return kb.Errorf(kb.Internal, "Ollama cannot be reached").WithHint("start it with: ollama serve")
	case r.Status == http.StatusNotFound && r.Message != "":
		return kb.Errorf(kb.NotFound, "Ollama has no model %s", s.model).WithHint("get it with: ollama pull %s", s.model)
	case r.Status == http.StatusNotFound:
		return kb.Errorf(kb.Usage, "no Ollama with /api/embed at its address").
			WithHint("check the address; Ollama older than 0.3 must be updated")
	}
	return nil
}
