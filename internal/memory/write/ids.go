package write

import (
	"context"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy/lint"
	"github.com/cairn-kb/cairn/internal/store"
)

// checkIDs refuses to write the id of another page of the space into a document that did
// not have it. Copies of files keep their text: the page that has the id stays the page
// of it, and the answer names both.
func (s *changeSet) checkIDs(ctx context.Context) error {
	ids := &idsInSet{set: s, before: map[*target]map[kb.ID]bool{}, after: map[idKey][]*target{}}
	declared := make([]map[kb.ID]bool, len(s.docs))
	_ = each(len(s.docs), func(i int) error {
		if t := s.docs[i]; !t.gone {
			declared[i] = ids.declared(t, t.to, t.new)
		}
		return nil
	})
	for i, t := range s.docs {
		ids.read(t, declared[i])
	}
	if len(ids.gained) == 0 {
		return nil
	}
	refused := refusals{changes: len(s.req.Changes)}
	err := s.w.Memory.View(ctx, func(tx store.Tx) error {
		for _, g := range ids.gained {
			has, err := ids.holder(ctx, tx, g.t, g.id)
			if err != nil {
				return err
			}
			if has == "" {
				continue
			}
			refused.add(g.t.path, kb.Errorf(kb.Conflict, "the id %s is that of %s", g.id, has).
				WithHint("Nothing was written. Leave the id out: the page gets its own.").With("path", has).With("id", g.id))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return refused.err()
}

// idsInSet are the ids in the documents of a change set.
type idsInSet struct {
	set    *changeSet
	before map[*target]map[kb.ID]bool // of the documents that were asked about
	after  map[idKey][]*target        // in the order of the set
	gained []gainedID
}

// gainedID is an id that a document has and had not.
type gainedID struct {
	t  *target
	id kb.ID
}

func (i *idsInSet) declared(t *target, path string, text []byte) map[kb.ID]bool {
	return lint.Declared(doc.ForNote(i.set.w.Codecs, t.space.Syntax, path).Parse(path, text))
}

// had reports whether the text of a document had an id before.
func (i *idsInSet) had(t *target, id kb.ID) bool {
	if !t.exists() {
		return false
	}
	if i.before[t] == nil {
		i.before[t] = i.declared(t, t.path, t.old)
	}
	return i.before[t][id]
}

// read notes the ids that a document has after the set.
func (i *idsInSet) read(t *target, declared map[kb.ID]bool) {
	for id := range declared {
		i.after[idKey{t.space.Row, id}] = append(i.after[idKey{t.space.Row, id}], t)
		if !i.had(t, id) && t.textChanged() && !(t.put != nil && t.put.Copied) && !i.comesBack(t, id) {
			i.gained = append(i.gained, gainedID{t, id})
		}
	}
}

// comesBack reports whether a page is brought back that did not have the id in its
// document: another had it then as well.
func (i *idsInSet) comesBack(t *target, id kb.ID) bool {
	return i.set.restores() && !t.exists() && t.put != nil && t.put.ID != "" && t.put.ID != id
}

// holder returns the path of another page that has an id after the set, "" for none.
func (i *idsInSet) holder(ctx context.Context, tx store.Tx, t *target, id kb.ID) (string, error) {
	earlier := true // o comes before t
	for _, o := range i.after[idKey{t.space.Row, id}] {
		if o != t && (earlier || i.had(o, id)) {
			return o.to, nil
		}
		earlier = earlier && o != t
	}
	pages, err := tx.Pages().ByID(ctx, id)
	if err != nil {
		return "", err
	}
	for _, p := range pages {
		if p.SpaceID != t.space.ID {
			continue
		}
		o := i.set.from(t.space.Row, p.Path)
		switch {
		case o == nil:
			return p.Path, nil
		case o == t, o.gone, i.had(o, id): // its own, or its document lost it
			continue
		}
		return o.to, nil // by its path
	}
	return "", nil
}

// from returns the document of the set that was at a path before, nil for none.
func (s *changeSet) from(space int64, path string) *target {
	for _, t := range s.docs {
		if t.space.Row == space && t.exists() && t.path == path {
			return t
		}
	}
	return nil
}
