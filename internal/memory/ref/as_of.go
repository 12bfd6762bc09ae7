package ref

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
)

// Then is the result of a ref at an earlier time.
type Then struct {
	Version kb.Version // of the document, the newest at that time
	Space   kb.Space
	Node    string // id of the heading in the ref; "" for the document
}

// ResolveAsOf resolves a ref at an earlier time, like a search of that time:
// since then the page may have been moved or deleted, and another page may have
// its name. Nil when the ref named no document of that time by id, path, slug
// or title; kb.Ambiguous when it named several. Aliases and the ids of headings
// are known for present documents only.
func (v *Resolver) ResolveAsOf(ctx context.Context, tx store.Tx, raw string, at time.Time) (*Then, error) {
	seq, err := tx.History().Seq(ctx, at)
	if err != nil {
		return nil, err
	}
	state, err := tx.History().State(ctx, seq)
	if err != nil {
		return nil, err
	}
	all, err := tx.Spaces().All(ctx)
	if err != nil {
		return nil, err
	}
	r := Parse(raw, all)
	found, node := v.meantOf(state, all, r, v.Home(ctx, tx, all, r.Space))
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		home := spaceOf(all, found[0])
		return &Then{Version: found[0], Space: home, Node: node}, space.InPin(v.Spaces, all, home.ID)
	}
	pages := make([]kb.Page, len(found))
	for i, f := range found {
		s := spaceOf(all, f)
		pages[i] = kb.Page{ID: f.Page, Space: s.Name, SpaceID: s.ID, Path: f.Path, Slug: link.Slug(f.Path), Title: f.Title}
	}
	return nil, ambiguous(raw, pages)
}

// meantOf returns the documents that a ref may refer to, those of its first lookup
// space first, and the heading in the ref.
func (v *Resolver) meantOf(state []kb.Version, all []kb.Space, r Ref, home kb.Space) (found []kb.Version, node string) {
	within := state
	if home.Row != 0 {
		within = slices.DeleteFunc(slices.Clone(state), func(d kb.Version) bool { return d.Space != home.Row })
	}
	if found, node = v.named(within, all, r); len(found) == 0 && r.Space == "" && home.Row != 0 && (r.ID != "" || r.Prefix != "" || !v.Spaces.IsAsked()) {
		found, node = v.named(state, all, r)
	}
	return found, node
}

func (v *Resolver) named(state []kb.Version, all []kb.Space, r Ref) (found []kb.Version, node string) {
	pick := func(f func(kb.Version) bool) []kb.Version {
		return slices.DeleteFunc(slices.Clone(state), func(d kb.Version) bool { return !f(d) })
	}
	if r.ID != "" {
		if found = pick(func(d kb.Version) bool { return d.Page == r.ID }); len(found) > 0 || r.Name == r.raw {
			return found, ""
		}
	}
	if r.Prefix != "" {
		return pick(func(d kb.Version) bool {
			return strings.HasPrefix(strings.ReplaceAll(string(d.Page), "-", ""), r.Prefix)
		}), ""
	}
	byName := func(name string) []kb.Version {
		paths := make(map[int64][]string, len(all))
		for _, s := range all {
			paths[s.Row] = v.pathsIn(s, name)
		}
		if at := pick(func(d kb.Version) bool { return slices.Contains(paths[d.Space], d.Path) }); len(at) > 0 {
			return at
		}
		candidates := make([]link.Page, len(state))
		for i, d := range state {
			candidates[i] = link.Page{Row: int64(i), ID: d.Page, Path: d.Path, Title: d.Title}
		}
		var out []kb.Version
		for _, i := range link.Meant(name, candidates) {
			out = append(out, state[i])
		}
		return out
	}
	if found = byName(r.Name); len(found) > 0 {
		return found, ""
	}
	if at := strings.LastIndexByte(r.Name, '#'); at > 0 && at < len(r.Name)-1 {
		return byName(r.Name[:at]), r.Name[at+1:]
	}
	return nil, ""
}

func spaceOf(all []kb.Space, d kb.Version) kb.Space {
	i := slices.IndexFunc(all, func(s kb.Space) bool { return s.Row == d.Space })
	if i < 0 {
		return kb.Space{}
	}
	return all[i]
}
