package index

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// settleLinks writes the links of the documents of put with their targets, and
// resolves links of other pages again if a name was added, removed or moved. The
// work is proportional to the number of these links, not to the size of the space.
func (ch *changes) settleLinks(ctx context.Context, tx store.Tx, put []*store.Document) error {
	sought, err := ch.sought(ctx, tx)
	if err != nil {
		return err
	}
	if err := Lead(ctx, tx, ch.space, put); err != nil {
		return err
	}
	if err := tx.Links().Put(ctx, put); err != nil {
		return err
	}
	all := seekers(sought)
	for _, l := range all {
		if l.space == ch.space.Row {
			l.ref.Rules = link.RulesOf(ch.space.Syntax)
		}
	}
	if err := lead(ctx, tx, all); err != nil {
		return err
	}
	return tx.Links().Resolve(ctx, resolutions(sought, all))
}

// sought returns the links to one of the names changed by the batch: those within
// the space, and those of other spaces that name it.
func (ch *changes) sought(ctx context.Context, tx store.Tx) ([]store.Candidate, error) {
	spaces, err := tx.Spaces().All(ctx)
	if err != nil {
		return nil, err
	}
	keys := sorted(ch.names)
	if len(spaces) > 1 {
		keys = link.KeysAbroad(ch.space.Name, keys)
	}
	found, err := tx.Links().ByKeys(ctx, ch.space.Row, keys)
	if err != nil || !slices.ContainsFunc(found, func(c store.Candidate) bool { return c.Space != ch.space.Row }) {
		return found, err
	}
	return slices.DeleteFunc(found, func(c store.Candidate) bool {
		if c.Space == ch.space.Row {
			return false
		}
		in, _, _ := abroad(spaces, refOf(c))
		return in.Row != ch.space.Row
	}), nil
}

// SettleSpaces resolves links again that may have a target in another space: after
// a space was added, removed or renamed.
func (ix *Index) SettleSpaces(ctx context.Context, tx store.Tx) error {
	found, err := tx.Links().CrossSpace(ctx)
	if err != nil {
		return err
	}
	all := seekers(found)
	if err := lead(ctx, tx, all); err != nil {
		return err
	}
	return tx.Links().Resolve(ctx, resolutions(found, all))
}

// seeker is a link and its new target.
type seeker struct {
	space      int64 // to search in
	key        string
	ref        link.Ref
	to         int64
	candidates int
}

func seekers(found []store.Candidate) []*seeker {
	out := make([]*seeker, len(found))
	for i, c := range found {
		out[i] = &seeker{space: c.Space, key: c.Key, ref: refOf(c)}
	}
	return out
}

func refOf(c store.Candidate) link.Ref {
	return link.Ref{Kind: c.Kind, Name: c.Name, FromPath: c.FromPath}
}

// resolutions returns the updates for links with changed targets.
func resolutions(found []store.Candidate, led []*seeker) (out []store.Resolution) {
	for i, c := range found {
		if l := led[i]; l.to != c.To || l.candidates != c.Candidates {
			out = append(out, store.Resolution{Row: c.Row, To: l.to, Candidates: l.candidates})
		}
	}
	return out
}

// Lead resolves the links of documents of a space; only their paths and links
// are needed.
func Lead(ctx context.Context, tx store.Tx, space kb.Space, docs []*store.Document) error {
	return leadFrom(ctx, tx, space, docs, func(_ *store.Document, l *kb.Link, to int64, candidates int) {
		l.To, l.Candidates = to, candidates
	})
}

// Seen is a link as a document at a path sees it.
type Seen struct {
	*kb.Link
	Path string
}

// LeadSeen resolves single relations in a space.
func LeadSeen(ctx context.Context, tx store.Tx, space int64, links []Seen) error {
	all := make([]*seeker, len(links))
	for i, l := range links {
		all[i] = &seeker{space: space, key: l.Key, ref: link.Ref{Kind: l.Kind, Name: l.Name, FromPath: l.Path}}
	}
	err := lead(ctx, tx, all)
	for i, l := range links {
		l.To, l.Candidates = all[i].to, all[i].candidates
	}
	return err
}

// leadFrom calls tell with the target of each link of documents of a space. A
// document may have a million links: those without the name of another space are
// not kept.
func leadFrom(ctx context.Context, tx store.Tx, space kb.Space, docs []*store.Document, tell func(d *store.Document, l *kb.Link, to int64, candidates int)) error {
	keys := map[string]bool{}
	for _, l := range linksOf(docs) {
		keys[l.Key] = true
	}
	pages, err := TargetsByKey(ctx, tx, space.Row, sorted(keys))
	if err != nil {
		return err
	}
	type end struct {
		d *store.Document
		l *kb.Link
	}
	var (
		rules = link.RulesOf(space.Syntax)

		to   = newTargets(pages)
		far  []*seeker
		ends []end
	)
	for d, l := range linksOf(docs) {
		ref := link.Ref{Kind: l.Kind, Name: l.Name, FromPath: d.Path, Rules: rules}
		row, candidates := to[l.Key].Lead(ref)
		s := &seeker{space: space.Row, key: l.Key, ref: ref}
		if candidates == 0 && (namesAnother(s) || s.unaliased(space.Filing) != nil) {
			far, ends = append(far, s), append(ends, end{d, l})
			continue
		}
		tell(d, l, row, candidates)
	}
	if err := leadFar(ctx, tx, far, func(int64) kb.Filing { return space.Filing }); err != nil {
		return err
	}
	for i, e := range ends {
		tell(e.d, e.l, far[i].to, far[i].candidates)
	}
	return nil
}

// lead resolves links: within their space, else by an alias of the space for a
// page, or in the space that they name.
func lead(ctx context.Context, tx store.Tx, all []*seeker) error {
	if err := leadWithin(ctx, tx, all); err != nil {
		return err
	}
	far := slices.DeleteFunc(slices.Clone(all), func(l *seeker) bool { return l.candidates > 0 })
	if len(far) == 0 {
		return nil
	}
	spaces, err := tx.Spaces().All(ctx)
	if err != nil {
		return err
	}
	return leadFar(ctx, tx, far, filingIn(spaces))
}

// filingIn returns the filing of each of spaces by its row.
func filingIn(spaces []kb.Space) func(space int64) kb.Filing {
	return func(row int64) kb.Filing {
		if i := slices.IndexFunc(spaces, func(s kb.Space) bool { return s.Row == row }); i >= 0 {
			return spaces[i].Filing
		}
		return ""
	}
}

// leadFar resolves links without a target of their own name in their space.
func leadFar(ctx context.Context, tx store.Tx, all []*seeker, filing func(space int64) kb.Filing) error {
	if err := leadAliased(ctx, tx, all, filing); err != nil {
		return err
	}
	return leadAbroad(ctx, tx, slices.DeleteFunc(slices.Clone(all), func(l *seeker) bool { return l.candidates > 0 || !namesAnother(l) }))
}

// leadAliased resolves links without a target by the aliases of their space.
func leadAliased(ctx context.Context, tx store.Tx, all []*seeker, filing func(space int64) kb.Filing) error {
	var aliased, meant []*seeker
	for _, l := range all {
		if l.candidates > 0 {
			continue
		}
		if m := l.unaliased(filing(l.space)); m != nil {
			aliased, meant = append(aliased, l), append(meant, m)
		}
	}
	if len(meant) > 0 {
		if err := leadWithin(ctx, tx, meant); err != nil {
			return err
		}
	}
	for i, m := range meant {
		aliased[i].to, aliased[i].candidates = m.to, m.candidates
	}
	return nil
}

// namesAnother reports whether a link may name a page of another space.
func namesAnother(l *seeker) bool {
	_, _, names := link.CrossSpace(l.ref)
	return names
}

// unaliased returns the link with an alias replaced by the page's name, nil if its
// name is not an alias.
func (l *seeker) unaliased(f kb.Filing) *seeker {
	if f == "" {
		return nil
	}
	ref, ok := link.Unaliased(l.ref, f.Unaliased)
	if !ok {
		return nil
	}
	return &seeker{space: l.space, key: link.Key(ref.Kind, ref.Name), ref: ref}
}

// leadAbroad resolves links without a target in their space that may name another
// space.
func leadAbroad(ctx context.Context, tx store.Tx, far []*seeker) error {
	if len(far) == 0 {
		return nil
	}
	spaces, err := tx.Spaces().All(ctx)
	if err != nil {
		return err
	}
	named := slices.DeleteFunc(slices.Clone(far), func(l *seeker) bool {
		in, page, ok := abroad(spaces, l.ref)
		l.space, l.ref, l.key = in.Row, page, link.Key(page.Kind, page.Name)
		return !ok
	})
	if err := leadWithin(ctx, tx, named); err != nil {
		return err
	}
	return leadAliased(ctx, tx, named, filingIn(spaces))
}

// abroad returns the space in a link, and the link as seen from there.
func abroad(spaces []kb.Space, ref link.Ref) (in kb.Space, page link.Ref, ok bool) {
	name, page, ok := link.CrossSpace(ref)
	if ok {
		in, ok = link.Space(spaces, name)
	}
	return in, page, ok
}

// leadWithin resolves links in the space of each.
func leadWithin(ctx context.Context, tx store.Tx, all []*seeker) error {
	keys := map[int64]map[string]bool{}
	for _, l := range all {
		if keys[l.space] == nil {
			keys[l.space] = map[string]bool{}
		}
		keys[l.space][l.key] = true
	}
	to := make(map[int64]map[string]*link.Targets, len(keys))
	for space, sought := range keys {
		pages, err := TargetsByKey(ctx, tx, space, sorted(sought))
		if err != nil {
			return err
		}
		to[space] = newTargets(pages)
	}
	for _, l := range all {
		l.to, l.candidates = to[l.space][l.key].Lead(l.ref)
	}
	return nil
}

func sorted(keys map[string]bool) []string { return slices.Sorted(maps.Keys(keys)) }

// newTargets sorts the pages of each key for the links with this key. A key without
// pages resolves to nothing.
func newTargets(pages map[string][]link.Page) map[string]*link.Targets {
	out := make(map[string]*link.Targets, len(pages))
	for key, list := range pages {
		out[key] = link.NewTargets(list)
	}
	return out
}

// linksOf iterates over the links in documents, with the document of each.
func linksOf(docs []*store.Document) iter.Seq2[*store.Document, *kb.Link] {
	return func(yield func(*store.Document, *kb.Link) bool) {
		for _, d := range docs {
			for i := range d.Pages {
				for j := range d.Pages[i].Links {
					if !yield(d, &d.Pages[i].Links[j]) {
						return
					}
				}
			}
		}
	}
}

// TargetsByKey finds the pages of a space that links with these keys may refer to:
// by name, and by id for keys that are ids.
func TargetsByKey(ctx context.Context, tx store.Tx, space int64, keys []string) (map[string][]link.Page, error) {
	named, err := tx.Links().TargetsByKeys(ctx, space, keys)
	if err != nil {
		return nil, err
	}
	out := make(map[string][]link.Page, len(keys))
	for _, t := range named {
		p := link.Page{Row: t.Page, ID: t.ID, Path: t.Path, Node: t.Node, Title: t.Title, Aliases: t.Aliases, Keys: t.Names}
		for _, n := range t.Names {
			out[n] = append(out[n], p)
		}
	}
	var ids []kb.ID
	for _, k := range keys {
		if id, ok := kb.ParseID(k); ok {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return out, nil
	}
	holders, err := tx.Pages().Holders(ctx, space, ids)
	if err != nil {
		return nil, err
	}
	for id, row := range holders {
		out[string(id)] = append(out[string(id)], link.Page{Row: row, ID: id})
	}
	return out, nil
}
