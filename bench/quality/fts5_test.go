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
		{"none.md", []byte("Cats are many.")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.db.Close()
	for query, want := range map[string][]string{
		`cat "dog`:     {"both.md", "short.md", "long.md"}, // the rarest word first, then the shortest note
		"cat NOT dogs": {"short.md", "both.md", "long.md"}, // no operators, no stemming
		"?":            nil,
	} {
		got, err := p.find(ctx, query)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v, want %v", query, got, err, want)
		}
	}
}
