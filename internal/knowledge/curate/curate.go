package curate

import (
	"bytes"
	"context"
	"fmt"
	"hash/maphash"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"

	"github.com/cairn-kb/cairn/internal/memory"

	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/lintpages"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/lifecycle"
	"github.com/cairn-kb/cairn/internal/policy/lint"
	"github.com/cairn-kb/cairn/internal/search/embed"
	"github.com/cairn-kb/cairn/internal/search/vector"
	"github.com/cairn-kb/cairn/internal/store"
)

// keyCurated is the metadata key for the day of a page's last review.
const keyCurated = "last_curated"

// sameWords is the share of common words from which two pages with similar
// embeddings are listed as possible duplicates. By similarity alone, the notes of
// any two days would be.
const sameWords = 0.3

// Request asks for the pages of the current space that need attention.
type Request struct {
	Kinds         []api.CurationKind // only these; all without any
	Limit, Offset int                // Limit 0 is all
}

// List lists pages that need attention, those not reviewed for longest first.
func List(ctx context.Context, sess *memory.Session, req Request) (api.Curation, error) {
	out := api.Curation{List: api.List[api.CurationItem]{Items: []api.CurationItem{}}}
	for _, k := range req.Kinds {
		if !slices.Contains(api.CurationKinds(), k) {
			return out, kb.Errorf(kb.Usage, "unknown curation kind %q", k).WithHint("Kinds are %s.", names(api.CurationKinds()))
		}
	}
	w, err := sess.Spaces.OpenCurrent(ctx)
	if err != nil {
		return out, err
	}
	model, err := embedding.ActiveModel(ctx, sess)
	if ctx.Err() != nil {
		return out, ctx.Err()
	}
	if err != nil {
		model = nil
		out.Notes = append(out.Notes, "the embedding model cannot be used, so that only pages of the same title count as duplicates")
	}
	s := scan(sess, w.Policy)
	var in rows
	err = store.ViewAt(ctx, sess.DB, func(tx store.Tx, mark int64) error {
		found, err := store.Keep(sess.Kept, mark, curationKey(w.Space, model), func() (spaceGraph, error) {
			return readGraph(ctx, sess, tx, w.Space, model, mark)
		})
		in, s.nodes, s.twins = found.rows, found.nodes, found.twins
		if found.note != "" {
			out.Notes = append(out.Notes, found.note)
		}
		return err
	})
	if err == nil {
		err = sources(ctx, sess, w, s, in)
	}
	if err != nil {
		return out, err
	}
	items := s.items()
	for i, item := range items {
		items[i].Status = kb.Status(w.Policy.StatusWord(item.Status))
	}
	out.CurationDue, out.Kinds = s.due(), kinds(items)
	out.Space = w.Name
	if len(req.Kinds) > 0 {
		items = slices.DeleteFunc(items, func(item api.CurationItem) bool {
			return !slices.ContainsFunc(item.Reasons, func(r api.CurationReason) bool { return slices.Contains(req.Kinds, r.Kind) })
		})
	}
	out.Total = len(items)
	from := min(max(req.Offset, 0), len(items))
	out.Items = append(out.Items, items[from:min(from+min(api.Limit(req.Limit), len(items)), len(items))]...)
	out.Next = api.Next(from, len(out.Items), out.Total)
	return out, nil
}

func names(kinds []api.CurationKind) string {
	out := make([]string, len(kinds))
	for i, k := range kinds {
		out[i] = string(k)
	}
	return strings.Join(out, ", ")
}

// spaceGraph is the pages of a space with their links, and pairs of possible
// duplicates.
type spaceGraph struct {
	rows  rows
	nodes []node
	twins []twins
	note  string // reason why pairs were not searched
}

// readGraph reads the graph of a space.
func readGraph(ctx context.Context, sess *memory.Session, tx store.Tx, in kb.Space, model embed.Embedder, mark int64) (spaceGraph, error) {
	var s curationScan
	found, err := s.read(ctx, sess, tx, in, mark)
	if err == nil {
		err = s.relate(ctx, tx, in, found)
	}
	if err != nil {
		return spaceGraph{}, err
	}
	note, err := pair(ctx, sess, tx, &s, found, model, mark)
	return spaceGraph{found, s.nodes, s.twins, note}, err
}

// curationKey returns the cache key of a space with a model, nil for none.
func curationKey(in kb.Space, model embed.Embedder) string {
	name := ""
	if model != nil {
		name = model.Model()
	}
	return fmt.Sprintf("curation %d %s", in.Row, name)
}

// scan returns an empty scan of a space.
func scan(sess *memory.Session, p *policy.Policy) *curationScan {
	now := sess.Now()
	return &curationScan{rules: p.Curation.Filled(), large: lint.LargeSource, today: now.In(p.Calendar(now.Location()).Zone).Format(time.DateOnly)}
}

// Due reports whether it is time to review the pages of a space, nil if its policy
// has no reviews.
func Due(ctx context.Context, sess *memory.Session, tx store.Tx, in kb.Space, p *policy.Policy) (*api.CurationDue, error) {
	if p.Curation.Due == 0 {
		return nil, nil
	}
	s := scan(sess, p)
	if err := s.readDays(ctx, tx, in); err != nil {
		return nil, err
	}
	out := s.due()
	out.Space = in.Name
	return &out, nil
}

// DueEverywhere is Due for all spaces.
func DueEverywhere(ctx context.Context, sess *memory.Session) (out []api.CurationDue, err error) {
	all, err := sess.Spaces.All(ctx)
	if err != nil {
		return nil, err
	}
	for _, in := range all {
		p, _, err := sess.Spaces.Policy(ctx, in, nil)
		if err != nil || p.Curation.Due == 0 {
			continue // doctor reports unreadable documents
		}
		var due *api.CurationDue
		err = sess.DB.View(ctx, func(tx store.Tx) error {
			due, err = Due(ctx, sess, tx, in, p)
			return err
		})
		if err != nil {
			return nil, err
		}
		if due != nil {
			out = append(out, *due)
		}
	}
	return out, nil
}

// rows holds the pages of a space: the main page of each document, and for all
// pages the document that contains them.
type rows struct {
	space int64
	own   []kb.Page     // in the order of the scan's nodes
	node  map[int64]int // index of the document's node in the scan, by page
}

// read adds the documents of a space to the scan.
func (s *curationScan) read(ctx context.Context, sess *memory.Session, tx store.Tx, in kb.Space, mark int64) (rows, error) {
	out := rows{space: in.Row, node: map[int64]int{}}
	pages, err := store.PagesBySlug(ctx, tx, sess.Kept, mark, []int64{in.Row})
	if err != nil {
		return out, err
	}
	at := map[string]int{}
	for _, p := range pages {
		if p.Node != "" {
			continue
		}
		at[p.Path], out.node[p.Row] = len(s.nodes), len(s.nodes)
		out.own = append(out.own, p)
		n := node{ref: p.Ref(), title: p.Title, path: p.Path, status: p.Status, bytes: p.Size, created: day(p.Created), updated: day(p.Updated)}
		s.nodes = append(s.nodes, n)
	}
	for _, p := range pages {
		if i, ok := at[p.Path]; ok {
			out.node[p.Row] = i
		}
	}
	return out, s.looked(ctx, tx, in, out.node)
}

// readDays reads the data needed to decide whether a review is due.
func (s *curationScan) readDays(ctx context.Context, tx store.Tx, in kb.Space) error {
	pages, err := tx.Lives().Days(ctx, in.Row)
	if err != nil {
		return err
	}
	at, place := map[int64]int{}, make(map[int64]int, len(pages))
	for _, p := range pages {
		if p.Own {
			at[p.Document] = len(s.nodes)
			s.nodes = append(s.nodes, node{created: day(p.Created), updated: day(p.Updated)})
		}
	}
	for _, p := range pages {
		if i, ok := at[p.Document]; ok {
			place[p.Page] = i
		}
	}
	return s.looked(ctx, tx, in, place)
}

// looked reads when the documents were last reviewed; place maps a row to its index
// in the scan.
func (s *curationScan) looked(ctx context.Context, tx store.Tx, in kb.Space, place map[int64]int) error {
	looked, err := tx.Claims().Properties(ctx, store.Claimants{Space: in.Row}, []string{doc.PropertyKey(keyCurated)})
	for _, x := range looked {
		if i, ok := place[x.Page]; ok {
			s.nodes[i].curated = max(s.nodes[i].curated, dayIn(x.Text))
		}
	}
	return err
}

func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}

// dayIn returns the date that a value starts with, with or without the brackets of
// Org.
func dayIn(text string) string {
	text = strings.TrimLeft(text, "[< ")
	if len(text) < len(time.DateOnly) {
		return ""
	}
	if _, err := time.Parse(time.DateOnly, text[:len(time.DateOnly)]); err != nil {
		return ""
	}
	return text[:len(time.DateOnly)]
}

// relate finds which pages links point to and from, except links within a document.
func (s *curationScan) relate(ctx context.Context, tx store.Tx, in kb.Space, of rows) error {
	joined, err := tx.Links().Joined(ctx)
	if err != nil {
		return err
	}
	pages := make([]int, len(s.nodes)) // of each document
	for _, i := range of.node {
		pages[i]++
	}
	var several []int64 // pages that may be linked within their document alone
	for _, row := range joined {
		if i, here := of.node[row]; here && pages[i] == 1 {
			s.nodes[i].linked = true
		} else if here {
			several = append(several, row)
		}
	}
	slices.Sort(several)
	several = slices.Compact(several)
	from, err := tx.Links().EdgesFrom(ctx, several)
	if err != nil {
		return err
	}
	to, err := tx.Links().EdgesTo(ctx, several)
	if err != nil {
		return err
	}
	for _, l := range slices.Concat(from, to) {
		a, fromHere := of.node[l.From]
		b, toHere := of.node[l.To]
		if fromHere && toHere && a == b {
			continue
		}
		if fromHere {
			s.nodes[a].linked = true
		}
		if toHere {
			s.nodes[b].linked = true
		}
	}
	merged, contradicts := kb.NameKey(MergedInto), kb.NameKey("contradicts")
	typed, err := tx.Claims().Typed(ctx, store.Claimants{Space: in.Row}, map[string]bool{merged: true, contradicts: true})
	for _, l := range typed {
		a, fromHere := of.node[l.From]
		b, toHere := of.node[l.To]
		if !fromHere || !toHere || a == b {
			continue
		}
		switch kb.NameKey(l.Type) {
		case merged:
			s.nodes[a].led = s.nodes[a].led || s.nodes[a].status == kb.Superseded
		case contradicts:
			if other := s.nodes[b].ref; !slices.Contains(s.nodes[a].contests, other) {
				s.nodes[a].contests = append(s.nodes[a].contests, other)
			}
		}
	}
	return err
}

// pair finds possible duplicates.
func pair(ctx context.Context, sess *memory.Session, tx store.Tx, s *curationScan, in rows, model embed.Embedder, mark int64) (note string, err error) {
	var (
		pages  []int64
		at     []int // indexes of their nodes
		titled = map[string][]int{}
		seen   = map[[2]int]bool{}
	)
	for i, p := range in.own {
		if !kb.Holds(p.Status) {
			continue
		}
		pages, at = append(pages, p.Row), append(at, i)
		key := kb.NameKey(p.Title)
		for _, other := range titled[key] {
			s.twins, seen[[2]int{other, i}] = append(s.twins, twins{a: other, b: i}), true
		}
		titled[key] = append(titled[key], i)
	}
	if model == nil || len(pages) < 2 {
		return "", nil
	}
	known := memory.Keep[compared](sess)
	near, err := embedding.Pairs(ctx, sess, tx, model, mark, known.nearIn(in.space), pages, func(alike float64) float64 { return alike })
	if err != nil {
		return "", err
	}
	words := map[int]lifecycle.Words{} // a page may have several similar pages
	for _, p := range near.Pairs {
		t := twins{a: at[p.A], b: at[p.B]}
		if seen[[2]int{t.a, t.b}] {
			continue
		}
		texts := known.pair(in.own[t.a], in.own[t.b])
		shared, done := known.shared.Get(texts)
		if !done {
			for _, i := range []int{t.a, t.b} {
				if words[i] != nil {
					continue
				}
				if words[i], err = pageWords(ctx, sess, tx, in.own[i]); err != nil {
					return "", err
				}
			}
			shared = words[t.a].Shared(words[t.b])
			known.shared.Put(texts, shared, maxCompared)
		}
		if t.shared = shared; t.shared >= sameWords {
			s.twins = append(s.twins, t)
		}
	}
	if near.Without > 0 {
		note = api.Plural(near.Without, "page") + " without an embedding yet: only those of the same title count as duplicates"
	}
	return note, nil
}

// compared caches the neighbours of pages, and the shares of common words of pairs of pages,
// so that after a change only changed pages are read again. It is safe for concurrent use;
// the zero value is ready.
type compared struct {
	mu     sync.Mutex
	near   map[int64]*vector.Near // by space
	seed   maphash.Seed
	shared store.Memo[uint64, float64] // by pair
}

// maxCompared and maxNear bound the numbers of pairs and spaces in compared.
const maxCompared, maxNear = 1 << 17, 16

func (c *compared) nearIn(space int64) *vector.Near {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.near == nil {
		c.near = map[int64]*vector.Near{}
	}
	near := c.near[space]
	if near == nil {
		for other := range c.near { // one of them, if there are many
			if len(c.near) == maxNear {
				delete(c.near, other)
			}
		}
		near = new(vector.Near)
		c.near[space] = near
	}
	return near
}

// pair identifies the words of two pages.
func (c *compared) pair(a, b kb.Page) uint64 {
	c.mu.Lock()
	if c.seed == (maphash.Seed{}) {
		c.seed = maphash.MakeSeed()
	}
	c.mu.Unlock()
	return maphash.String(c.seed, textOf(a)+"\x00"+textOf(b))
}

// textOf identifies the words of a page.
func textOf(p kb.Page) string { return string(p.Hash[:]) + p.Path + string(p.Syntax) }

// pageWords returns the words of a page.
func pageWords(ctx context.Context, sess *memory.Session, tx store.Tx, p kb.Page) (lifecycle.Words, error) {
	text, err := tx.History().Bytes(ctx, p.Hash)
	if err != nil {
		return nil, err
	}
	d := doc.ForNote(sess.Codecs, p.Syntax, p.Path).Parse(p.Path, text)
	return lifecycle.WordsOf(p.Title + " " + p.Summary + " " + d.Slice(body(d))), nil
}

// body returns the span of a document's truth, below its metadata.
func body(d *doc.Document) doc.Span {
	n := &d.Nodes[0]
	return doc.Span{Start: max(n.Truth.Start, n.Head.End), End: n.Truth.End}
}

// sources finds the source files, and which of them pages refer to.
func sources(ctx context.Context, sess *memory.Session, w *write.Space, s *curationScan, in rows) error {
	dir := w.Policy.Sources.Dir
	if dir == "" || w.Files == nil {
		return nil
	}
	err := lintpages.EachFile(w.Files, dir, func(at string, size int64) error {
		s.sources = append(s.sources, source{path: at, bytes: size})
		return nil
	})
	if err != nil || len(s.sources) == 0 {
		return err
	}
	return sess.DB.View(ctx, func(tx store.Tx) error {
		for _, p := range in.own {
			text, err := tx.History().Bytes(ctx, p.Hash)
			if err != nil {
				return err
			}
			for i := range s.sources {
				x := &s.sources[i]
				x.used = x.used || bytes.Contains(text, []byte("/"+stem(x.path)+"."))
			}
		}
		return nil
	})
}

// stem returns the common name of a stub and its full text: the file name without
// extension.
func stem(at string) string {
	name := path.Base(at)
	return strings.TrimSuffix(name, path.Ext(name))
}
