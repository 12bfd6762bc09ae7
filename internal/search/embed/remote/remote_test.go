package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/embed"
	"github.com/cairn-kb/cairn/internal/search/embed/embedtest"
)

const (
	dimensions = 256
	secret     = "sk-very-private-0123456789"
	private    = "the diagnosis was kept from everybody"
)

// plain is a service as plain as can be: an array of texts in, an array of
// vectors out.
type plain struct{}

func (plain) Request(texts []string) any { return texts }

func (plain) Vectors(answer []byte, _ int) (v []Vector, err error) {
	err = json.Unmarshal(answer, &v)
	return v, err
}

func (plain) Explain(r Refusal) *kb.Error {
	if r.Code == "known" {
		return kb.Errorf(kb.NotFound, "a known problem").WithHint("solve it")
	}
	return nil
}

// clock is a world in which waiting takes no time.
type clock struct {
	mu     sync.Mutex
	waits  []time.Duration
	onWait func() // called at each wait, when set
}

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func (c *clock) world(client *http.Client) World {
	return World{
		Client: client,
		Now:    func() time.Time { return noon },
		Chance: func() float64 { return 0.5 },
		Wait: func(ctx context.Context, d time.Duration) error {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.waits = append(c.waits, d)
			if c.onWait != nil {
				c.onWait()
			}
			return ctx.Err()
		},
	}
}

func spec(url string) Spec {
	return Spec{
		Name: "test", URL: url, Key: secret, Dimensions: dimensions, Context: 600,
		QueryPrefix: "query: ", BatchTexts: 4, BatchBytes: 4096, Timeout: time.Minute,
	}
}

// serve starts a server in this process and returns an embedder for it.
func serve(t *testing.T, c *clock, handler http.HandlerFunc) *Embedder {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return New(spec(server.URL), plain{}, c.world(server.Client()))
}

// answer embeds as a server does that works.
func answer(w http.ResponseWriter, r *http.Request) []string {
	var texts []string
	if err := json.NewDecoder(r.Body).Decode(&texts); err != nil {
		http.Error(w, "bad request", http.StatusBadRequest)
		return nil
	}
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = embedtest.WordVector(text, dimensions)
		for j := range vectors[i] {
			vectors[i][j] *= 7 // servers need not normalise
		}
	}
	writeJSON(w, vectors)
	return texts
}

func writeJSON(w io.Writer, v any) {
	if err := json.NewEncoder(w).Encode(v); err != nil {
		panic(http.ErrAbortHandler)
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	embedtest.Run(t, func(t *testing.T) embed.Embedder {
		return serve(t, &clock{}, func(w http.ResponseWriter, r *http.Request) {
			for _, text := range answer(w, r) {
				if strings.TrimSpace(text) == "" {
					t.Error("an empty text was sent")
				}
			}
		})
	})
}

func TestNothingIsContactedBeforeItIsNeeded(t *testing.T) {
	t.Parallel()
	calls := 0
	e := serve(t, &clock{}, func(http.ResponseWriter, *http.Request) { calls++ })
	e.Model()
	e.Dimensions()
	e.MaxTokens()
	if _, err := e.CountTokens("text"); err != nil {
		t.Error(err)
	}
	if _, err := e.Embed(t.Context(), nil, embed.Passage); err != nil {
		t.Error(err)
	}
	if calls != 0 {
		t.Errorf("%d calls", calls)
	}
}

func TestBatchesAndPrefixes(t *testing.T) {
	t.Parallel()
	var sizes []int
	var sent []string
	e := serve(t, &clock{}, func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != "Bearer "+secret {
			t.Error("the key was not sent")
		}
		texts := answer(w, r)
		sizes, sent = append(sizes, len(texts)), append(sent, texts...)
	})
	long := strings.Repeat("word ", 500)
	texts := []string{"a", "b", "c", "d", "e", long, long, "f"}
	vectors, err := e.Embed(t.Context(), texts, embed.Query)
	if err != nil || len(vectors) != len(texts) {
		t.Fatalf("%d vectors, %v", len(vectors), err)
	}
	if got := fmt.Sprint(sizes); got != "[4 2 2]" {
		t.Errorf("batches of %s", got)
	}
	for i, text := range sent {
		if text != "query: "+texts[i] {
			t.Errorf("sent %.20q for %.20q", text, texts[i])
		}
	}
	if _, err := e.Embed(t.Context(), texts[:1], embed.Passage); err != nil || sent[len(sent)-1] != "a" {
		t.Errorf("sent %q as a passage, %v", sent[len(sent)-1], err)
	}
}

func TestRetries(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	status := func(code int, header ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			if len(header) > 0 {
				w.Header().Set("Retry-After", header[0])
			}
			w.WriteHeader(code)
		}
	}
	abort := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	cut := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, "[[1,")
	}
	for name, c := range map[string]struct {
		fails []http.HandlerFunc // before the server works
		kind  embed.Kind
		waits []time.Duration
		code  kb.Code // "" when it works in the end
	}{
		"busy once":          {fails: []http.HandlerFunc{status(429)}, waits: []time.Duration{375 * ms}},
		"grows":              {fails: []http.HandlerFunc{status(500), status(502), status(503), status(504)}, waits: []time.Duration{375 * ms, 750 * ms, 1500 * ms, 3000 * ms}},
		"gives up":           {fails: []http.HandlerFunc{status(500), status(500), status(500), status(500), status(500)}, waits: []time.Duration{375 * ms, 750 * ms, 1500 * ms, 3000 * ms}, code: kb.Internal},
		"asked in seconds":   {fails: []http.HandlerFunc{status(429, "20")}, waits: []time.Duration{20 * time.Second}},
		"asked for a date":   {fails: []http.HandlerFunc{status(503, noon.Add(9*time.Second).Format(http.TimeFormat))}, waits: []time.Duration{9 * time.Second}},
		"asked nonsense":     {fails: []http.HandlerFunc{status(429, "soon")}, waits: []time.Duration{375 * ms}},
		"asked for too long": {fails: []http.HandlerFunc{status(429, "3600")}, code: kb.Internal},
		"connection lost":    {fails: []http.HandlerFunc{abort, cut}, waits: []time.Duration{375 * ms, 750 * ms}},
		"a question":         {fails: []http.HandlerFunc{status(429), status(429)}, kind: embed.Query, waits: []time.Duration{375 * ms}, code: kb.Internal},
		"not implemented":    {fails: []http.HandlerFunc{status(501)}, code: kb.Internal},
		"forbidden":          {fails: []http.HandlerFunc{status(403)}, code: kb.Internal},
	} {
		t.Run(name, func(t *testing.T) {
			var clock clock
			var calls atomic.Int32 // each may come over a connection of its own
			e := serve(t, &clock, func(w http.ResponseWriter, r *http.Request) {
				if n := int(calls.Add(1)); n <= len(c.fails) {
					c.fails[n-1](w, r)
					return
				}
				answer(w, r)
			})
			_, err := e.Embed(t.Context(), []string{"text"}, c.kind)
			if kb.CodeOf(err) != c.code {
				t.Errorf("error %v, want code %q", err, c.code)
			}
			if fmt.Sprint(clock.waits) != fmt.Sprint(c.waits) {
				t.Errorf("waits %v, want %v", clock.waits, c.waits)
			}
			if c.code != "" && kb.AsError(err).Hint == "" {
				t.Errorf("error %v has no hint", err)
			}
		})
	}
}

func TestCancelling(t *testing.T) {
	t.Parallel()
	t.Run("while waiting", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		e := serve(t, &clock{onWait: cancel}, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) })
		if _, err := e.Embed(ctx, []string{"text"}, embed.Passage); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("while the server computes", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		e := serve(t, &clock{}, func(_ http.ResponseWriter, r *http.Request) {
			// A server sees that a client is gone only after reading all.
			_, _ = io.Copy(io.Discard, r.Body)
			cancel()
			<-r.Context().Done()
		})
		if _, err := e.Embed(ctx, []string{"text"}, embed.Passage); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("the deadline of an attempt", func(t *testing.T) {
		var calls atomic.Int32
		done := make(chan struct{})
		server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			calls.Add(1)
			<-done
		}))
		t.Cleanup(server.Close)
		t.Cleanup(func() { close(done) }) // before the server waits for its handlers
		s := spec(server.URL)
		s.Timeout = time.Nanosecond // over before anything can happen
		e := New(s, plain{}, (&clock{}).world(server.Client()))
		_, err := e.Embed(t.Context(), []string{"text"}, embed.Passage)
		if kb.CodeOf(err) != kb.Internal || kb.AsError(err).Hint == "" || calls.Load() > 1 {
			t.Errorf("error %v after %d calls", err, calls.Load())
		}
	})
}

func TestAnswersThatAreNone(t *testing.T) {
	t.Parallel()
	vector := "[1" + strings.Repeat(",0.5", dimensions-1) + "]"
	replace := func(old, new string) string { return strings.Replace(vector, old, new, 1) }
	for name, c := range map[string]struct {
		body string
		code kb.Code
		want string // in the message
	}{
		"fine":            {"[" + vector + "]", "", ""},
		"nothing":         {"", kb.Internal, "not JSON"},
		"a web page":      {"<!doctype html><title>Sign in</title>", kb.Internal, "not JSON"},
		"cut short":       {"[[1,2", kb.Internal, "not JSON"},
		"NaN":             {"[" + replace("0.5", "NaN") + "]", kb.Internal, "not JSON"},
		"null":            {"[" + replace("0.5", "null") + "]", kb.Internal, "finite numbers"},
		"too large":       {"[" + replace("0.5", "1e39") + "]", kb.Internal, "finite numbers"},
		"a string":        {"[" + replace("0.5", `"0.5"`) + "]", kb.Internal, "finite numbers"},
		"nested":          {"[" + replace("0.5", "[1,2]") + "]", kb.Internal, "finite numbers"},
		"base64":          {`["AAAA"]`, kb.Internal, "finite numbers"},
		"another form":    {`{"error": null}`, kb.Internal, "no embeddings"},
		"none":            {"[]", kb.Internal, "0 embeddings for 1"},
		"one too many":    {"[" + vector + "," + vector + "]", kb.Internal, "2 embeddings for 1"},
		"too short":       {"[[1,2,3]]", kb.Usage, "3 dimensions, not 256"},
		"no numbers":      {"[[]]", kb.Usage, "0 dimensions"},
		"zeros":           {"[[0" + strings.Repeat(",0", dimensions-1) + "]]", kb.Internal, "zeros"},
		"endless":         {"[[" + strings.Repeat("0.0000000000,", 20000), kb.Internal, "more than 1 embeddings can take"},
		"blanks":          {" [ [ 1 " + strings.Repeat(" , 2", dimensions-1) + " ] ] ", "", ""},
		"trailing things": {"[" + vector + "] x", kb.Internal, "not JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			e := serve(t, &clock{}, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, c.body) })
			_, err := e.Embed(t.Context(), []string{"text"}, embed.Passage)
			if kb.CodeOf(err) != c.code {
				t.Fatalf("error %v, want code %q", err, c.code)
			}
			if err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
}

// A text that the server refuses is found, whatever batch it is in.
func TestRefusedText(t *testing.T) {
	t.Parallel()
	for _, code := range []int{400, 413, 422} {
		t.Run(strconv.Itoa(code), func(t *testing.T) {
			refuse := func(texts []string) bool {
				for _, text := range texts {
					if strings.Contains(text, "toolong") {
						return true
					}
				}
				return code == 413 && len(texts) > 1 // too large together
			}
			e := serve(t, &clock{}, func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				var texts []string
				if err != nil || json.Unmarshal(body, &texts) != nil || refuse(texts) {
					w.WriteHeader(code)
					writeJSON(w, map[string]any{"error": map[string]string{"code": "too_long", "message": "less, please"}})
					return
				}
				r.Body = io.NopCloser(strings.NewReader(string(body)))
				answer(w, r)
			})
			if v, err := e.Embed(t.Context(), []string{"a", "b", "c", "d", "e"}, embed.Passage); err != nil || len(v) != 5 {
				t.Fatalf("%d vectors, %v", len(v), err)
			}
			texts := []string{"a", "b", "c", "d", "e", "f", "toolong", "g"}
			if _, err := e.Embed(t.Context(), texts, embed.Passage); code != 413 && (!errors.Is(err, embed.ErrNotTaken) || kb.AsError(err).Details["index"] != 6) {
				t.Errorf("a short text: %v", err)
			}
			texts[6] += strings.Repeat(" word", shortTokens)
			_, err := e.Embed(t.Context(), texts, embed.Passage)
			failure := kb.AsError(err)
			if errors.Is(err, embed.ErrNotTaken) {
				t.Error("a long text does not count as too long")
			}
			if failure.Code != kb.Invalid || failure.Details["index"] != 6 || failure.Details["max_tokens"] == nil {
				t.Errorf("error %v, details %v", err, failure.Details)
			}
			if !strings.Contains(failure.Message, "(too_long): less, please") {
				t.Errorf("error %v does not pass on what the server said", err)
			}
		})
	}
}

// A server that takes nothing at all says nothing about the length of a text, and
// one that takes it a moment later took it.
func TestServerThatIsNotReady(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 200)
	for _, code := range []int{400, 422} {
		for ready, want := range map[int]kb.Code{1: "", 2: kb.Internal, 1000: kb.Internal} {
			var calls atomic.Int32
			e := serve(t, &clock{}, func(w http.ResponseWriter, r *http.Request) {
				if int(calls.Add(1)) <= ready {
					w.WriteHeader(code)
					writeJSON(w, map[string]string{"error": "the model is not loaded, try later"})
					return
				}
				answer(w, r)
			})
			_, err := e.Embed(t.Context(), []string{long}, embed.Passage)
			if kb.CodeOf(err) != want || errors.Is(err, embed.ErrNotTaken) {
				t.Errorf("%d, ready after %d requests: %v", code, ready, err)
			}
			if err != nil && (!strings.Contains(err.Error(), "not loaded, try later") || kb.AsError(err).Hint == "") {
				t.Errorf("error %v, hint %q", err, kb.AsError(err).Hint)
			}
		}
	}
}

// One that finds every request too large, as a proxy may that is set up wrongly,
// says nothing about a short text.
func TestServerThatTakesNoRequest(t *testing.T) {
	t.Parallel()
	e := serve(t, &clock{}, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusRequestEntityTooLarge) })
	_, err := e.Embed(t.Context(), []string{"a few words"}, embed.Passage)
	if kb.CodeOf(err) != kb.Internal || errors.Is(err, embed.ErrNotTaken) || !strings.Contains(err.Error(), "413") {
		t.Errorf("%v", err)
	}
}

// Neither the key nor text may come back in an error, whatever a server says.
func TestErrorsKeepSecrets(t *testing.T) {
	t.Parallel()
	for name, said := range map[string]string{
		"key":   "invalid key " + secret,
		"text":  "cannot embed \"" + private + "\"",
		"part":  "near '" + private[4:20] + "'",
		"space": strings.Repeat(" ", 5000) + private,
		"late":  strings.Repeat("x", 180) + " " + private,
	} {
		for _, status := range []int{400, 401, 403, 429, 500} {
			e := serve(t, &clock{}, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(status)
				writeJSON(w, map[string]string{"error": said})
			})
			_, err := e.Embed(t.Context(), []string{"fine", private}, embed.Passage)
			if err == nil {
				t.Fatal("no error")
			}
			text := err.Error() + kb.AsError(err).Hint + fmt.Sprint(kb.AsError(err).Details)
			if strings.Contains(text, secret) || strings.Contains(text, private[4:16]) {
				t.Errorf("%s, %d: %s", name, status, text)
			}
		}
	}
	for _, shown := range []string{
		fmt.Sprintf("%v %+v %#v %s %q %x", spec(""), spec(""), spec(""), Key(secret), Key(secret), Key(secret)),
		logged(t, spec("")),
	} {
		if strings.Contains(shown, secret) || strings.Contains(shown, "736b2d") {
			t.Errorf("the key is shown in %s", shown)
		}
	}
}

func logged(t *testing.T, v any) string {
	t.Helper()
	var b strings.Builder
	slog.New(slog.NewJSONHandler(&b, nil)).Info("spec", "spec", v)
	return b.String()
}

func TestKnownRefusalsAreNotRetried(t *testing.T) {
	t.Parallel()
	var clock clock
	e := serve(t, &clock, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(429)
		writeJSON(w, map[string]any{"error": map[string]any{"code": 429, "type": "known"}})
	})
	_, err := e.Embed(t.Context(), []string{"text"}, embed.Passage)
	if kb.CodeOf(err) != kb.NotFound || len(clock.waits) != 0 {
		t.Errorf("error %v after %d waits", err, len(clock.waits))
	}
}

// A redirect would carry private text to a server that nobody configured.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the text went elsewhere")
	}))
	t.Cleanup(elsewhere.Close)
	e := serve(t, &clock{}, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
	})
	if _, err := e.Embed(t.Context(), []string{"text"}, embed.Passage); kb.CodeOf(err) != kb.Usage {
		t.Errorf("error %v, want %s", err, kb.Usage)
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	var clock clock
	e := New(spec(server.URL), plain{}, clock.world(server.Client()))
	_, err := e.Embed(t.Context(), []string{"text"}, embed.Passage)
	if kb.CodeOf(err) != kb.Internal || len(clock.waits) != 4 || kb.AsError(err).Hint == "" {
		t.Errorf("error %v after %d waits", err, len(clock.waits))
	}
}

func TestProbe(t *testing.T) {
	t.Parallel()
	e := serve(t, &clock{}, func(w http.ResponseWriter, r *http.Request) { answer(w, r) })
	e.spec.Dimensions = 0
	if n, err := e.Probe(t.Context()); err != nil || n != dimensions {
		t.Errorf("Probe = %d, %v", n, err)
	}
}
