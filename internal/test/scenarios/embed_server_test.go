package scenarios_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/search/embed"
	"github.com/cairn-kb/cairn/internal/search/embed/embedtest"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// serverBed is a memory with notes whose model is behind a server.
func serverBed(t *testing.T) (*apptest.Bed, *memory.Session, *embedtest.Server) {
	t.Helper()
	b, a := modelBed(t, nil)
	server := embedtest.Ollama(t, 64, "")
	m := apptest.OK(embedding.AddModel(t.Context(), a, embedding.ModelAdd{Name: "ollama/m", URL: server.URL}))(t)
	apptest.OK(embedding.UseModel(t.Context(), a, m.Name))(t)
	return b, a, server
}

// A server that takes nothing fails the run, and what waits still waits when it
// works again.
func TestEmbedWithAServerThatIsNotReady(t *testing.T) {
	t.Parallel()
	_, a, server := serverBed(t)
	ctx := context.Background()
	var ready atomic.Bool
	server.Before = func([]string) int {
		if ready.Load() {
			return 0
		}
		return 400
	}
	r, err := embedding.Embed(ctx, a, embedding.Request{})
	if kb.CodeOf(err) != kb.Internal || kb.AsError(err).Hint == "" || r.Pages != 0 || r.Refused != 0 {
		t.Errorf("not ready: %+v, %v", r, err)
	}
	ready.Store(true)
	if r := apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t); r.Pages != 4 || r.Left != 0 || r.Refused != 0 {
		t.Errorf("ready: %+v", r)
	}
}

// A text that the server does not take holds up no other. A long one is done
// without a vector; the page of a short one waits, and the run says why.
func TestEmbedWithAServerThatTakesNotAll(t *testing.T) {
	t.Parallel()
	_, a, server := serverBed(t)
	ctx := context.Background()
	var all atomic.Bool
	server.Before = func(texts []string) int {
		if !all.Load() && strings.Contains(strings.Join(texts, "\n"), "pelican") {
			return 400
		}
		return 0
	}
	apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "a-short", Text: []byte("A pelican.\n")}))(t)
	apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "a-long", Text: []byte("A pelican" + strings.Repeat(" and a gull", 40) + ".\n")}))(t)
	r, err := embedding.Embed(ctx, a, embedding.Request{})
	if !errors.Is(err, embed.ErrNotTaken) || r.Pages != 5 || r.Refused != 1 || r.Left != 1 {
		t.Errorf("not all: %+v, %v", r, err)
	}
	all.Store(true)
	if r := apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t); r.Pages != 1 || r.Chunks != 1 || r.Left != 0 {
		t.Errorf("all: %+v", r)
	}
}

// longNote is a page of n chunks.
func longNote(n int) []byte {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "- Stone number %d lies on the path.\n", i)
	}
	return []byte(text.String())
}

// What was computed before a failure or an interruption is kept, also of a page
// that is not done, and nothing is asked for twice.
func TestEmbedKeepsWhatWasAnswered(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(cancel func()) int{
		"server":    func(func()) int { return 401 },
		"interrupt": func(cancel func()) int { cancel(); return 503 },
	} {
		t.Run(name, func(t *testing.T) {
			_, a, server := serverBed(t)
			apptest.OK(embedding.Embed(t.Context(), a, embedding.Request{}))(t)
			apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: "long", Text: longNote(200)}))(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			before, calls := server.Texts.Load(), 0
			server.Before = func([]string) int {
				if calls++; calls > 4 {
					return fail(cancel)
				}
				return 0
			}
			if r, err := embedding.Embed(ctx, a, embedding.Request{}); err == nil || r.Left != 1 {
				t.Fatalf("%+v, %v: want an error, and the page left", r, err)
			}
			answered := int(server.Texts.Load() - before)
			server.Before = nil
			r := apptest.OK(embedding.Embed(t.Context(), a, embedding.Request{}))(t)
			if answered == 0 || r.Reused != answered || r.Chunks+r.Reused < 200 || r.Left != 0 {
				t.Errorf("after %d answers: %+v", answered, r)
			}
		})
	}
}

// A clock that goes on by a second whenever it is read makes every turn as
// short as can be: a long page is done in many, and nothing of it twice.
func TestEmbedInManyTurns(t *testing.T) {
	t.Parallel()
	for _, again := range []bool{false, true} {
		b, a, server := serverBed(t)
		apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: "long", Text: longNote(300)}))(t)
		if again {
			apptest.OK(embedding.Embed(t.Context(), a, embedding.Request{}))(t)
		}
		b.Clock(b.Opts.Now(), time.Second)
		pauses := 0
		b.Opts.Wait = func(ctx context.Context, _ time.Duration) error { pauses++; return ctx.Err() }
		slow := b.Open()
		var phases []string
		before := server.Texts.Load()
		r := apptest.OK(embedding.Embed(t.Context(), slow, embedding.Request{Again: again, Progress: func(phase string, done, total int) {
			if done > total {
				t.Errorf("%s %d of %d", phase, done, total)
			}
			if len(phases) == 0 || phases[len(phases)-1] != phase {
				phases = append(phases, phase)
			}
		}}))(t)

		if r.Pages != 5 || r.Left != 0 || r.Reused != 0 || int64(r.Chunks) != server.Texts.Load()-before || pauses < 300/64 {
			t.Errorf("%+v in %d turns, %d texts sent", r, pauses, server.Texts.Load()-before)
		}
		if got := strings.Join(phases, ", "); got != "embedding chunks of one page, embedding" {
			t.Errorf("phases: %s", got)
		}
	}
}

// A question that embeds first keeps what was answered in its time, and the next
// one goes on there.
func TestEmbedWithinALimit(t *testing.T) {
	t.Parallel()
	b, a, server := serverBed(t)
	apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: "long", Text: longNote(90)}))(t)
	clock := b.Clock(b.Opts.Now(), 0)
	slow := b.Open()
	var sizes []int
	server.Before = func(texts []string) int {
		clock.Advance(1300 * time.Millisecond)
		sizes = append(sizes, len(texts))
		return 0
	}
	const budget = 2 * time.Second
	sent := 0
	for range 3 {
		sizes = nil
		r := apptest.OK(embedding.Embed(t.Context(), slow, embedding.Request{Budget: budget, Limit: budget}))(t)
		if len(sizes) != 1 || r.Chunks != sizes[0] || r.Chunks == 0 {
			t.Errorf("asked for %v, and kept %+v", sizes, r)
		}
		sent += r.Chunks
	}
	server.Before = nil
	if r := apptest.OK(embedding.Embed(t.Context(), a, embedding.Request{}))(t); r.Chunks+sent < 90 || r.Chunks+sent > 110 {
		t.Errorf("%d, and then %+v", sent, r)
	}
}

// Who has a budget is soon done with what was begun: the model is given less at once.
func TestEmbedGivesLessAtOnceWithABudget(t *testing.T) {
	t.Parallel()
	for budget, want := range map[time.Duration]int{0: 32, time.Hour: 22} {
		_, a, server := serverBed(t)
		var text strings.Builder
		for i := range 64 {
			fmt.Fprintf(&text, "- Stone number %d%s.\n", i, strings.Repeat(" lies on the path", 10))
		}
		apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: "long", Text: []byte(text.String())}))(t)
		most := 0
		server.Before = func(texts []string) int { most = max(most, len(texts)); return 0 }
		apptest.OK(embedding.Embed(t.Context(), a, embedding.Request{Refs: []string{"long"}, Budget: budget}))(t)
		if most != want {
			t.Errorf("budget %v: %d texts at once, want %d", budget, most, want)
		}
	}
}
