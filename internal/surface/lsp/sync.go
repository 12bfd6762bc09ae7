package lsp

import (
	"context"
	"maps"
	"slices"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
)

// sync has the directories of open documents read when files may have changed, until ctx is
// done.
func (s *Server) sync(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.look:
		}
		s.syncNow(ctx)
	}
}

// syncNow reads the directories of open documents. An error comes back when a request needs
// these files.
func (s *Server) syncNow(ctx context.Context) {
	s.mu.Lock()
	docs := maps.Clone(s.docs)
	for uri, d := range docs {
		docs[uri] = d.fresh()
	}
	s.docs = docs
	s.mu.Unlock()
	t, end, err := s.turn(ctx, docs)
	if err != nil || t == nil {
		return
	}
	defer end()
	var spaces []kb.Space
	for _, text := range t.reader.Open {
		if !slices.ContainsFunc(spaces, func(o kb.Space) bool { return o.ID == text.Space.ID }) {
			spaces = append(spaces, text.Space)
		}
	}
	if _, err := freshness.ToRead(ctx, t.reader.Session, spaces, nil); err != nil {
		return
	}
	poke(s.wake)
}
