package embedtest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// Server is an Ollama server in this process with WordVector as its models.
type Server struct {
	*httptest.Server
	Texts   atomic.Int64 // number of texts embedded
	Dims    atomic.Int64 // dimensions of its vectors
	Stalled atomic.Bool  // it accepts requests and never answers

	Forbidden string // must not occur in a text; set before the first request
	// Before, if set, is called with the texts of a request before it is answered. It may
	// return the status of an error to answer with.
	Before func(texts []string) (status int)
}

// Ollama serves /api/embed and OpenAI's /v1/embeddings with vectors of the given dimensions
// until the test ends. Requests with a key other than key get 401.
func Ollama(t testing.TB, dimensions int, key string) *Server {
	t.Helper()
	s := &Server{}
	s.Dims.Store(int64(dimensions))
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Input []string `json:"input"`
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		if s.Stalled.Load() {
			<-r.Context().Done() // the client has given up
			return
		}
		if key != "" && r.Header.Get("Authorization") != "Bearer "+key {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if s.Before != nil {
			if status := s.Before(in.Input); status != 0 {
				w.WriteHeader(status)
				return
			}
		}
		s.Texts.Add(int64(len(in.Input)))
		type datum struct {
			Embedding []float32 `json:"embedding"`
		}
		var vectors [][]float32
		var data []datum
		for _, text := range in.Input {
			if s.Forbidden != "" && strings.Contains(text, s.Forbidden) {
				t.Errorf("%s was sent: %s", s.Forbidden, text)
			}
			v := WordVector(text, int(s.Dims.Load()))
			vectors, data = append(vectors, v), append(data, datum{v})
		}
		if err := json.NewEncoder(w).Encode(map[string]any{"embeddings": vectors, "data": data}); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	return s
}
