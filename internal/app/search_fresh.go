package app

import (
	"context"
	"fmt"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/embed/bge"
	"github.com/cairn-kb/cairn/internal/embedding"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/space"
)

// freshen syncs the directories that are searched, when the request wants it.
// What goes wrong is part of the answer: stale results are better than none.
func (s *searching) freshen(ctx context.Context) error {
	if !s.req.Sync {
		for _, sp := range s.spaces {
			if sp.Kind == kb.DirectorySpace {
				s.synced(sp)
			}
		}
		return nil
	}
	f, err := s.a.freshen(ctx, s.spaces, s.req.Progress)
	if err != nil {
		return err
	}
	for _, sp := range f.stale {
		s.synced(sp)
	}
	s.out.Unsynced, s.out.Notes = f.unread, append(s.out.Notes, f.notes...)
	if len(s.spaces) == 1 && len(f.reports) == 1 {
		s.out.Synced = &f.reports[0]
	}
	return nil
}

// synced says of the answer that it is as of a space's last sync.
func (s *searching) synced(sp kb.Space) {
	if t := sp.Synced.UTC(); !sp.Synced.IsZero() && (s.out.SyncedAt == nil || t.Before(*s.out.SyncedAt)) {
		s.out.SyncedAt = &t
	}
}

// left says how many pages are not searchable by meaning yet.
func (s *searching) left(pages int) {
	if s.out.Left = pages; pages == 0 {
		return
	}
	remedy := "cairn embed"
	if len(s.spaces) > 1 {
		remedy += " --all"
	}
	s.note("%s not searchable by meaning yet: %s", api.Plural(pages, "page"), remedy)
}

// waitingForModel returns how many pages the active model has not embedded,
// also where it cannot be had now: what is to be done is not less for that.
// Without a model there is nothing to wait for.
func (s *searching) waitingForModel(ctx context.Context) (pages int, err error) {
	all, err := s.tx.Models().All(ctx)
	if err != nil {
		return 0, err
	}
	name := bge.Name
	if m, ok := embedding.Chosen(all); ok {
		name = m.Name
	} else if !bge.Available() {
		return 0, nil
	}
	n, err := s.a.embedding.Coverage(ctx, s.tx, name, s.rows(), s.mark)
	if kb.CodeOf(err) == kb.NotFound { // the built-in model before its first use
		return space.CountPages(ctx, s.tx, s.rows())
	}
	return n.Left, err
}

// wordsOnly says why meaning was left out, and what to do about it.
func (s *searching) wordsOnly(e *kb.Error) {
	s.out.Mode, s.out.SearchMode = ModeWords, ModeWords
	s.note("searched by words only: %s", api.Note(e))
}

func (s *searching) note(format string, args ...any) {
	s.out.Notes = append(s.out.Notes, fmt.Sprintf(format, args...))
}
