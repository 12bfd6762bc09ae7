package store_test

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/store"
)

func TestIsURL(t *testing.T) {
	t.Parallel()
	for location, want := range map[string]bool{
		"postgres://host/db":    true,
		"PostgreSQL://host/db":  true,
		"/home/me/memory.db":    false,
		"C:/Users/me/memory.db": false,
		"C://Users":             false,
		"memory.db":             false,
		"/a/postgres://b":       false,
		"":                      false,
	} {
		if got := store.IsURL(location); got != want {
			t.Errorf("%q: %v, want %v", location, got, want)
		}
	}
}
