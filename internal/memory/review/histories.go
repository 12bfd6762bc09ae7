package review

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// maxHistories is how many lists of changes are kept.
const maxHistories = 8

// histories keeps the changes that filters find. Later ones are read and added: ten thousand
// take 50 ms to read.
type histories struct {
	mu sync.Mutex
	by map[string]changes
}

// changes are versions and their writes, newest first, and the sessions that they are.
type changes struct {
	versions []kb.Version
	writes   []kb.Write
	sessions []session
}

// Rest drops them.
func (h *histories) Rest() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.by = nil
}

// read returns the changes that a filter finds.
func (h *histories) read(ctx context.Context, tx store.Tx, f store.VersionFilter) (changes, error) {
	key := fmt.Sprint(f)
	h.mu.Lock()
	known := h.by[key]
	h.mu.Unlock()
	found, err := since(ctx, tx, f, known)
	if err != nil {
		return changes{}, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.by == nil || len(h.by) >= maxHistories && h.by[key].versions == nil {
		h.by = map[string]changes{}
	}
	h.by[key] = found
	return found, nil
}

// within returns the changes of an actor from a write to a later one, if the changes that a
// filter finds are kept and include them.
func (h *histories) within(ctx context.Context, tx store.Tx, f store.VersionFilter, first kb.Write, last int64) (out changes, known bool, err error) {
	h.mu.Lock()
	_, known = h.by[fmt.Sprint(f)]
	h.mu.Unlock()
	if !known || first.Actor.Kind != f.Actor.Kind || first.Time.Before(f.Since) {
		return out, false, nil
	}
	of, _, err := tx.History().Versions(ctx, store.VersionFilter{Write: first.ID}, 0, 0)
	if err != nil || len(of) == 0 || of[len(of)-1].Seq <= f.After {
		return out, false, err
	}
	all, err := h.read(ctx, tx, f)
	for _, v := range all.versions {
		if v.Actor == first.Actor && first.ID <= v.Write && v.Write <= last {
			out.versions = append(out.versions, v)
		}
	}
	for _, w := range all.writes {
		if w.Actor == first.Actor && first.ID <= w.ID && w.ID <= last {
			out.writes = append(out.writes, w)
		}
	}
	return out, true, err
}

// since adds the changes after those that are known. Where any of these is gone, all are read.
func since(ctx context.Context, tx store.Tx, f store.VersionFilter, known changes) (changes, error) {
	later := f
	if len(known.versions) > 0 {
		later.After = known.versions[0].Seq
	}
	versions, _, err := tx.History().Versions(ctx, later, 0, 0)
	if err != nil {
		return changes{}, err
	}
	if len(known.versions) > 0 {
		newest, total, err := tx.History().Versions(ctx, f, 1, len(versions))
		if err != nil {
			return changes{}, err
		}
		if total != len(known.versions)+len(versions) || len(newest) == 0 || newest[0].Hash != known.versions[0].Hash || newest[0].Page != known.versions[0].Page {
			return since(ctx, tx, f, changes{})
		}
		if len(versions) == 0 {
			return known, nil
		}
	}
	writes, err := writesOf(ctx, tx, later, versions)
	if err != nil {
		return changes{}, err
	}
	out := changes{versions: slices.Concat(versions, known.versions), writes: slices.Concat(writes, known.writes)}
	out.sessions = joined(group(versions, writes), known.sessions)
	return out, nil
}

// fewWrites is how many are read one by one. A filter looks at all that there are.
const fewWrites = 100

// writesOf returns the writes of versions that a filter finds.
func writesOf(ctx context.Context, tx store.Tx, f store.VersionFilter, versions []kb.Version) (out []kb.Write, err error) {
	if len(versions) > fewWrites {
		out, _, err = tx.History().Writes(ctx, f, 0, 0)
		return out, err
	}
	for i, v := range versions {
		if i > 0 && versions[i-1].Write == v.Write {
			continue
		}
		w, err := tx.History().Write(ctx, v.Write)
		if err != nil {
			return nil, err
		}
		out = append(out, w)
	}
	return out, nil
}
