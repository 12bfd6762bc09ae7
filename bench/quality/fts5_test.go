package main

import (
	"context"
	"slices"
	"testing"
)

func TestPlainFTS5(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p, err := newPlainFTS5(ctx, &set{notes: []note{
		{"long.md", []byte("# One\n\nA cat, and much text that is about something else altogether.")},
		{"short.md", []byte("a cat")},
		{"both.md", []byte("The cat and the dog.")},
		{"plural.md", []byte("Many of the cats are at home, and none is out.")},
		{"none.md", []byte("Catkins are many.")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.db.Close()
	for query, want := range map[string][]string{
		`cat "dog`:     {"both.md", "short.md", "plural.md", "long.md"}, // the rarest word first, then the shortest note
		"cat NOT dogs": {"both.md", "short.md", "plural.md", "long.md"}, // no operators; words are stemmed
		"?":            nil,
	} {
		got, err := p.find(ctx, query)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v, want %v", query, got, err, want)
		}
	}
}
