package webui

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

// A screen shows the answer before until there is one for what the memory holds, and nobody
// asks a second time meanwhile.
func TestSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSlow()
		release := make(chan string)
		asked := 0
		failed := errors.New("the disk is full")
		look := func(state, text string, current bool, fails error) {
			t.Helper()
			got, now, begin, err := s.ask(t.Context(), "ada", state, func(context.Context) (data, error) {
				asked++
				switch text := <-release; text {
				case "fail":
					return nil, failed
				case "panic":
					panic("no")
				default:
					return data{"text": text}, nil
				}
			})
			if begin != nil {
				begin()
			}
			if (err == nil) != (fails == nil) || fails != nil && !errors.Is(err, fails) || got.str("text") != text || now != current {
				t.Errorf("%v, current %v, %v; want %q, %v, %v", got, now, err, text, current, fails)
			}
		}
		answers := func(text string) {
			release <- text
			synctest.Wait()
		}
		look("1", "", false, nil)
		look("1", "", false, nil)
		look("2", "", false, nil)
		answers("of 1")
		look("1", "of 1", true, nil)
		look("2", "of 1", false, nil)
		answers("of 2")
		look("2", "of 2", true, nil)
		if asked != 2 {
			t.Errorf("asked %d times", asked)
		}
		look("3", "of 2", false, nil)
		answers("fail")
		look("3", "of 2", false, failed)
		answers("of 3")
		look("3", "of 3", true, nil)
		look("4", "of 3", false, nil)
		answers("panic")
		if _, _, _, err := s.ask(t.Context(), "ada", "4", nil); err == nil {
			t.Error("a failure is not shown")
		}
		ended := false
		_, _, begin, _ := s.ask(t.Context(), "eve", "1", func(ctx context.Context) (data, error) {
			<-ctx.Done()
			ended = true
			return nil, ctx.Err()
		})
		begin()
		s.end()
		if _, current, _, _ := s.ask(t.Context(), "eve", "1", nil); !ended || current {
			t.Errorf("ended %v at the end of the server", ended)
		}
	})
}
