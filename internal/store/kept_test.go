package store_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/cairn-kb/cairn/internal/store"
)

func TestKeep(t *testing.T) {
	t.Parallel()
	var k store.Kept
	calls := 0
	for _, step := range []struct {
		name  string
		k     *store.Kept
		mark  int64
		key   string
		fails error
		calls int // so far
	}{
		{"first", &k, 1, "a", nil, 1},
		{"again", &k, 1, "a", nil, 1},
		{"another key", &k, 1, "b", nil, 2},
		{"somebody committed", &k, 2, "a", nil, 3},
		{"and the other key", &k, 2, "b", nil, 4},
		{"again, too", &k, 2, "a", nil, 4},
		{"a failure", &k, 2, "c", errors.New("no"), 5},
		{"after the failure", &k, 2, "c", nil, 6},
		{"nothing is kept", nil, 2, "a", nil, 7},
		{"nor then", nil, 2, "a", nil, 8},
	} {
		got, err := store.Keep(step.k, step.mark, step.key, func() (string, error) {
			calls++
			return step.key, step.fails
		})
		if !errors.Is(err, step.fails) || got != step.key || calls != step.calls {
			t.Errorf("%s: %q, %v, %d calls, want %d", step.name, got, err, calls, step.calls)
		}
	}
	k.Drop()
	if _, err := store.Keep(&k, 2, "a", func() (string, error) { calls++; return "", nil }); err != nil || calls != 9 {
		t.Errorf("after all was dropped: %d calls, %v", calls, err)
	}
	// What was worked out from a state that is past by then is for nobody.
	_, err := store.Keep(&k, 3, "slow", func() (string, error) {
		return store.Keep(&k, 4, "quick", func() (string, error) { return "of 4", nil })
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := store.Keep(&k, 4, "slow", func() (string, error) { return "anew", nil })
	if err != nil || got != "anew" {
		t.Errorf("%q, %v", got, err)
	}
}

// A result that is asked for again and again stays, however many others come.
func TestKeepWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	var k store.Kept
	shared := 0
	for page := range 2000 {
		for _, key := range []string{"all", fmt.Sprint("page ", page)} {
			if _, err := store.Keep(&k, 1, key, func() (string, error) {
				if key == "all" {
					shared++
				}
				return key, nil
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if shared != 1 {
		t.Errorf("the shared result was computed %d times", shared)
	}
}
