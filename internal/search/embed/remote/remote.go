package remote

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/embed"
)

// specials is the number of special tokens that most models add to a text.
const specials = 2

// World provides network, time and chance. All fields are required.
type World struct {
	Client *http.Client     // its redirect policy and timeout are not used
	Now    func() time.Time // to read Retry-After dates
	// Wait returns nil after that long, or ctx's error as soon as it is done.
	Wait   func(ctx context.Context, d time.Duration) error
	Chance func() float64 // in [0, 1), to spread retries
}

// Spec identifies a model and its server.
type Spec struct {
	Name          string // for embed.Embedder.Model
	URL           string // address for requests; see Join
	Key           Key    // sent as a bearer token, if any
	Dimensions    int    // 0 only for Probe
	Context       int    // maximum tokens of a text, including prefix and special tokens
	QueryPrefix   string
	PassagePrefix string
	BatchTexts    int           // maximum number of texts in a request
	BatchBytes    int           // maximum bytes of text in a request with several texts
	Timeout       time.Duration // of one attempt
}

// Check returns kb.Usage for invalid sizes.
func (s Spec) Check() error {
	switch {
	case s.Dimensions < 0 || s.Dimensions > maxDimensions:
		return kb.Errorf(kb.Usage, "invalid number of dimensions %d", s.Dimensions).
			WithHint("set 1 to %d", maxDimensions)
	case s.Timeout < 0:
		return kb.Errorf(kb.Usage, "invalid timeout %v", s.Timeout)
	}
	least := 1 + specials + max(Estimate(s.QueryPrefix), Estimate(s.PassagePrefix))
	if s.Context < least {
		return kb.Errorf(kb.Usage, "a context of %d tokens leaves no room for text", s.Context).
			WithHint("set at least %d", least)
	}
	return nil
}

// Service is the protocol of one kind of server.
type Service interface {
	// Request returns the JSON body for texts.
	Request(texts []string) any
	// Vectors decodes an answer to n texts, in their order. The caller validates the result.
	Vectors(answer []byte, n int) ([]Vector, error)
	// Explain returns the error for a refusal with a cause and remedy known to the service,
	// nil for others.
	Explain(Refusal) *kb.Error
}

// Refusal is the error answer of a server.
type Refusal struct {
	Status  int    // 0 without an answer: the server cannot be reached
	Code    string // machine-readable code of the server, if any
	Message string // the server's text, which may quote the request
}

// Embedder is an embed.Embedder that uses a server over HTTP.
type Embedder struct {
	spec    Spec
	service Service
	world   World
	client  *http.Client
}

// New returns an embedder without contacting anything.
func New(spec Spec, service Service, world World) *Embedder {
	client := *world.Client
	client.Timeout = 0 // Spec.Timeout applies to each attempt
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Embedder{spec: spec, service: service, world: world, client: &client}
}

// Join checks the base URL of a server and appends a path to it. Anything but a plain http
// or https address is kb.Usage; setting is the name of the user's setting.
func Join(base, path, setting string) (string, error) {
	u, err := url.Parse(base)
	// The error would quote the address, with a password if there is one.
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return "", kb.Errorf(kb.Usage, "%s is not the http or https address of a server", setting)
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", kb.Errorf(kb.Usage, "%s holds more than scheme, host, port and path", setting).
			WithHint("give credentials as the API key")
	}
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/")+path, ""
	return u.String(), nil
}

// CheckKey returns kb.Usage for a key that cannot be sent, without quoting it; setting is
// the name of the user's setting.
func CheckKey(key Key, setting string) error {
	for _, b := range []byte(key) {
		if b <= ' ' || b > '~' {
			return kb.Errorf(kb.Usage, "the API key in %s has a character that no key has", setting).
				WithHint("look for blanks and line feeds around the key")
		}
	}
	return nil
}

// Model implements embed.Embedder.
func (e *Embedder) Model() string { return e.spec.Name }

// Dimensions implements embed.Embedder.
func (e *Embedder) Dimensions() int { return e.spec.Dimensions }

// MaxTokens implements embed.Embedder.
func (e *Embedder) MaxTokens() int { return e.maxTokens(embed.Passage) }

// CountTokens implements embed.Embedder with Estimate.
func (e *Embedder) CountTokens(text string) (int, error) { return Estimate(text), nil }

// Probe asks the server for one vector and returns its length, for a model of unknown
// dimensions.
func (e *Embedder) Probe(ctx context.Context) (int, error) {
	vectors, err := e.Embed(ctx, []string{controlText}, embed.Query)
	if err != nil {
		return 0, err
	}
	return len(vectors[0]), nil
}

// Embed implements embed.Embedder. Requests are sent sequentially: a server uses all of its
// processors for one batch.
func (e *Embedder) Embed(ctx context.Context, texts []string, kind embed.Kind) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	inputs := make([]string, len(texts))
	for i, text := range texts {
		if n := Estimate(text); n > e.maxTokens(kind) {
			return nil, e.tooLong(i, n, kind)
		}
		inputs[i] = e.prefix(kind) + text
		if strings.TrimSpace(inputs[i]) == "" {
			inputs[i] = "." // some servers refuse empty texts
		}
	}
	vectors := make([][]float32, 0, len(texts))
	bounds := batches(inputs, e.spec.BatchTexts, e.spec.BatchBytes)
	whole := batch{kind: kind, texts: texts, inputs: inputs, all: inputs}
	for i, from := range bounds[:len(bounds)-1] {
		got, err := e.embedBatch(ctx, whole.part(from, bounds[i+1]))
		if err != nil {
			return nil, err
		}
		vectors = append(vectors, got...)
	}
	return vectors, nil
}

func (e *Embedder) prefix(kind embed.Kind) string {
	if kind == embed.Query {
		return e.spec.QueryPrefix
	}
	return e.spec.PassagePrefix
}

// maxTokens returns the maximum length of a text of a kind, without its prefix.
func (e *Embedder) maxTokens(kind embed.Kind) int {
	return e.spec.Context - specials - Estimate(e.prefix(kind))
}
