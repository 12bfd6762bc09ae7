package agents

import (
	"io"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/state"
)

// What is written is embedded once nobody writes any more, this process or another; what
// is left when the process ends, at once.
func TestEmbedsWhenWritesRest(t *testing.T) {
	t.Parallel()
	if !bge.Available() {
		t.Skip("this build has no model")
	}
	b := apptest.New(t)
	rests, ticks := make(chan time.Duration), make(chan time.Time)
	p := command.New(t.Context(), command.Env{
		Getenv: func(string) string { return "" }, Home: b.Home, Dir: b.Home, Stdout: io.Discard, Stderr: t.Output(),
		After: func(d time.Duration) <-chan time.Time {
			if d != embedRest {
				return make(chan time.Time) // how long embedding may take
			}
			rests <- d
			return ticks
		},
	})
	beside := newEmbedder(p, false)
	other := b.Open()
	b.Opts.OnWritten = beside.add
	m := b.Lazy()
	a := apptest.OK(m.Session(t.Context(), true))(t)
	put := func(a *memory.Session, slug string) {
		t.Helper()
		apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: slug, Text: []byte("A page of " + slug + ".\n")}))(t)
	}
	chunks := func() int { return apptest.OK(state.CountStats(t.Context(), a, false))(t).Chunks }

	finish := beside.start(t.Context(), m)
	put(a, "one") // the first of all is embedded at once
	<-rests
	if n := chunks(); n != 1 {
		t.Errorf("%d chunks are embedded after one write", n)
	}
	put(a, "two")
	ticks <- time.Time{}
	<-rests
	put(other, "three")
	ticks <- time.Time{}
	<-rests
	if n := chunks(); n != 1 {
		t.Errorf("%d chunks are embedded while pages are written", n)
	}
	ticks <- time.Time{}
	<-rests // after the second of what this process wrote
	if n := chunks(); n != 2 {
		t.Errorf("%d chunks are embedded once nobody writes", n)
	}
	put(a, "four")
	finish()
	if n := chunks(); n != 3 {
		t.Errorf("%d chunks are embedded at the end, want 3", n)
	}
}
