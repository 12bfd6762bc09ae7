package retrieve

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/search/query"
)

// Freshened is the result of a sync of the directories that are searched.
type Freshened struct {
	Reports []api.SyncReport
	Stale   []kb.Space // that could not be synced
	Unread  int        // files that changed and could not be read
	Notes   []string   // what went wrong
}

// Freshened notes in the answer what came of a sync before it. What went wrong is
// part of the answer: stale results are better than none.
func (s *Search) Freshened(f Freshened) {
	s.asIndexed(f.Stale)
	s.stale = len(f.Stale)
	for _, r := range f.Reports {
		for _, skipped := range r.Skipped {
			if !skipped.Elsewhere {
				s.skipped++
			}
		}
	}
	s.out.Unsynced, s.out.Notes = f.Unread, append(s.out.Notes, f.Notes...)
	if len(s.spaces) == 1 && len(f.Reports) == 1 {
		counts := f.Reports[0].Counts()
		s.out.Synced = &counts
	}
}

// asIndexed sets the time of the answer to that of the last sync of spaces, the
// earliest of them.
func (s *Search) asIndexed(spaces []kb.Space) {
	for _, sp := range spaces {
		if sp.Kind != kb.DirectorySpace || sp.Synced.IsZero() {
			continue
		}
		if t := sp.Synced.UTC(); s.out.SyncedAt == nil || t.Before(*s.out.SyncedAt) {
			s.out.SyncedAt = &t
		}
	}
}

// Embedded notes how long the pages took that the question had embedded.
func (s *Search) Embedded(pages int, took time.Duration) {
	if pages > 0 {
		s.perPage = took / time.Duration(pages)
	}
}

// left says how many pages are not searchable by meaning yet.
func (s *Search) left(pages int) {
	if s.out.Left = pages; pages == 0 {
		return
	}
	remedy := ": cairn embed"
	if s.perPage > 0 {
		remedy = fmt.Sprintf(" (about %s)%s", kb.Roughly(time.Duration(pages)*s.perPage), remedy)
	}
	if len(s.spaces) > 1 {
		remedy += " --all"
	}
	s.note("%s not embedded yet%s", api.Plural(pages, "page"), s.command(remedy))
}

// command returns a part of a note that names a command: nothing for an agent, which is not
// to run commands.
func (s *Search) command(text string) string {
	if s.engine.Actor.Kind == kb.Agent {
		return ""
	}
	return text
}

// waitingForModel returns how many pages the active model has not embedded,
// also where it cannot be had now: the work does not get less by that.
// Without a model there is nothing to wait for.
func (s *Search) waitingForModel(ctx context.Context) (pages int, err error) {
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
	n, err := embedding.CountCoverage(ctx, s.engine, s.tx, name, s.rows(), s.mark)
	if kb.CodeOf(err) == kb.NotFound { // the built-in model before its first use
		return space.CountPages(ctx, s.tx, s.rows())
	}
	return n.Left, err
}

// wordsOnly says why meaning was left out, and what to do about it.
func (s *Search) wordsOnly(e *kb.Error) {
	s.out.Mode, s.out.SearchMode = api.ModeWords, api.ModeWords
	s.note("searched by words only: %s", api.Note(e, s.engine.Hint))
}

func (s *Search) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(s.out.Notes, text) {
		s.out.Notes = append(s.out.Notes, text)
	}
}

// explainNothing notes that a question has no hits, and that the model does not know its
// script.
func (s *Search) explainNothing(list []candidate) {
	terms := wordsOf(s.query.Root)
	if terms == "" || s.req.Mode == api.ModeExact {
		return
	}
	script := s.unknownScript()
	if len(list) == 0 {
		near := ""
		if script == "" && s.index != nil && s.out.Mode != api.ModeWords {
			near = ", and none is near in meaning"
		}
		pages := "no page"
		if s.allowed != nil || len(s.query.Filters) > 0 {
			pages = "of the pages that are searched, none"
		}
		s.note("%s has any of these words%s", pages, near)
	}
	if script != "" {
		s.note("%s does not know %s script, so semantic results are unreliable: a multilingual model does%s", bge.Name, script, s.command(" (cairn model)"))
	}
}

// unknownScript is the script of the question where the built-in model, which is used, knows
// nothing of it: to such a question all texts in the script are near.
func (s *Search) unknownScript() string {
	script := query.Script(wordsOf(s.query.Root))
	if script == "Latin" || s.index == nil || !embedding.IsBuiltIn(s.question.model) {
		return ""
	}
	return script
}
