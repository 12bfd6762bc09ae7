package app_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/embed"
	"github.com/cairn-kb/cairn/internal/embed/embedtest"
	"github.com/cairn-kb/cairn/internal/kb"
)

// serverBed is a memory with notes whose model is behind a server.
func serverBed(t *testing.T) (*bed, *app.App, *embedtest.Server) {
	t.Helper()
	b, a := modelBed(t, nil)
	server := embedtest.Ollama(t, 64, "")
	m := ok[app.Model](t)(a.ModelAdd(t.Context(), app.ModelAdd{Name: "ollama/m", URL: server.URL}))
	ok[app.Model](t)(a.ModelUse(t.Context(), m.Name))
	return b, a, server
}

// A server that takes nothing fails the run, and what waits still waits when it
// works again.
func TestEmbedWithAServerThatIsNotReady(t *testing.T) {
	_, a, server := serverBed(t)
	ctx := context.Background()
	var ready atomic.Bool
	server.Before = func([]string) int {
		if ready.Load() {
			return 0
		}
		return 400
	}
	r, err := a.Embed(ctx, app.EmbedRequest{})
	if kb.CodeOf(err) != kb.Internal || kb.AsError(err).Hint == "" || r.Pages != 0 || r.Refused != 0 {
		t.Errorf("not ready: %+v, %v", r, err)
	}
	ready.Store(true)
	if r := ok[app.EmbedReport](t)(a.Embed(ctx, app.EmbedRequest{})); r.Pages != 4 || r.Left != 0 || r.Refused != 0 {
		t.Errorf("ready: %+v", r)
	}
}

// A text that the server does not take holds up no other. A long one is done
// without a vector; the page of a short one waits, and the run says why.
func TestEmbedWithAServerThatTakesNotAll(t *testing.T) {
	_, a, server := serverBed(t)
	ctx := context.Background()
	var all atomic.Bool
	server.Before = func(texts []string) int {
		if !all.Load() && strings.Contains(strings.Join(texts, "\n"), "pelican") {
			return 400
		}
		return 0
	}
	ok[app.Written](t)(a.Put(ctx, app.PutRequest{Ref: "a-short", Text: []byte("A pelican.\n")}))
	ok[app.Written](t)(a.Put(ctx, app.PutRequest{Ref: "a-long", Text: []byte("A pelican" + strings.Repeat(" and a gull", 40) + ".\n")}))
	r, err := a.Embed(ctx, app.EmbedRequest{})
	if !errors.Is(err, embed.ErrNotTaken) || r.Pages != 5 || r.Refused != 1 || r.Left != 1 {
		t.Errorf("not all: %+v, %v", r, err)
	}
	all.Store(true)
	if r := ok[app.EmbedReport](t)(a.Embed(ctx, app.EmbedRequest{})); r.Pages != 1 || r.Chunks != 1 || r.Left != 0 {
		t.Errorf("all: %+v", r)
	}
}
