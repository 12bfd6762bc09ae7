package scenarios_test

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// A question that is longer than the model takes is asked for by the meaning of
// its start, and by all of its words.
func TestLongQuestion(t *testing.T) {
	t.Parallel()
	a := meaningBed(t)
	apptest.OK(embedding.Embed(t.Context(), a, embedding.Request{}))(t)
	about := strings.Repeat("training a pet to obey, ", 60)
	for name, question := range map[string]string{
		"words":    about + strings.Repeat("and italian food too ", 52),
		"one word": about + strings.Repeat("宀", 2000),
	} {
		r := apptest.OK(read.Search(t.Context(), a, retrieve.SearchRequest{Query: question + " basil", Mode: api.ModeHybrid, Explain: true}))(t)
		if r.SearchMode != "" || !noted(r.Notes, "the question has ") || !noted(r.Notes, "semantic search uses only its start") {
			t.Errorf("%s: searched by %s, with notes %q", name, r.Mode, r.Notes)
		}
		by := map[string]api.Why{}
		for _, h := range r.Items {
			by[h.Path] = h.Why
		}
		if w := by["dog.md"]; w.Meaning == nil || w.Meaning.Rank != 1 {
			t.Errorf("%s: nearest is not what its start is about: %+v", name, by)
		}
		if w := by["cooking.md"]; name == "words" && w.Words == nil {
			t.Errorf("%s: its end is not searched by words: %+v", name, by)
		}
	}
	// What fits just so is not cut.
	m := apptest.OK(bge.New("", 0))(t)
	fits := strings.TrimSpace(strings.Repeat("pet ", 512))
	for n := 257; n > 256; n = apptest.OK(m.CountTokens(fits))(t) {
		fits = strings.TrimSuffix(fits, " pet")
	}
	if r := apptest.OK(read.Search(t.Context(), a, retrieve.SearchRequest{Query: fits, Mode: api.ModeVector}))(t); noted(r.Notes, "the question has ") {
		t.Errorf("notes %q", r.Notes)
	}
	if r := apptest.OK(read.Search(t.Context(), a, retrieve.SearchRequest{Query: fits + " pet", Mode: api.ModeVector}))(t); !noted(r.Notes, "the question has ") {
		t.Errorf("one more: notes %q", r.Notes)
	}
}

// A server that finds a question too long, whatever cairn thinks of its length,
// leaves it to words, and the answer says why.
func TestQuestionThatAServerRefuses(t *testing.T) {
	t.Parallel()
	_, a, server := serverBed(t)
	apptest.OK(embedding.Embed(t.Context(), a, embedding.Request{}))(t)
	longest := 100
	server.Before = func(texts []string) int {
		if len(texts[0]) > longest {
			return 413 // too large
		}
		return 0
	}
	ask := func(question string) api.SearchResult {
		return apptest.OK(read.Search(t.Context(), a, retrieve.SearchRequest{Query: question, Mode: api.ModeHybrid}))(t)
	}
	r := ask(strings.Repeat("puppies learn ", 20))
	if r.SearchMode != api.ModeWords || !noted(r.Notes, "the question may be longer than ollama/m takes") || len(r.Items) == 0 || r.Items[0].Path != "dog.md" {
		t.Errorf("refused: %+v", r)
	}
	longest = 1 << 20
	if r := ask(strings.Repeat("puppies learn ", 250)); r.SearchMode != "" || !noted(r.Notes, "semantic search uses only its start") {
		t.Errorf("longer than its context: %+v", r)
	}
}
