package remote

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

// OpenAIURL is the base URL of OpenAI's own API.
const OpenAIURL = "https://api.openai.com/v1"

const (
	// OpenAI accepts 2,048 texts and 300,000 tokens per request; other servers as few as 32
	// texts unless they are configured for more.
	openAIBatchTexts = 32
	openAIBatchBytes = 256 << 10
	// defaultTimeout allows for servers that compute without an accelerator.
	openAITimeout = time.Minute
	// unknownContext is the context assumed for other models: the minimum of
	// those in use.
	openAIUnknownContext = 512
)

// openaiKnown lists OpenAI's own models: dimensions and tokens.
var openaiKnown = map[string]struct{ dimensions, context int }{
	"text-embedding-3-small": {1536, 8191},
	"text-embedding-3-large": {3072, 8191},
	"text-embedding-ada-002": {1536, 8191},
}

// OpenAIOptions select a model and a server.
type OpenAIOptions struct {
	// URL of the server; DefaultURL when empty. If it has a path, /embeddings is appended,
	// as in https://api.openai.com/v1; otherwise /v1/embeddings.
	URL   string
	Model string // required
	Key   Key    // the API key; empty for servers without one
	// KeySetting is the name of the user's setting for the key, for hints, such as
	// OPENAI_API_KEY.
	KeySetting string

	// If zero, the following are taken from OpenAI's own models.
	Dimensions int // of the model
	Context    int // tokens; 512 for an unknown model

	// Shorten asks the server for vectors of fewer dimensions, which only some models and
	// servers support. Zero does not.
	Shorten       int
	QueryPrefix   string // before a question
	PassagePrefix string // before a passage

	Timeout time.Duration // of one attempt; a minute when zero
}

// NewOpenAI returns an embedder without contacting the server. Missing or invalid
// options are kb.Usage errors.
func NewOpenAI(opts OpenAIOptions, world World) (*Embedder, error) {
	spec, err := opts.spec()
	if err != nil {
		return nil, err
	}
	if spec.Dimensions < 1 {
		return nil, kb.Errorf(kb.Usage, "the dimensions of the model %s are not known", opts.Model).
			WithReason(kb.OpenAIDimensions).WithFact("model", opts.Model)
	}
	return New(spec, opts.service(), world), nil
}

// ProbeOpenAI asks the server for one embedding and returns its dimensions.
func ProbeOpenAI(ctx context.Context, opts OpenAIOptions, world World) (int, error) {
	spec, err := opts.spec()
	if err != nil {
		return 0, err
	}
	spec.Dimensions = 0
	return New(spec, opts.service(), world).Probe(ctx)
}

func (o OpenAIOptions) spec() (Spec, error) {
	if o.Model == "" {
		return Spec{}, kb.Errorf(kb.Usage, "no embedding model is named").
			WithHint("name one that the server offers, such as text-embedding-3-small")
	}
	if err := CheckKey(o.Key, o.keySetting()); err != nil {
		return Spec{}, err
	}
	endpoint, err := endpointOf(o.URL)
	if err != nil {
		return Spec{}, err
	}
	spec := Spec{
		Name: "openai/" + o.Model, URL: endpoint, Key: o.Key,
		Dimensions: o.Dimensions, Context: o.Context,
		QueryPrefix: o.QueryPrefix, PassagePrefix: o.PassagePrefix,
		BatchTexts: openAIBatchTexts, BatchBytes: openAIBatchBytes, Timeout: o.Timeout,
	}
	if spec.Dimensions == 0 {
		spec.Dimensions = openaiKnown[o.Model].dimensions
	}
	if o.Shorten != 0 {
		spec.Dimensions = o.Shorten
		spec.Name += "/" + strconv.Itoa(o.Shorten)
	}
	if spec.Context == 0 {
		spec.Context = openAIUnknownContext
		if k, ok := openaiKnown[o.Model]; ok {
			spec.Context = k.context
		}
	}
	if spec.Timeout == 0 {
		spec.Timeout = openAITimeout
	}
	return spec, spec.Check()
}

// endpointOf returns the address for requests.
func endpointOf(base string) (string, error) {
	if base == "" {
		base = OpenAIURL
	}
	path := "/embeddings"
	if u, err := url.Parse(base); err == nil && (u.Path == "" || u.Path == "/") {
		path = "/v1" + path
	}
	return Join(base, path, "the address of the embedding server")
}

func (o OpenAIOptions) keySetting() string {
	if o.KeySetting == "" {
		return "the settings"
	}
	return o.KeySetting
}

func (o OpenAIOptions) service() openAI {
	return openAI{model: o.Model, shorten: o.Shorten, keySetting: o.keySetting(), hasKey: o.Key != ""}
}

// openAI implements Service for the protocol of /v1/embeddings.
type openAI struct {
	model      string
	shorten    int
	keySetting string
	hasKey     bool
}

// Request implements remote.Service.
func (s openAI) Request(texts []string) any {
	return struct {
		Model      string   `json:"model"`
		Input      []string `json:"input"`
		Encoding   string   `json:"encoding_format"`
		Dimensions int      `json:"dimensions,omitempty"`
	}{s.model, texts, "float", s.shorten}
}

var errOrder = errors.New("the embeddings are not numbered from 0")

// Vectors implements Service. The protocol numbers embeddings; a server that
// does not number them returns them in order.
func (s openAI) Vectors(answer []byte, n int) ([]Vector, error) {
	var a struct {
		Data []struct {
			Index     *int   `json:"index"`
			Embedding Vector `json:"embedding"`
		} `json:"data"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return nil, err
	}
	vectors := make([]Vector, len(a.Data))
	numbered := 0
	for i, d := range a.Data {
		at := i
		if d.Index != nil {
			at = *d.Index
			numbered++
		}
		if at < 0 || at >= len(vectors) || vectors[at] != nil {
			return nil, errOrder
		}
		vectors[at] = d.Embedding
	}
	if numbered != 0 && numbered != len(vectors) {
		return nil, errOrder
	}
	return vectors, nil
}

// Explain implements remote.Service.
func (s openAI) Explain(r Refusal) *kb.Error {
	switch {
	case r.Status == http.StatusUnauthorized && !s.hasKey:
		return kb.Errorf(kb.Usage, "the embedding server wants an API key").WithHint("set it in %s", s.keySetting)
	case r.Status == http.StatusUnauthorized:
		return kb.Errorf(kb.Usage, "the embedding server does not accept the API key").
			WithHint("check the key in %s", s.keySetting)
	case r.Status == http.StatusForbidden:
		return kb.Errorf(kb.Usage, "the embedding server does not let this API key use the model %s", s.model).
			WithHint("allow it for the key in %s, or choose another model", s.keySetting)
	case r.Code == "insufficient_quota" || r.Status == http.StatusPaymentRequired:
		return kb.Errorf(kb.Usage, "the account of the API key has no credit left").
			WithHint("add credit to the account, or set another key in %s", s.keySetting)
	case r.Code == "model_not_found" || r.Status == http.StatusNotFound && r.Message != "":
		return kb.Errorf(kb.NotFound, "the embedding server has no model %s", s.model).
			WithHint("name a model that it lists under /v1/models")
	case r.Status == http.StatusNotFound:
		return kb.Errorf(kb.Usage, "the embedding server has nothing at its address").
			WithHint("check the address: /embeddings follows it, so it mostly ends in /v1")
	}
	return nil
}
