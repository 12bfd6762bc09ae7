package webui

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

// While an answer is looked for, a screen shows the one before, and nobody asks a second time.
func TestSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSlow()
		release := make(chan string)
		asked := 0
		want := func(text string, wait bool) {
			t.Helper()
			got, asking, err := s.ask(t.Context(), "ada", func(context.Context) (data, error) {
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
		if _, asking, err := s.ask(t.Context(), "ada", func(context.Context) (data, error) { panic("no") }); err == nil || asking {
			t.Errorf("a failure: %v, still asking %v", err, asking)
		}
		failed := errors.New("the disk is full")
		fail := func(context.Context) (data, error) { <-release; return nil, failed }
		if _, _, err := s.ask(t.Context(), "ada", fail); err == nil {
			t.Error("the failure before is not shown")
		}
		release <- ""
		synctest.Wait()
		if got, asking, err := s.ask(t.Context(), "ada", fail); err != failed || !asking || got.str("text") != "three" {
			t.Errorf("after a late failure: %v, still asking %v, %v", got, asking, err)
		}
		release <- ""
		ended := false
		_, _, _ = s.ask(t.Context(), "eve", func(ctx context.Context) (data, error) {
			<-ctx.Done()
			ended = true
			return nil, ctx.Err()
		})
		s.end()
		if _, asking, _ := s.ask(t.Context(), "eve", fail); !ended || !asking {
			t.Errorf("ended %v at the end of the server", ended)
		}
	})
}
