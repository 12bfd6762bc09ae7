package server

import (
	"context"
	"os"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/state"
)

// state asks as another process does, until the server has told what is waited for.
func (b *testServer) state(what string, is func(*api.Serving) bool) *api.Serving {
	b.T.Helper()
	other := b.Open()
	for b.ctx.Err() == nil {
		if s := apptest.OK(state.Describe(b.ctx, other))(b.T).Serving; is(s) {
			return s
		}
	}
	b.T.Fatalf("the state never says %s", what)
	return nil
}

// Other processes are told what a server synced, and whether it runs. Of two servers
// one tells; when it ends, the other does.
func TestOthersAreToldOfAServer(t *testing.T) {
	t.Parallel()
	b := newServer(t, false)
	if s := apptest.OK(state.Describe(b.ctx, b.app))(t).Serving; s != nil {
		t.Errorf("before any server ran: %+v", s)
	}
	ctx, stop := context.WithCancel(b.ctx)
	ended := make(chan struct{})
	go func() { defer close(ended); b.server.Run(ctx) }()
	b.write("second.md", "# Second\n")
	b.state("that the file was added", func(s *api.Serving) bool {
		return s != nil && s.Running && len(s.Events) > 0 && s.Events[0].Path == "second.md" && s.Events[0].Space == "notes"
	})
	b.must(os.Remove(b.path("second.md")))
	s := b.state("that it was deleted", func(s *api.Serving) bool { return s.Events[0].Change == "deleted" })
	if s.Files < 2 || s.Errors != 0 || s.Since.IsZero() {
		t.Errorf("the server tells %+v", s)
	}

	other := New(b.app, Options{After: b.server.opts.After, Report: func(Event) {}})
	next, end := context.WithCancel(b.ctx)
	gone := make(chan struct{})
	go func() { defer close(gone); other.Run(next) }()
	stop()
	<-ended
	b.state("that the other server tells", func(s *api.Serving) bool { return s.Running })
	end()
	<-gone
	if s := apptest.OK(state.Describe(b.ctx, b.app))(t).Serving; s == nil || s.Running || len(s.Events) < 2 {
		t.Errorf("after both ended: %+v", s)
	}
}
