package server

import (
	"context"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
)

const (
	// embedBudget is how long to embed before looking what others do, and embedRest
	// how long to leave the processors to them when they do something.
	embedBudget = 200 * time.Millisecond
	embedRest   = 200 * time.Millisecond
	// maxRests is how many rests follow each other while others ask and write: in
	// a longer burst a tenth of the time is for embedding.
	maxRests = 9
	// busyEvery is how soon to look again when another process embeds.
	busyEvery = time.Second
)

// embed makes pages searchable by meaning, whenever there may be some that are
// not.
func (s *Server) embed(ctx context.Context) {
	var retry <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		case <-retry:
		}
		retry = nil
		switch busy, err := s.embedAll(ctx); {
		case err != nil:
			retry = s.opts.After(retryEvery)
		case busy:
			retry = s.opts.After(busyEvery)
		}
	}
}

// embedAll embeds until nothing is left, or another process is at it. It yields
// first, since more writes may follow the one that woke it, and whenever there
// are queries or writes.
func (s *Server) embedAll(ctx context.Context) (busy bool, err error) {
	var sum api.EmbedReport
	for aside := true; ; {
		if aside && !s.standAside(ctx) {
			return false, nil
		}
		_, before := s.app.Asked()
		asked := func() bool { now, ever := s.app.Asked(); return now || ever != before }
		r, err := embedding.Embed(ctx, s.app, embedding.Request{All: true, Budget: embedBudget, Yield: asked})
		// More pages wait than were left: another process writes.
		aside = asked() || sum.Pages > 0 && r.Left > sum.Left-r.Pages
		s.outcome(ctx, fault{part: Embedding}, err)
		sum.Model, sum.Left = r.Model, r.Left
		sum.Pages += r.Pages
		sum.Chunks += r.Chunks
		sum.Reused += r.Reused
		sum.Refused += r.Refused
		sum.Beyond += r.Beyond
		sum.Notes = append(sum.Notes, r.Notes...)
		sum.Millis += r.Millis
		if err != nil || r.Left == 0 || r.Pages+r.Chunks == 0 {
			if sum.Pages > 0 {
				s.say(Event{Kind: Embedded, Embed: &sum})
			}
			return r.Busy, err
		}
	}
}

// standAside leaves the processors to others, for longer while these ask and write:
// nothing that somebody waits for shall wait for what nobody does. It reports false
// when the server ends.
func (s *Server) standAside(ctx context.Context) bool {
	before, err := s.activity(ctx)
	for range maxRests {
		select {
		case <-ctx.Done():
			return false
		case <-s.opts.After(embedRest):
		}
		if err != nil {
			return true // the next round reports the problem
		}
		var now activity
		if now, err = s.activity(ctx); now == before && !now.waits {
			return true
		}
		before = now
	}
	return true
}

// activity is what others do. Embedding is none, though it commits: nothing is
// embedded between two looks.
type activity struct {
	committed, asked int64
	waits            bool // somebody, for an answer
}

func (s *Server) activity(ctx context.Context) (a activity, err error) {
	a.waits, a.asked = s.app.Asked()
	a.committed, err = s.app.Changed(ctx)
	return a, err
}
