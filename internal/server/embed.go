package server

import (
	"context"
	"time"

	"github.com/cairn-kb/cairn/internal/app"
)

const (
	// embedBudget is how long to embed at a stretch, and embedRest how long to
	// leave the processors to others then.
	embedBudget = 200 * time.Millisecond
	embedRest   = 200 * time.Millisecond
	// maxRests is how many rests follow each other while pages are written: in
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

// embedAll embeds until nothing is left, or another process is at it.
func (s *Server) embedAll(ctx context.Context) (busy bool, err error) {
	var sum app.EmbedReport
	for {
		// First of all: what woke this may be a write that others follow.
		if !s.standAside(ctx) {
			return false, nil
		}
		r, err := s.app.Models().Embed(ctx, app.EmbedRequest{All: true, Budget: embedBudget})
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

// standAside leaves the processors to others, for longer while these write: nothing
// that somebody waits for shall wait for what nobody does. It reports false
// when the server ends.
func (s *Server) standAside(ctx context.Context) bool {
	before, err := s.app.Changed(ctx)
	for range maxRests {
		select {
		case <-ctx.Done():
			return false
		case <-s.opts.After(embedRest):
		}
		if err != nil {
			return true // what is wrong shows in the next stretch
		}
		var now int64
		if now, err = s.app.Changed(ctx); now == before {
			return true
		}
		before = now
	}
	return true
}
