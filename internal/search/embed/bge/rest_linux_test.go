//go:build !slim

package bge

import (
	"context"
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/cairn-kb/cairn/internal/search/embed"
)

// Resting takes the weights' pages out of the process, and what is embedded
// then is what was embedded before.
func TestRest(t *testing.T) {
	t.Parallel()
	e, ctx := newEmbedder(t, ""), context.Background()
	embedOne := func() []float32 {
		t.Helper()
		v, err := e.Embed(ctx, []string{"a text that is embedded before and after"}, embed.Passage)
		if err != nil {
			t.Fatal(err)
		}
		return v[0]
	}
	want := embedOne()
	var before, after int64
	for range 20 { // tests at the same time bring pages back
		embedOne()
		before = resident(t)
		Rest()
		after = resident(t)
		// A text does not use the vectors of all words, so not all pages were there.
		if before-after >= int64(len(weights))/2 {
			break
		}
	}
	if before-after < int64(len(weights))/2 {
		t.Errorf("%d bytes of files were in the process, and %d are", before, after)
	}
	if !slices.Equal(want, embedOne()) {
		t.Error("the vector is another one")
	}
}

// resident returns how many bytes of files are in this process.
func resident(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`RssFile:\s*(\d+) kB`).FindSubmatch(text)
	if m == nil {
		t.Fatalf("no RssFile in %s", text)
	}
	n, err := strconv.ParseInt(string(m[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n << 10
}
