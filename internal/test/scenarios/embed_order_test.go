package scenarios_test

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// Short pages are embedded first, and what is told of the work goes by the text.
func TestEmbedTakesShortPagesFirst(t *testing.T) {
	t.Parallel()
	_, a, server := serverBed(t)
	apptest.OK(embedding.Embed(t.Context(), a, embedding.Request{}))(t)
	apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: "long", Text: longNote(90)}))(t)
	apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: "short", Text: []byte("A short one.\n")}))(t)
	var texts []string
	server.Before = func(sent []string) int { texts = append(texts, sent...); return 0 }
	var works [][2]int64
	r := apptest.OK(embedding.Embed(t.Context(), a, embedding.Request{
		Progress: func(string, int, int) {},
		Work:     func(done, total int64) { works = append(works, [2]int64{done, total}) },
	}))(t)

	if r.Pages != 2 || len(texts) < 90 || !strings.Contains(texts[0], "A short one") {
		t.Errorf("%+v: %d texts, the first %.60q", r, len(texts), texts[:min(len(texts), 1)])
	}
	if n := len(works); n == 0 || works[n-1][0] != works[n-1][1] || works[0][1] < int64(len(longNote(90))) {
		t.Errorf("told of the work: %v", works)
	}
}

// Pages that were deleted since they were chosen end nothing.
func TestEmbedGoesOnBehindPagesThatAreGone(t *testing.T) {
	t.Parallel()
	_, a, _ := serverBed(t)
	var rows []int64
	for row := range int64(200) {
		rows = append(rows, 1000+row)
	}
	if r := apptest.OK(embedding.Embed(t.Context(), a, embedding.Request{Rows: append(rows, 1, 2)}))(t); r.Pages != 2 {
		t.Errorf("%+v", r)
	}
}

// Pages that a question found come first, then those that are pinned, and those that
// were changed.
func TestEmbedTakesFirstWhatSomebodyCaresFor(t *testing.T) {
	t.Parallel()
	_, a, server := serverBed(t)
	apptest.OK(embedding.Embed(t.Context(), a, embedding.Request{}))(t)
	long := strings.Repeat("Moss grows on old walls. ", 20)
	put := func(ref, text string) {
		t.Helper()
		apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: ref, Text: []byte(text)}))(t)
	}
	put("short", "Short.\n")
	put("changed", "Before.\n")
	version := 1
	apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: "changed", Text: []byte("Changed. " + long), WriteOptions: api.WriteOptions{Expected: &version}}))(t)
	put("pinned", "---\ntags: [pinned]\n---\nPinned. "+long)
	put("sought", "A heron. "+long+long)
	if r := apptest.OK(read.Query(t.Context(), a, retrieve.QueryRequest{SearchRequest: retrieve.SearchRequest{Query: "heron"}}))(t); len(r.Items) == 0 || r.Left == 0 {
		t.Fatalf("the question finds %+v", r)
	}
	var texts []string
	server.Before = func(sent []string) int { texts = append(texts, sent...); return 0 }
	if r := apptest.OK(embedding.Embed(t.Context(), a, embedding.Request{}))(t); r.Pages != 4 {
		t.Fatalf("%+v", r)
	}
	var order []string
	for _, text := range texts {
		for _, word := range []string{"heron", "Pinned.", "Changed.", "Short."} {
			if strings.Contains(text, word) {
				order = append(order, word)
			}
		}
	}
	if got := strings.Join(order, " "); got != "heron Pinned. Changed. Short." {
		t.Errorf("embedded are %s", got)
	}
}
