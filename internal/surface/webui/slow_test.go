package webui

import (
	"testing"
	"testing/synctest"
)

// While an answer is looked for, a screen shows the one before, and nobody asks a second time.
func TestSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s slow
		release := make(chan string)
		asked := 0
		want := func(text string, wait bool) {
			t.Helper()
			got, asking, err := s.ask(t.Context(), "ada", func() (data, error) {
				asked++
				return data{"text": <-release}, nil
			})
			if err != nil || got.str("text") != text || asking != wait {
				t.Errorf("%v, still asking %v, %v; want %q, %v", got, asking, err, text, wait)
			}
		}
		want("", true)
		want("", true)
		release <- "one"
		synctest.Wait()
		want("one", true)
		release <- "two"
		synctest.Wait()
		go func() { release <- "three" }()
		want("three", false)
		if asked != 3 {
			t.Errorf("asked %d times", asked)
		}
		if _, asking, err := s.ask(t.Context(), "ada", func() (data, error) { panic("no") }); err == nil || asking {
			t.Errorf("a failure: %v, still asking %v", err, asking)
		}
	})
}
