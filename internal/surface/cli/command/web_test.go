package command

import "testing"

func TestPageAt(t *testing.T) {
	t.Parallel()
	for ref, want := range map[string]string{"people/ada": "/page/people/ada", "a;b": "/page/a%3Bb", "memory:a b?": "/page/memory:a%20b%3F"} {
		if got := PageAt(ref); got != want {
			t.Errorf("%s is at %s, want %s", ref, got, want)
		}
	}
}
