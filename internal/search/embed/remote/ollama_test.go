package remote

import (
	"context"
	"encoding/json"
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

func world(client *http.Client) World {
	return World{
		Client: client,
		Now:    func() time.Time { return time.Unix(0, 0) },
		Chance: func() float64 { return 0 },
		Wait:   func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}
}

// request is what the documentation of /api/embed says.
type request struct {
	Model    string   `json:"model"`
	Input    []string `json:"input"`
	Truncate *bool    `json:"truncate"`
}

// server is an Ollama with one model.
func server(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in request
		d := json.NewDecoder(r.Body)
		d.DisallowUnknownFields()
		if err := d.Decode(&in); err != nil || r.URL.Path != "/api/embed" || r.Method != http.MethodPost {
			t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
		}
		if in.Truncate == nil || *in.Truncate {
			t.Error("the server may cut texts")
		}
		out := map[string]any{"model": in.Model, "total_duration": 1}
		if in.Model == DefaultModel {
			var vectors [][]float32
			for _, text := range in.Input {
				vectors = append(vectors, embedtest.WordVector(text, 768))
			}
			out["embeddings"] = vectors
		} else {
			w.WriteHeader(http.StatusNotFound)
			out["error"] = `model "` + in.Model + `" not found, try pulling it first`
		}
		if err := json.NewEncoder(w).Encode(out); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func TestOllamaContract(t *testing.T) {
	t.Parallel()
	embedtest.Run(t, func(t *testing.T) embed.Embedder {
		s := server(t)
		e, err := NewOllama(OllamaOptions{URL: s.URL}, world(s.Client()))
		if err != nil {
			t.Fatal(err)
		}
		return e
	})
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	e, err := NewOllama(OllamaOptions{}, world(http.DefaultClient))
	if err != nil {
		t.Fatal(err)
	}
	if e.Model() != "ollama/nomic-embed-text" || e.Dimensions() != 768 {
		t.Errorf("model %s, %d dimensions", e.Model(), e.Dimensions())
	}
	spec, err := OllamaOptions{}.spec()
	if err != nil || spec.URL != "http://127.0.0.1:11434/api/embed" || spec.QueryPrefix != "search_query: " {
		t.Errorf("spec %+v, %v", spec, err)
	}
	none := ""
	spec, err = OllamaOptions{QueryPrefix: &none, Context: 99, Timeout: time.Second, Dimensions: 5, Model: "nomic-embed-text:latest"}.spec()
	if err != nil || spec.QueryPrefix != "" || spec.Context != 99 || spec.Timeout != time.Second || spec.Dimensions != 5 ||
		spec.PassagePrefix != "search_document: " || spec.Name != "ollama/nomic-embed-text" {
		t.Errorf("spec %+v, %v", spec, err)
	}
}

func TestKnownModels(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]int{
		"nomic-embed-text:v1.5": 768, "all-minilm:33m": 384, "snowflake-arctic-embed:22m": 384,
		"snowflake-arctic-embed:latest": 1024, "snowflake-arctic-embed:137m": 0, "own/model": 0,
	} {
		if got := factsOf(model).dimensions; got != want {
			t.Errorf("%s has %d dimensions, want %d", model, got, want)
		}
	}
	if _, err := NewOllama(OllamaOptions{Model: "own/model"}, world(http.DefaultClient)); kb.CodeOf(err) != kb.Usage {
		t.Errorf("error %v, want %s", err, kb.Usage)
	}
	for model := range known {
		if _, err := NewOllama(OllamaOptions{Model: model}, world(http.DefaultClient)); err != nil {
			t.Errorf("%s: %v", model, err)
		}
	}
}

func TestOllamaProbe(t *testing.T) {
	t.Parallel()
	s := server(t)
	if n, err := ProbeOllama(t.Context(), OllamaOptions{URL: s.URL, Dimensions: 3}, world(s.Client())); err != nil || n != 768 {
		t.Errorf("Probe = %d, %v", n, err)
	}
	if _, err := ProbeOllama(t.Context(), OllamaOptions{URL: "nowhere"}, world(s.Client())); kb.CodeOf(err) != kb.Usage {
		t.Errorf("error %v, want %s", err, kb.Usage)
	}
}

func TestErrorsNameTheRemedy(t *testing.T) {
	t.Parallel()
	running := server(t)
	stopped := httptest.NewServer(http.NotFoundHandler())
	stopped.Close()
	web := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(web.Close)
	broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(w, `{"error":"llama runner process has terminated"}`)
	}))
	t.Cleanup(broken.Close)
	for name, c := range map[string]struct {
		opts       OllamaOptions
		code       kb.Code
		text, hint string
	}{
		"not running":  {OllamaOptions{URL: stopped.URL}, kb.Internal, "refused", "ollama serve"},
		"not pulled":   {OllamaOptions{URL: running.URL, Model: "mxbai-embed-large"}, kb.NotFound, "", "ollama pull mxbai-embed-large"},
		"other server": {OllamaOptions{URL: web.URL}, kb.Usage, "/api/embed", "check the address"},
		"broken":       {OllamaOptions{URL: broken.URL}, kb.Internal, "llama runner process has terminated", "log"},
	} {
		e, err := NewOllama(c.opts, world(running.Client()))
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.Embed(t.Context(), []string{"text"}, embed.Passage)
		if got := kb.AsError(err); got.Code != c.code || !strings.Contains(got.Hint, c.hint) || !strings.Contains(got.Error(), c.text) {
			t.Errorf("%s: error %v (%s), hint %q", name, err, got.Code, got.Hint)
		}
	}
}
