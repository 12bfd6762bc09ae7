package transfer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/sidecar"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/space"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/sqlite/quaid"
	"github.com/cairn-kb/cairn/internal/write"
)

// ImportKind is that of batches that hold what an import read.
const ImportKind = "import"

// quaidPreset is what the spaces are made of that an import of quaid makes.
const quaidPreset = "memory"

// fromQuaid is an import of quaid.
type fromQuaid struct {
	*batch
	from  *quaid.Store
	order []quaidGroup // that have pages, the first of them for what belongs to none
	homes map[quaidGroup]*quaidHome
	all   []*quaidPage
	byRow map[int64]*quaidPage       // of the pages that are brought or there
	gaps  []*kb.Gap                  // that are brought
	taken map[string]map[string]bool // paths, by space
}

// quaidGroup is what slugs are unique in.
type quaidGroup struct {
	collection int64
	namespace  string
}

// quaidHome is the space of a group.
type quaidHome struct {
	name  string
	space *write.Space               // nil for one that a dry run would make
	have  map[string]store.BatchItem // what earlier imports brought, by key
}

// quaidPage is a page on its way.
type quaidPage struct {
	quaid.Page
	key   string // by which a later import knows it again
	home  *quaidHome
	path  string
	old   *kb.Page // nil for one that is new
	id    kb.ID
	codec doc.Codec
	text  []byte // of the document, as it will be
	was   []byte // as it is
	side  []sidecar.Assertion
	raw   map[string]string // data by source
	edits []sidecar.Edit
	bytes []byte         // of the file that it came from; nil where none are known
	past  []quaid.Import // what that was before
}

// stored is the page as it is stored now.
func (p *quaidPage) stored(ctx context.Context, tx store.Tx) (kb.Page, error) {
	found, err := tx.Pages().ByPath(ctx, p.home.space.Row, p.path)
	if err == nil && len(found) == 0 {
		err = kb.Errorf(kb.Internal, "%s was written, and is not there", p.path)
	}
	if err != nil {
		return kb.Page{}, err
	}
	return found[0], nil
}

func (p *quaidPage) there() bool { return p.old != nil }

// apply changes the text of a page.
func (p *quaidPage) apply(e doc.Edit) error {
	text, err := p.codec.Apply(p.codec.Parse(p.path, p.text), "", e)
	if err == nil {
		p.text = text
	}
	return err
}

func (p *quaidPage) node() doc.Node { return p.codec.Parse(p.path, p.text).Nodes[0] }

// quaid imports a database of quaid: each collection as a space, and each namespace of one,
// each page with the bytes that it came from where they say what the database says. What
// an earlier import brought stays, and gets the evidence that it lacks: entries, links,
// tags, data and assertions.
func (e *Engine) quaid(ctx context.Context, req ExportRequest) (_ Receipt, err error) {
	from, err := quaid.Read(ctx, req.File)
	if err != nil {
		return Receipt{}, err
	}
	m := &fromQuaid{batch: e.batch(req), from: from, homes: map[quaidGroup]*quaidHome{}, byRow: map[int64]*quaidPage{}, taken: map[string]map[string]bool{}}
	if from.Version > quaid.Newest {
		m.out.lose(fmt.Sprintf("schema %d", from.Version), fmt.Sprintf("it is newer than %d, the newest that is known: only columns that are known were read", quaid.Newest))
	}
	defer func() { err = m.unmake(ctx, m.made, err) }()
	for _, step := range []func(context.Context) error{m.openHomes, m.pages, m.evidence, m.questions, m.write} {
		if err := step(ctx); err != nil {
			return Receipt{}, err
		}
	}
	m.rest()
	return *m.out, nil
}

// openHomes opens the space of each group of pages, and makes those that are not there.
func (m *fromQuaid) openHomes(ctx context.Context) error {
	collections := m.out.tally("collections", len(m.from.Collections))
	named, main := map[int64]string{}, int64(0)
	for i, c := range m.from.Collections {
		if named[c.ID] = c.Name; i == 0 || c.Target {
			main = c.ID
		}
	}
	groups := map[quaidGroup]bool{}
	for i := range m.from.Pages {
		p := &m.from.Pages[i]
		if named[p.Collection] == "" {
			p.Collection = main
		}
		groups[quaidGroup{p.Collection, p.Namespace}] = true
	}
	if len(groups) == 0 { // the questions need a space
		groups[quaidGroup{collection: main}] = true
	}
	m.order = slices.SortedFunc(maps.Keys(groups), func(x, y quaidGroup) int {
		return cmp.Or(cmp.Compare(x.collection, y.collection), strings.Compare(x.namespace, y.namespace))
	})
	before, err := m.Spaces.All(ctx)
	if err != nil && !space.NothingYet(err) {
		return err
	}
	for _, g := range m.order {
		name := ""
		switch base := named[g.collection]; {
		case m.req.Into != "" && (base == "" || g.collection == main):
			name = m.req.Into
		case m.req.Into != "":
			name = m.req.Into + "-" + base
		default:
			name = base
		}
		if g.namespace != "" {
			if name == "" {
				name = "memory"
			}
			name += "-" + g.namespace
		}
		h, err := m.openHome(ctx, doc.Slug(name))
		if err != nil {
			return err
		}
		m.homes[g] = h
	}
	isNew := func(mine func(quaidGroup) bool) bool {
		for g, h := range m.homes {
			if mine(g) && !slices.ContainsFunc(before, func(s kb.Space) bool { return s.Name == h.name }) {
				return true
			}
		}
		return false
	}
	for _, c := range m.from.Collections {
		mine := func(x quaidGroup) bool { return x.collection == c.ID }
		m.group(collections, "collection "+c.Name, m.has(mine), isNew(mine))
	}
	namespaces := m.out.tally("namespaces", len(m.from.Namespaces))
	for _, n := range m.from.Namespaces {
		mine := func(x quaidGroup) bool { return x.namespace == n.Name && n.Name != "" }
		m.group(namespaces, "namespace "+n.Name, m.has(mine), isNew(mine))
		if n.Hours != "" && m.has(mine) {
			m.out.lose("namespace "+n.Name, "its pages do not expire after "+n.Hours+" hours; a space may say when pages become stale")
		}
	}
	return nil
}

// group counts a collection or a namespace.
func (m *fromQuaid) group(t *Tally, what string, used, isNew bool) {
	switch {
	case !used:
		t.LeftOut++
		m.out.lose(what, "it has no pages")
	case isNew:
		t.Brought++
	default:
		t.There++
	}
}

func (m *fromQuaid) has(is func(quaidGroup) bool) bool {
	return slices.ContainsFunc(m.from.Pages, func(p quaid.Page) bool { return is(quaidGroup{p.Collection, p.Namespace}) })
}

// openHome opens a space, "" for the current one, with what earlier imports brought.
func (m *fromQuaid) openHome(ctx context.Context, name string) (*quaidHome, error) {
	for _, h := range m.homes {
		if h.name == name && name != "" {
			return h, nil
		}
	}
	h := &quaidHome{name: name, have: map[string]store.BatchItem{}}
	var err error
	if name == "" {
		h.space, err = m.target(ctx)
	} else {
		h.space, err = m.Spaces.OpenNamed(ctx, name)
		if kb.CodeOf(err) == kb.NotFound || space.NothingYet(err) {
			if err = nil; !m.req.DryRun {
				if err = m.make(ctx, &m.made, space.AddRequest{Name: name, Preset: quaidPreset}); err == nil {
					h.space, err = m.Spaces.OpenNamed(ctx, name)
				}
			}
		}
	}
	if err != nil || h.space == nil {
		return h, err
	}
	h.name = h.space.Name
	err = m.DB.View(ctx, func(tx store.Tx) error {
		return imported(ctx, tx, h.space.Space, func(_ kb.Batch, it store.BatchItem) error {
			if it.Page != "" {
				h.have[it.Path] = it
			}
			return nil
		})
	})
	return h, err
}

// write writes the pages in one write, with the bytes that they came from, the questions
// that are open and what was resolved.
func (m *fromQuaid) write(ctx context.Context) error {
	if m.req.DryRun {
		for _, p := range m.all {
			m.changes(p)
		}
		return m.resolutions(ctx, nil)
	}
	beside := func(ctx context.Context, tx store.Tx) error {
		if err := m.keepGaps(ctx, tx); err != nil {
			return err
		}
		return m.resolutions(ctx, tx)
	}
	var spaces []*write.Space
	for _, p := range m.all {
		if !slices.Contains(spaces, p.home.space) {
			spaces = append(spaces, p.home.space)
		}
	}
	kept := map[*quaidHome]int64{}
	if slices.ContainsFunc(spaces, func(s *write.Space) bool { return !takesParts(s) }) {
		req := m.request(m.all, kept, beside)
		if len(req.Changes) == 0 {
			return m.DB.Update(ctx, func(tx store.Tx) error { return beside(ctx, tx) })
		}
		w, err := m.Change.ApplyRequest(ctx, req, m.req.Diff)
		m.out.wroteAtOnce(w)
		return err
	}
	return inOne(ctx, m.Change, spaces, m.out, func(ctx context.Context, tx store.Tx, t *together) error {
		for rest := m.all; len(rest) > 0; {
			n, size := 0, 0
			for ; n < len(rest) && n < chunkItems && size < chunkBytes; n++ {
				size += len(rest[n].text)
			}
			if req := m.request(rest[:n], kept, nil); len(req.Changes) > 0 {
				if err := t.apply(ctx, req, m.req.Diff); err != nil {
					return err
				}
			}
			for _, p := range rest[:n] {
				p.text, p.was, p.bytes, p.side, p.raw, p.edits = nil, nil, nil, nil, nil, nil // what is written is not needed any more
			}
			rest = rest[n:]
		}
		return beside(ctx, tx)
	})
}

// changes are those of a page, and of what lies beside it.
func (m *fromQuaid) changes(p *quaidPage) (out []write.Change) {
	s := p.home.space
	if s == nil {
		return nil // a dry run would make it
	}
	if !p.there() || !slices.Equal(p.text, p.was) {
		c := write.Change{Space: s, Path: p.path, Action: write.Put{Bytes: m.mask(s, p.path, p.text), Overwrite: p.there()}}
		if p.there() {
			c.Of, c.Expected = write.OfPage(*p.old), &p.old.Version
		}
		out = append(out, c)
	}
	if len(p.edits) > 0 {
		out = append(out, write.Change{Space: s, Path: p.path, Action: write.EditSide{Edits: p.edits}})
	}
	return out
}

// request asks for the changes of pages. The bytes that these came from are kept in the same
// transaction, and then beside is called.
func (m *fromQuaid) request(pages []*quaidPage, kept map[*quaidHome]int64, beside func(context.Context, store.Tx) error) write.Request {
	var changes []write.Change
	for _, p := range pages {
		changes = append(changes, m.changes(p)...)
	}
	slices.SortStableFunc(changes, func(x, y write.Change) int { return cmp.Compare(x.Space.Name, y.Space.Name) })
	return write.Request{
		Actor: m.Change.Actor, Operation: "import", Message: m.req.Message, Changes: changes, AllowSecrets: m.req.AllowSecrets,
		Within: func(ctx context.Context, tx store.Tx, _ []kb.Version) error {
			err := m.keepBytes(ctx, tx, pages, kept)
			if err == nil && beside != nil {
				err = beside(ctx, tx)
			}
			return err
		},
	}
}

// keepBytes keeps the bytes of the files that pages came from, in a batch for each space,
// whose row is in kept once it is there.
func (m *fromQuaid) keepBytes(ctx context.Context, tx store.Tx, pages []*quaidPage, kept map[*quaidHome]int64) error {
	items, homes := map[*quaidHome][]store.BatchItem{}, []*quaidHome{}
	for _, p := range pages {
		if p.there() {
			continue
		}
		if len(items[p.home]) == 0 {
			homes = append(homes, p.home)
		}
		bytes := p.bytes
		if bytes == nil {
			bytes = p.text
		}
		items[p.home] = append(items[p.home], store.BatchItem{Path: p.key, Page: p.id, Hash: sha256.Sum256(bytes), Bytes: bytes})
		for _, in := range p.past {
			items[p.home] = append(items[p.home], store.BatchItem{Path: fmt.Sprintf("%s@%d", p.key, in.ID), Page: p.id, Hash: sha256.Sum256(in.Bytes), Bytes: in.Bytes})
		}
	}
	for _, h := range homes {
		if row, there := kept[h]; there {
			if err := tx.Batches().Append(ctx, row, items[h]); err != nil {
				return err
			}
			continue
		}
		b := m.newBatch(h.space.Space)
		if err := tx.Batches().Add(ctx, &b, items[h]); err != nil {
			return err
		}
		kept[h] = b.Row
	}
	return nil
}

// rest counts what is derived from the rest, or is of use to quaid alone.
func (m *fromQuaid) rest() {
	why := map[string]string{
		"page_embeddings":       "pages are embedded anew, by this memory's model",
		"embedding_models":      "pages are embedded anew, by this memory's model",
		"embedding_jobs":        "pages are embedded anew, by this memory's model",
		"config":                "settings are cairn's own",
		"quaid_config":          "settings are cairn's own",
		"import_manifest":       "the list of its imports; the bytes are kept",
		"conversation_sessions": "conversations are files, and are not in the database",
		"correction_sessions":   "what quaid was in the middle of",
		"extraction_queue":      "what quaid was in the middle of",
		"file_state":            "what quaid knows of files",
		"serve_sessions":        "what quaid was in the middle of",
		"collection_owners":     "what quaid was in the middle of",
		"quarantine_exports":    "what quaid knows of files",
	}
	for _, t := range m.from.Other {
		m.out.tally(t.Name, t.Rows).LeftOut = t.Rows
		m.out.lose(t.Name+", "+api.Plural(t.Rows, "row"), cmp.Or(why[t.Name], "no version of quaid that is known has this table"))
	}
}
