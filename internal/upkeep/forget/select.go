package forget

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/contradiction"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/store"
)

// plan is a selection of data to remove.
type plan struct {
	store.Erasure
	present []presentPage
	pages   []api.ForgottenPage
	paths   map[int64][]string // former paths of removed documents, by space
	partly  map[int64][]string // paths of documents of which only versions are removed
	titles  []string
	left    []string
	n       int              // versions
	last    map[string]int64 // Seq of the newest version of a document, by keyOf
	writes  []int64          // writes that made selected versions
}

// presentPage is a selected document that exists.
type presentPage struct {
	ref, shown string // with the path of its file, and as shown in the answer
	key        store.DocumentKey
	space      kb.Space
	versions   int
}

// refs returns the refs of the documents to delete.
func (p *plan) refs() (out []string) {
	for _, d := range p.present {
		out = append(out, d.ref)
	}
	return out
}

// life is the history of a document.
type life struct {
	key      store.DocumentKey
	versions []kb.Version // newest first
	page     *kb.Page     // nil when it was deleted
	space    kb.Space
}

// choose plans the removal for a request.
func choose(ctx context.Context, sess *memory.Session, req Request) (*plan, error) {
	notes, err := read.Freshen(ctx, sess, read.FreshenRequest{All: req.All})
	if err != nil {
		return nil, err
	}
	sess.Notices.Add(notes...)
	p := &plan{paths: map[int64][]string{}, partly: map[int64][]string{}, last: map[string]int64{}}
	switch {
	case len(req.Refs) > 0:
		err = p.byRef(ctx, sess, req.Refs)
	case req.Query != "":
		err = p.byQuery(ctx, sess, req)
	case req.Actor != (kb.Actor{}):
		err = p.byActor(ctx, sess, req)
	case req.Match != "":
		var pattern *regexp.Regexp
		if pattern, err = regexp.Compile(req.Match); err != nil {
			return nil, kb.Errorf(kb.Usage, "invalid regular expression: %w", err)
		}
		if pattern.Match(nil) {
			return nil, kb.Errorf(kb.Usage, "the regular expression matches an empty text, so every page")
		}
		err = p.byText(ctx, sess, req, func(kb.Space) (func([]byte) bool, error) { return pattern.Match, nil })
	case req.Secret:
		err = p.byText(ctx, sess, req, func(s kb.Space) (func([]byte) bool, error) { return credentials(ctx, sess, s) })
	}
	if err == nil && req.Match == "" && !req.Secret && len(p.Documents) == 0 {
		err = kb.Errorf(kb.NotFound, "no page is selected")
	}
	return p, err
}

// credentials returns the credential scan with the rules of a space.
func credentials(ctx context.Context, sess *memory.Session, s kb.Space) (func([]byte) bool, error) {
	opts := secrets.Options{}
	if s.Row != 0 {
		pol, _, err := sess.Spaces.Policy(ctx, s, nil)
		if err != nil {
			return nil, err
		}
		opts = secrets.Options{Allow: pol.Secrets.Allow, Rules: pol.Secrets.Rules}
	}
	return func(text []byte) bool { return len(secrets.Scan(text, opts)) > 0 }, nil
}

func (p *plan) byRef(ctx context.Context, sess *memory.Session, refs []string) error {
	var docs []history.Document
	for _, raw := range refs {
		page, missing := freshness.Page(ctx, sess, raw)
		if missing == nil && page.Node != "" {
			return change.PartOf(page)
		}
		d, err := history.PastPage(ctx, sess, raw, page, missing)
		if err != nil {
			return err
		}
		docs = append(docs, d)
	}
	return sess.DB.View(ctx, func(tx store.Tx) error {
		for _, d := range docs {
			versions, _, err := tx.History().Versions(ctx, store.VersionFilter{Spaces: []int64{d.Space.Row}, Page: d.ID}, 1<<30, 0)
			if err != nil {
				return err
			}
			l := life{key: store.DocumentKey{Space: d.Space.Row, ID: d.ID}, versions: versions, space: d.Space}
			if err := p.whole(ctx, sess, tx, &l); err != nil {
				return err
			}
		}
		return nil
	})
}

func (p *plan) byQuery(ctx context.Context, sess *memory.Session, req Request) error {
	if !selects(query.Parse(req.Query, sess.Now())) {
		return kb.Errorf(kb.Usage, "this query has no word or filter that a page must have: it selects nearly every page").
			WithHint("Nothing was changed. Use words that the pages have.")
	}
	found, err := read.Search(ctx, sess, retrieve.SearchRequest{Query: req.Query, All: req.All, Limit: 1 << 20, Mode: api.ModeWords, ExactTotal: true})
	if err != nil {
		return err
	}
	if found.Relaxed {
		return kb.Errorf(kb.Usage, "no page has all the words; a page with some of them is not forgotten").
			WithHint("Nothing was changed. Search first, and use words that the pages have.")
	}
	var refs []string
	for _, h := range found.Items {
		if ref := h.Space + ":" + h.Path; !slices.Contains(refs, ref) {
			refs = append(refs, ref)
		}
	}
	if len(refs) == 0 {
		return kb.Errorf(kb.NotFound, "no page is found")
	}
	return p.byRef(ctx, sess, refs)
}

// selects reports whether a query has a condition that pages can satisfy.
func selects(q query.Query) bool {
	return asks(q.Root) || slices.ContainsFunc(q.Filters, func(f query.Filter) bool { return !f.Not })
}

func asks(n query.Node) bool {
	switch n := n.(type) {
	case *query.Word, *query.Phrase:
		return true
	case *query.Filter:
		return !n.Not
	case *query.And:
		return slices.ContainsFunc(n.Nodes, asks)
	case *query.Or:
		return !slices.ContainsFunc(n.Nodes, func(n query.Node) bool { return !asks(n) })
	}
	return false
}

// withhold removes pages from the selection that the rules of their space do not
// allow the person to delete, so that a selection over all spaces succeeds for the
// others.
func (p *plan) withhold(ctx context.Context, sess *memory.Session) error {
	by := map[int64][]presentPage{}
	for _, d := range p.present {
		by[d.key.Space] = append(by[d.key.Space], d)
	}
	for _, row := range slices.Sorted(maps.Keys(by)) {
		var refs []string
		for _, d := range by[row] {
			refs = append(refs, d.ref)
		}
		err := remove(ctx, sess, refs, true)
		if err == nil {
			continue
		}
		if kb.CodeOf(err) != kb.Refused {
			return err
		}
		for _, d := range by[row] {
			p.without(d)
		}
		s := by[row][0].space
		p.left = append(p.left, fmt.Sprintf("%s of %s: %s; to remove the space with its history: cairn space rm --purge %s",
			api.Plural(len(refs), "page"), s.Name, err, safetext.Word(s.Name)))
	}
	return nil
}

// without removes an existing document from the plan.
func (p *plan) without(d presentPage) {
	p.Documents = slices.DeleteFunc(p.Documents, func(k store.DocumentKey) bool { return k.Space == d.key.Space && k.ID == d.key.ID })
	p.present = slices.DeleteFunc(p.present, func(o presentPage) bool { return o.ref == d.ref })
	p.pages = slices.DeleteFunc(p.pages, func(o api.ForgottenPage) bool { return o.Whole && !o.Deleted && o.Ref == d.shown })
	p.n -= d.versions
}

// lives calls f with every existing or deleted document of the selected spaces.
func lives(ctx context.Context, sess *memory.Session, tx store.Tx, all bool, f func(*life) error) error {
	scope, err := sess.Spaces.ScopeTx(ctx, tx, all)
	if err != nil {
		return err
	}
	spaces, err := tx.Spaces().All(ctx)
	if err != nil {
		return err
	}
	versions, _, err := tx.History().Versions(ctx, store.VersionFilter{Spaces: scope}, 1<<30, 0)
	if err != nil {
		return err
	}
	type key struct {
		space int64
		id    kb.ID
	}
	by := map[key]*life{}
	var order []*life
	for _, v := range versions {
		k := key{v.Space, v.Page}
		l := by[k]
		if l == nil {
			l = &life{key: store.DocumentKey{Space: v.Space, ID: v.Page}}
			if i := slices.IndexFunc(spaces, func(s kb.Space) bool { return s.Row == v.Space }); i >= 0 {
				l.space = spaces[i]
			}
			by[k] = l
			order = append(order, l)
		}
		l.versions = append(l.versions, v)
	}
	for _, l := range order {
		if err := f(l); err != nil {
			return err
		}
	}
	return nil
}

func (p *plan) byActor(ctx context.Context, sess *memory.Session, req Request) error {
	wrote := func(v kb.Version) bool {
		return (req.Actor.Kind == "" || v.Actor.Kind == req.Actor.Kind) && (req.Actor.Name == "" || v.Actor.Name == req.Actor.Name)
	}
	return sess.DB.View(ctx, func(tx store.Tx) error {
		return lives(ctx, sess, tx, req.All, func(l *life) error {
			switch others := slices.ContainsFunc(l.versions, func(v kb.Version) bool { return !wrote(v) }); {
			case !others:
				return p.whole(ctx, sess, tx, l)
			case slices.ContainsFunc(l.versions, wrote):
				p.left = append(p.left, fmt.Sprintf("%s:%s: others wrote it, too", l.space.Name, l.versions[0].Path))
			}
			return nil
		})
	})
}

// byText selects texts that match the test of their space. It selects the whole
// page if its present text matches or if it was deleted, else only versions.
func (p *plan) byText(ctx context.Context, sess *memory.Session, req Request, testOf func(kb.Space) (func([]byte) bool, error)) error {
	return sess.DB.View(ctx, func(tx store.Tx) error {
		tests := map[int64]func([]byte) bool{}
		test := func(s kb.Space) (func([]byte) bool, error) {
			if tests[s.Row] == nil {
				t, err := testOf(s)
				if err != nil {
					return nil, err
				}
				tests[s.Row] = t
			}
			return tests[s.Row], nil
		}
		if err := lives(ctx, sess, tx, req.All, func(l *life) error {
			has, err := test(l.space)
			if err != nil {
				return err
			}
			return p.textsOf(ctx, sess, tx, l, has)
		}); err != nil {
			return err
		}
		return p.records(ctx, sess, tx, req.All, test)
	})
}

func (p *plan) textsOf(ctx context.Context, sess *memory.Session, tx store.Tx, l *life, has func([]byte) bool) error {
	known := map[kb.Hash]bool{}
	text := func(h kb.Hash) (bool, error) {
		if h.IsZero() {
			return false, nil
		}
		if found, ok := known[h]; ok {
			return found, nil
		}
		b, err := tx.History().Bytes(ctx, h)
		if err != nil && kb.CodeOf(err) != kb.NotFound {
			return false, err
		}
		known[h] = err == nil && has(b)
		return known[h], nil
	}
	var old []kb.Version
	var titles []int64
	moved := false
	for i, v := range l.versions {
		path, title := has([]byte(v.Path)), has([]byte(v.Title))
		main, err := text(v.Hash)
		if err != nil {
			return err
		}
		side, err := text(v.Side.Hash)
		if err != nil {
			return err
		}
		if !path && !title && !main && !side {
			continue
		}
		if i == 0 || l.versions[0].Change == kb.Deleted {
			return p.whole(ctx, sess, tx, l)
		}
		old = append(old, v)
		if title {
			titles = append(titles, v.Seq)
		}
		moved = moved || path
	}
	if len(old) == 0 {
		return nil
	}
	p.Titles = append(p.Titles, titles...)
	if moved {
		p.left = append(p.left, fmt.Sprintf("%s: its history has an old path with it; to remove the page with its history: cairn forget %s", l.ref(), safetext.Word(l.ref())))
	}
	for _, v := range old {
		p.Versions = append(p.Versions, v.Seq)
		p.writes = append(p.writes, v.Write)
		p.n++
		if paths := p.partly[v.Space]; !slices.Contains(paths, v.Path) {
			p.partly[v.Space] = append(paths, v.Path)
		}
	}
	p.pages = append(p.pages, api.ForgottenPage{Ref: l.ref(), Versions: len(old)})
	return nil
}

func (l *life) ref() string { return l.space.Name + ":" + link.Slug(l.versions[0].Path) }

// records selects other matching records of the selected spaces: questions,
// imported bytes, messages of writes and notes of dismissals.
func (p *plan) records(ctx context.Context, sess *memory.Session, tx store.Tx, all bool, test func(kb.Space) (func([]byte) bool, error)) error {
	scope, err := sess.Spaces.ScopeTx(ctx, tx, all)
	if err != nil {
		return err
	}
	p.ItemSpaces = scope
	spaces, err := tx.Spaces().All(ctx)
	if err != nil {
		return err
	}
	in := func(row int64) (func([]byte) bool, error) {
		if i := slices.IndexFunc(spaces, func(s kb.Space) bool { return s.Row == row }); i >= 0 {
			return test(spaces[i])
		}
		return test(kb.Space{})
	}
	gaps, _, err := tx.Gaps().List(ctx, scope, true, 1<<30, 0)
	if err != nil {
		return err
	}
	for _, g := range gaps {
		words := []string{g.Words, g.Context}
		if g.Approval != nil {
			words = append(words, g.Approval.Question, g.Approval.Redacted)
		}
		has, err := in(g.Space)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(words, func(w string) bool { return has([]byte(w)) }) {
			p.Gaps = append(p.Gaps, g.Row)
		}
	}
	batches, _, err := tx.Batches().List(ctx, scope, 1<<30, 0)
	if err != nil {
		return err
	}
	for _, b := range batches {
		has, err := in(b.Space)
		if err != nil {
			return err
		}
		var items []store.BatchItem
		if err := tx.Batches().Items(ctx, b.Row, func(it store.BatchItem) error { items = append(items, it); return nil }); err != nil {
			return err
		}
		for _, it := range items {
			text, err := tx.History().Bytes(ctx, it.Hash)
			if err != nil && kb.CodeOf(err) != kb.NotFound {
				return err
			}
			if err == nil && has(text) && !slices.Contains(p.Items, it.Hash) {
				p.Items = append(p.Items, it.Hash)
			}
		}
	}
	seen := map[int64]bool{}
	messages := func(of []int64, has func([]byte) bool) error {
		writes, _, err := tx.History().Writes(ctx, store.VersionFilter{Spaces: of}, 1<<30, 0)
		for _, w := range writes {
			if (of != nil || !seen[w.ID]) && has([]byte(w.Message)) && !slices.Contains(p.Messages, w.ID) {
				p.Messages = append(p.Messages, w.ID)
			}
			seen[w.ID] = true
		}
		return err
	}
	for _, s := range spaces {
		if len(scope) > 0 && !slices.Contains(scope, s.Row) {
			continue
		}
		has, err := in(s.Row)
		if err != nil {
			return err
		}
		if err := messages([]int64{s.Row}, has); err != nil {
			return err
		}
		dismissed, err := tx.Claims().Dismissed(ctx, s.Row)
		if err != nil {
			return err
		}
		for _, d := range dismissed {
			if has([]byte(d.Note)) {
				p.Dismissals = append(p.Dismissals, kb.Dismissal{Space: d.Space, ID: d.ID})
			}
		}
	}
	if len(scope) > 0 {
		return nil
	}
	has, err := in(0) // writes of removed spaces
	if err != nil {
		return err
	}
	return messages(nil, has)
}

// whole selects a document with all its versions and records.
func (p *plan) whole(ctx context.Context, sess *memory.Session, tx store.Tx, l *life) error {
	if slices.ContainsFunc(p.Documents, func(d store.DocumentKey) bool { return d.Space == l.key.Space && d.ID == l.key.ID }) {
		return nil
	}
	same, err := tx.Pages().ByID(ctx, l.key.ID)
	if err != nil {
		return err
	}
	for _, page := range same {
		if page.Space != l.space.Name {
			continue
		}
		l.page = &page
		nodes, err := tx.Pages().ByPath(ctx, l.key.Space, page.Path)
		if err != nil {
			return err
		}
		for _, n := range nodes {
			p.titles = append(p.titles, n.Title)
			if n.ID != page.ID {
				l.key.Nodes = append(l.key.Nodes, n.ID)
			}
		}
	}
	p.Documents = append(p.Documents, l.key)
	if len(l.versions) > 0 {
		p.last[keyOf(l.key)] = l.versions[0].Seq
	}
	shown := api.ForgottenPage{Versions: len(l.versions), Whole: true, Deleted: l.page == nil}
	if l.page != nil {
		there := presentPage{ref: l.page.Space + ":" + l.page.Path, shown: l.page.Ref(), key: l.key, space: l.space, versions: len(l.versions)}
		p.present = append(p.present, there)
		p.paths[l.key.Space] = append(p.paths[l.key.Space], l.page.Path)
		shown.Ref = l.page.Ref()
	}
	for _, v := range l.versions {
		shown.Ref = cmp.Or(shown.Ref, l.ref())
		p.titles = append(p.titles, v.Title)
		p.writes = append(p.writes, v.Write)
		if paths := p.paths[v.Space]; !slices.Contains(paths, v.Path) {
			p.paths[v.Space] = append(paths, v.Path)
		}
	}
	p.n += len(l.versions)
	p.pages = append(p.pages, shown)
	return nil
}

// dismissals selects the notes on contradictions that pages are a side of.
func (p *plan) dismissals(ctx context.Context, sess *memory.Session) error {
	for _, ref := range p.refs() {
		found, err := contradiction.List(ctx, sess, contradiction.Request{Ref: ref, Dismissed: true, All: true})
		if err != nil {
			return err
		}
		for _, c := range found.Items {
			for _, d := range p.Documents {
				p.Dismissals = append(p.Dismissals, kb.Dismissal{Space: d.Space, ID: c.ID})
			}
		}
	}
	return nil
}
