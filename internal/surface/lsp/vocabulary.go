package lsp

import (
	"context"
	"slices"
	"sync"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/unsaved"
)

// vocabularies are those of spaces, kept until the memory changes. While one is read again the
// previous one serves.
type vocabularies struct {
	mu  sync.Mutex
	all map[kb.ID]*kept
}

// kept is the vocabulary of a space as of a state of the memory.
type kept struct {
	mu      sync.Mutex
	at      int64
	known   *unsaved.Vocabulary
	reading bool
}

// vocabulary returns the vocabulary of the space of a text. The first time it is read; later
// it may be as old as the time that it takes to read it again.
func (t *turn) vocabulary(ctx context.Context, f unsaved.File) (*unsaved.Vocabulary, error) {
	s := t.server
	now, err := t.reader.Session.Changed(ctx)
	if err != nil {
		return nil, err
	}
	s.known.mu.Lock()
	if s.known.all == nil {
		s.known.all = map[kb.ID]*kept{}
	}
	k := s.known.all[f.Space.ID]
	if k == nil {
		k = &kept{}
		s.known.all[f.Space.ID] = k
	}
	s.known.mu.Unlock()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known == nil {
		k.known, err = t.readVocabulary(ctx, f)
		k.at = now
		return k.known, err
	}
	if k.at != now && !k.reading {
		k.reading = true
		again := *t
		s.work.Go(func() {
			v, err := again.readVocabulary(s.life, f)
			k.mu.Lock()
			defer k.mu.Unlock()
			k.reading = false
			if err == nil {
				k.known, k.at = v, now
			}
		})
	}
	return k.known, nil
}

// readVocabulary reads the vocabulary of a space, with the relations of its policy.
func (t *turn) readVocabulary(ctx context.Context, f unsaved.File) (*unsaved.Vocabulary, error) {
	v, err := t.reader.Vocabulary(ctx, f.Space)
	if err != nil {
		return nil, err
	}
	open, err := t.reader.Session.Spaces.OpenSpace(ctx, f.Space)
	if err != nil {
		return v, nil // its disk is away: what pages use is known without it
	}
	p := open.Policy.Predicates
	named := slices.Concat(p.Single, p.Exclusive, p.Many, p.Lasting)
	for name := range open.Policy.Lifecycle.Effects {
		named = append(named, name)
	}
	slices.Sort(named)
	for _, name := range named {
		if !slices.ContainsFunc(v.Relations, func(c api.Count) bool { return kb.NameKey(c.Value) == kb.NameKey(name) }) {
			v.Relations = append(v.Relations, api.Count{Value: name})
		}
	}
	return v, nil
}
