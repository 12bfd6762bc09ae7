package importer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/sidecar"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/transfer/foreign"
)

// ImportKind is the kind of batches with the data of an import.
const ImportKind = "import"

// quaidPreset is the preset of spaces that an import of quaid creates.
const quaidPreset = "memory"

// fromQuaid is an import of quaid. It determines the paths of all pages first, since links
// refer to them; their contents are read and written in batches.
type fromQuaid struct {
	*batch
	from  *foreign.Database
	names map[int64]string // of the collections, by row
	main  int64            // the collection of data without a collection
	homes map[quaidGroup]*quaidHome
	order []quaidGroup // groups of homes; the first is for data without a group
	all   []*quaidPage // imported or existing pages, in the order of their rows
	byRow map[int64]*quaidPage
	gaps  []*kb.Gap                  // imported gaps
	taken map[string]map[string]bool // paths, by space
	dirs  map[string]string          // as spelled first, by space and kb.FoldPath

	rows  quaidRows
	ahead bool // pages are only read for data that other pages need
	kept  map[*quaidHome]int64
}

// quaidGroup is the scope in which slugs are unique.
type quaidGroup struct {
	collection int64
	namespace  string
}

// quaidHome is the space of a group.
type quaidHome struct {
	name  string
	space *write.Space           // nil if a dry run would create it
	have  map[string]quaidBefore // pages of earlier imports, by key
}

// quaidBefore is a page of an earlier import.
type quaidBefore struct {
	page kb.ID
	hash kb.Hash // of its original bytes
}

// quaidPage is a page being imported.
type quaidPage struct {
	foreign.Page
	nth    int // index among all pages
	home   *quaidHome
	path   string
	before *quaidBefore // approximate size of its text and rows
	size   int64        // of what belongs to it, about
	*quaidText
}

// quaidText is the text and sidecar of a page.
type quaidText struct {
	foreign.Text
	codec doc.Codec
	old   kb.Page // the existing page
	text  []byte  // future text of the document
	was   []byte  // present text
	side  []sidecar.Assertion
	raw   map[string]string // data by source
	edits []sidecar.Edit
	bytes []byte           // of the original file; nil if unknown
	past  []foreign.Import // earlier original bytes
}

// key returns the key by which a later import recognises a page.
func (m *fromQuaid) key(p *quaidPage) string {
	return strings.Join([]string{m.names[p.Collection], p.Namespace, p.Slug}, "::")
}

func (m *fromQuaid) id(p *quaidPage) kb.ID {
	switch {
	case p.there():
		return p.before.page
	case p.home.space == nil:
		return kb.DerivedID("", m.key(p), "", 0)
	}
	return kb.DerivedID(p.home.space.ID, p.path, "", 0)
}

// stored returns the stored version of the page.
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

func (p *quaidPage) there() bool { return p.before != nil }

// apply applies an edit to the text of a page.
func (p *quaidPage) apply(e doc.Edit) error {
	text, err := p.codec.Apply(p.codec.Parse(p.path, p.text), "", e)
	if err == nil {
		p.text = text
	}
	return err
}

func (p *quaidPage) node() doc.Node { return p.codec.Parse(p.path, p.text).Nodes[0] }

// quaid imports a database of quaid: each collection and each of its namespaces becomes a
// space, and each page keeps its original bytes if they agree with the database. Pages of an
// earlier import stay; missing entries, links, tags, data and assertions are added to them.
func quaid(ctx context.Context, sess *memory.Session, req ExportRequest) (_ Receipt, err error) {
	from, err := foreign.OpenQuaid(ctx, req.File)
	if err != nil {
		return Receipt{}, err
	}
	m := &fromQuaid{
		batch: newBatch(sess, req), from: from, names: map[int64]string{}, homes: map[quaidGroup]*quaidHome{}, byRow: map[int64]*quaidPage{},
		taken: map[string]map[string]bool{}, dirs: map[string]string{}, rows: newQuaidRows(), kept: map[*quaidHome]int64{},
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	return m.run(ctx, m)
}

func (m *fromQuaid) open(ctx context.Context) (spaces []*write.Space, by way, err error) {
	if m.from.Version > foreign.Newest {
		m.out.lose(fmt.Sprintf("schema %d", m.from.Version), fmt.Sprintf("it is newer than %d, the newest that is known: only columns that are known were read", foreign.Newest))
	}
	for _, step := range []func(context.Context) error{m.openHomes, m.place, m.assignRows, m.questions} {
		if err := step(ctx); err != nil {
			return nil, notAtAll, err
		}
	}
	if m.req.DryRun {
		return nil, notAtAll, nil
	}
	by = inParts
	for _, p := range m.all {
		if !slices.Contains(spaces, p.home.space) {
			spaces = append(spaces, p.home.space)
		}
		if !takesParts(p.home.space) {
			by = atOnce
		}
	}
	return spaces, by, nil
}

func (m *fromQuaid) finish(context.Context) error {
	m.tellAll()
	return nil
}

// openHomes opens the space of each group of pages, and creates missing spaces.
func (m *fromQuaid) openHomes(ctx context.Context) error {
	for i, c := range m.from.Collections {
		if m.names[c.ID] = c.Name; i == 0 || c.Target {
			m.main = c.ID
		}
	}
	groups := map[quaidGroup]bool{} // groups with pages
	err := foreign.Pages.Each(ctx, m.from, func(p foreign.Page) error {
		groups[m.groupOf(p)] = true
		return nil
	})
	if err != nil {
		return err
	}
	m.order = slices.SortedFunc(maps.Keys(groups), func(x, y quaidGroup) int {
		return cmp.Or(cmp.Compare(x.collection, y.collection), strings.Compare(x.namespace, y.namespace))
	})
	if len(groups) == 0 { // open questions need a space
		m.order = []quaidGroup{{collection: m.main}}
	}
	before, err := m.Session.Spaces.All(ctx)
	if err != nil && !space.NothingYet(err) {
		return err
	}
	for _, g := range m.order {
		name := ""
		switch base := m.names[g.collection]; {
		case m.req.Into != "" && (base == "" || g.collection == m.main):
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
	used := func(mine func(quaidGroup) bool) bool {
		for g := range groups {
			if mine(g) {
				return true
			}
		}
		return false
	}
	collections := m.out.tally("collections", len(m.from.Collections))
	for _, c := range m.from.Collections {
		mine := func(x quaidGroup) bool { return x.collection == c.ID }
		m.group(collections, "collection "+c.Name, used(mine), isNew(mine))
	}
	namespaces := m.out.tally("namespaces", len(m.from.Namespaces))
	for _, n := range m.from.Namespaces {
		mine := func(x quaidGroup) bool { return x.namespace == n.Name && n.Name != "" }
		m.group(namespaces, "namespace "+n.Name, used(mine), isNew(mine))
		if n.Hours != "" && used(mine) {
			m.out.lose("namespace "+n.Name, "its pages do not expire after "+n.Hours+" hours; a space may say when pages become stale")
		}
	}
	return nil
}

// groupOf returns the group of a page, or that of the main collection if the page's own does
// not exist.
func (m *fromQuaid) groupOf(p foreign.Page) quaidGroup {
	if m.names[p.Collection] == "" {
		p.Collection = m.main
	}
	return quaidGroup{p.Collection, p.Namespace}
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

// openHome opens a space, "" for the current one, and reads the list of pages of earlier
// imports.
func (m *fromQuaid) openHome(ctx context.Context, name string) (*quaidHome, error) {
	for _, h := range m.homes {
		if h.name == name && name != "" {
			return h, nil
		}
	}
	h := &quaidHome{name: name, have: map[string]quaidBefore{}}
	var err error
	if name == "" {
		h.space, err = m.target(ctx)
	} else {
		h.space, err = m.Session.Spaces.OpenNamed(ctx, name)
		if kb.CodeOf(err) == kb.NotFound || space.NothingYet(err) {
			if err = nil; !m.req.DryRun {
				if err = makeSpace(ctx, m.Session, &m.made, space.AddRequest{Name: name, Preset: quaidPreset}); err == nil {
					h.space, err = m.Session.Spaces.OpenNamed(ctx, name)
				}
			}
		}
	}
	if err != nil || h.space == nil {
		return h, err
	}
	h.name = h.space.Name
	err = m.Session.DB.View(ctx, func(tx store.Tx) error {
		return imported(ctx, tx, h.space.Space, func(_ kb.Batch, it store.BatchItem) error {
			if it.Page != "" {
				h.have[it.Path] = quaidBefore{it.Page, it.Hash}
			}
			return nil
		})
	})
	return h, err
}

// drafts yields the pages with their original bytes, then the open questions and the
// resolutions.
func (m *fromQuaid) drafts(ctx context.Context) iter.Seq2[draft, error] {
	return pulled(func(add func(draft) error) error {
		err := m.each(ctx, func(pages []*quaidPage) error {
			changes := m.changes(pages)
			if len(changes) == 0 {
				return nil
			}
			return add(draft{changes: changes, after: m.keepBytes(pages)})
		})
		if err != nil {
			return err
		}
		if m.req.DryRun {
			return m.resolutions(ctx, nil)
		}
		return add(draft{after: func(ctx context.Context, tx store.Tx, _ []kb.Version) error {
			if err := m.keepGaps(ctx, tx); err != nil {
				return err
			}
			return m.resolutions(ctx, tx)
		}})
	})
}

// changes returns the changes of pages and their sidecars.
func (m *fromQuaid) changes(pages []*quaidPage) (out []write.Change) {
	for _, p := range pages {
		s := p.home.space
		if s == nil {
			continue // a dry run would create it
		}
		if !p.there() || !slices.Equal(p.text, p.was) {
			put := write.Put{Overwrite: p.there()}
			m.report(&m.rows.masked, p.nth, func(*Tally) { put.Bytes = m.mask(s, p.path, p.text) })
			c := write.Change{Space: s, Path: p.path, Action: put}
			if p.there() {
				c.Of, c.Expected = write.OfPage(p.old), &p.old.Version
			}
			out = append(out, c)
		}
		if len(p.edits) > 0 {
			out = append(out, write.Change{Space: s, Path: p.path, Action: write.EditSide{Edits: p.edits}})
		}
	}
	return out
}

// keepBytes returns a function that keeps the original bytes of pages, in a batch for each
// space.
func (m *fromQuaid) keepBytes(pages []*quaidPage) func(context.Context, store.Tx, []kb.Version) error {
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
		items[p.home] = append(items[p.home], store.BatchItem{Path: m.key(p), Page: m.id(p), Hash: sha256.Sum256(bytes), Bytes: bytes})
		for _, in := range p.past {
			items[p.home] = append(items[p.home], store.BatchItem{Path: fmt.Sprintf("%s@%d", m.key(p), in.ID), Page: m.id(p), Hash: sha256.Sum256(in.Bytes), Bytes: in.Bytes})
		}
	}
	return func(ctx context.Context, tx store.Tx, _ []kb.Version) error {
		for _, h := range homes {
			if row, there := m.kept[h]; there {
				if err := tx.Batches().Append(ctx, row, items[h]); err != nil {
					return err
				}
				continue
			}
			b := m.newBatch(h.space.Space)
			if err := tx.Batches().Add(ctx, &b, items[h]); err != nil {
				return err
			}
			m.kept[h] = b.Row
		}
		return nil
	}
}

// tellAll adds the outcomes of all rows to the receipt, table by table.
func (m *fromQuaid) tellAll() {
	r := &m.rows
	if r.pages.Brought > 0 {
		r.pages.end(Loss{"created_at, updated_at and version", "pages begin in version 1, when they are imported; those that were rebuilt keep created_at"})
	}
	if r.rebuilt > 0 {
		r.pages.end(Loss{"the files of pages", "those of " + api.Plural(r.rebuilt, "page") + " are not there or say something else than the database, from which the pages were rebuilt"})
	}
	if r.broken > 0 {
		r.assertions.end(Loss{api.Plural(r.broken, "assertion"), "line breaks became spaces"})
	}
	for _, s := range []*section{
		&r.pages, &r.tags.section, &r.entries.section, &r.links.section, &r.superseded, &r.data.section, &r.assertions.section, &r.imports.section, &r.gaps, &r.masked, &r.contradictions,
	} {
		m.out.add(s)
	}
	m.others()
}

// others counts the rows that are derived from others, or are of use only to quaid.
func (m *fromQuaid) others() {
	why := map[string]string{
		"page_embeddings":       "pages are embedded again, with this memory's model",
		"embedding_models":      "pages are embedded again, with this memory's model",
		"embedding_jobs":        "pages are embedded again, with this memory's model",
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
