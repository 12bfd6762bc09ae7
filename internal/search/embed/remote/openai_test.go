package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/search/embed"
	"github.com/cairn-kb/cairn/internal/search/embed/embedtest"

	"github.com/cairn-kb/cairn/internal/kb"
)

const (
	key   = "sk-test-0123456789abcdef"
	model = "text-embedding-3-small"
)

func openaiWorld(client *http.Client) World {
	return World{
		Client: client,
		Now:    func() time.Time { return time.Unix(0, 0) },
		Chance: func() float64 { return 0 },
		Wait:   func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}
}

// server embeds as OpenAI does, answering in any order.
func openaiServer(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Model      string   `json:"model"`
			Input      []string `json:"input"`
			Encoding   string   `json:"encoding_format"`
			Dimensions *int     `json:"dimensions"`
		}
		d := json.NewDecoder(r.Body)
		d.DisallowUnknownFields()
		if err := d.Decode(&in); err != nil || r.URL.Path != "/v1/embeddings" || in.Encoding != "float" {
			t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
		}
		if r.Header.Get("Authorization") != "Bearer "+key {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"error":{"message":"Incorrect API key provided: `+key+`","code":"invalid_api_key"}}`)
			return
		}
		dimensions := openaiKnown[in.Model].dimensions
		if in.Dimensions != nil {
			dimensions = *in.Dimensions
		}
		data := make([]any, 0, len(in.Input))
		for i := len(in.Input) - 1; i >= 0; i-- {
			if in.Input[i] == "" {
				t.Error("OpenAI refuses empty texts")
			}
			data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": embedtest.WordVector(in.Input[i], dimensions)})
		}
		if err := json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": data}); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func TestOpenaiContract(t *testing.T) {
	t.Parallel()
	embedtest.Run(t, func(t *testing.T) embed.Embedder {
		s := openaiServer(t)
		e, err := NewOpenAI(OpenAIOptions{URL: s.URL, Model: model, Key: key, Shorten: 256, Context: 512}, openaiWorld(s.Client()))
		if err != nil {
			t.Fatal(err)
		}
		return e
	})
}

func TestNames(t *testing.T) {
	t.Parallel()
	e, err := NewOpenAI(OpenAIOptions{Model: model}, openaiWorld(http.DefaultClient))
	if err != nil || e.Model() != "openai/"+model || e.Dimensions() != 1536 || e.MaxTokens() != 8191-2 {
		t.Errorf("%s, %d dimensions, %v", e.Model(), e.Dimensions(), err)
	}
	e, err = NewOpenAI(OpenAIOptions{Model: model, Shorten: 256}, openaiWorld(http.DefaultClient))
	if err != nil || e.Model() != "openai/"+model+"/256" || e.Dimensions() != 256 {
		t.Errorf("%s, %d dimensions, %v", e.Model(), e.Dimensions(), err)
	}
}

func TestOpenaiProbe(t *testing.T) {
	t.Parallel()
	s := openaiServer(t)
	if n, err := ProbeOpenAI(t.Context(), OpenAIOptions{URL: s.URL, Model: model, Key: key}, openaiWorld(s.Client())); err != nil || n != 1536 {
		t.Errorf("Probe = %d, %v", n, err)
	}
}

func TestEndpoint(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"":                       "https://api.openai.com/v1/embeddings",
		"http://127.0.0.1:8000":  "http://127.0.0.1:8000/v1/embeddings",
		"http://127.0.0.1:8000/": "http://127.0.0.1:8000/v1/embeddings",
		"https://h/api/v3/":      "https://h/api/v3/embeddings",
	} {
		if got, err := endpointOf(base); got != want || err != nil {
			t.Errorf("endpointOf(%q) = %q, %v; want %q", base, got, err, want)
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string]OpenAIOptions{
		"no model":    {},
		"dimensions":  {Model: "own"},
		"key":         {Model: model, Key: key + "\n"},
		"address":     {Model: model, URL: "localhost"},
		"password":    {Model: model, URL: "http://u:" + key + "@host"},
		"no negative": {Model: model, Shorten: -1},
	} {
		_, err := NewOpenAI(opts, openaiWorld(http.DefaultClient))
		if kb.CodeOf(err) != kb.Usage || strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	s := openAI{}
	for body, want := range map[string]string{
		`{"data":[{"index":1,"embedding":[1]},{"index":0,"embedding":[2]}]}`: "[[2] [1]]",
		`{"data":[{"embedding":[1]},{"embedding":[2]}]}`:                     "[[1] [2]]",
		`{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[2]}]}`: "",
		`{"data":[{"index":0,"embedding":[1]},{"embedding":[2]}]}`:           "",
		`{"data":[{"index":-1,"embedding":[1]}]}`:                            "",
		`{"data":[{"index":7,"embedding":[1]}]}`:                             "",
		`{"data":[{"index":0.5,"embedding":[1]}]}`:                           "",
		`{"data":[{"index":0,"embedding":"AAAA"}]}`:                          "",
		`{"data":null}`: "[]",
	} {
		got, err := s.Vectors([]byte(body), 2)
		if err != nil && want != "" || err == nil && fmt.Sprint(got) != want {
			t.Errorf("%s: %v, %v; want %q", body, got, err, want)
		}
	}
}

func TestOpenaiErrorsNameTheRemedy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		body   string
		key    Key
		code   kb.Code
		hint   string
	}{
		"no key":        {401, "", "", kb.Usage, "MY_KEY"},
		"wrong key":     {401, `{"error":{"message":"Incorrect API key provided: ` + key + `"}}`, key, kb.Usage, "MY_KEY"},
		"forbidden":     {403, "", key, kb.Usage, "MY_KEY"},
		"no credit":     {429, `{"error":{"code":"insufficient_quota","message":"pay"}}`, key, kb.Usage, "credit"},
		"model":         {404, `{"error":{"code":"model_not_found","message":"no"}}`, key, kb.NotFound, "/v1/models"},
		"model, 400":    {400, `{"error":{"code":"model_not_found","message":"no"}}`, key, kb.NotFound, "/v1/models"},
		"address":       {404, "<html>", key, kb.Usage, "address"},
		"other refusal": {400, `{"error":{"message":"This model's maximum context length is 512 tokens"}}`, key, kb.Internal, "log"},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		}))
		t.Cleanup(s.Close)
		e, err := NewOpenAI(OpenAIOptions{URL: s.URL, Model: model, Key: c.key, KeySetting: "MY_KEY"}, openaiWorld(s.Client()))
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.Embed(t.Context(), []string{"text"}, embed.Passage)
		got := kb.AsError(err)
		if got.Code != c.code || !strings.Contains(got.Hint, c.hint) || strings.Contains(got.Error(), key) {
			t.Errorf("%s: error %v (%s), hint %q", name, err, got.Code, got.Hint)
		}
	}
}
