package relational

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// oldPage holds the fields of a stored page that are needed to replace or
// delete it.
type oldPage struct {
	row   int64
	node  string
	id    kb.ID
	title string
	names []string
	tags  []string
}

// oldPages returns the pages of documents, by the rows of the documents.
func (t *Tx) oldPages(ctx context.Context, documents []int64) (map[int64][]*oldPage, error) {
	out := make(map[int64][]*oldPage, len(documents))
	err := chunks(documents, nil, func(list string, args []any) error {
		return t.query(ctx, "SELECT document, row, node, id, title, names, tags FROM pages WHERE document IN ("+list+")", args, func(r Row) error {
			p := &oldPage{row: r.Int(1), node: r.Text(2), id: kb.ID(r.Text(3)), title: r.Text(4)}
			var err error
			if p.names, err = r.List(5); err != nil {
				return err
			}
			p.tags, err = r.List(6)
			out[r.Int(0)] = append(out[r.Int(0)], p)
			return err
		})
	})
	return out, err
}

// Put replaces rows in two rounds: the first deletes values that the new rows
// do not have (paths, ids, pages), so that documents of one call may exchange
// them.
func (d documents) Put(ctx context.Context, docs []*store.Document) error {
	old, err := d.clear(ctx, docs)
	if err != nil {
		return err
	}
	in := newInserts(d.t)
	for _, doc := range docs {
		if err := d.put(ctx, in, doc, old[doc.Row]); err != nil {
			return err
		}
	}
	return in.flush(ctx)
}

// clear prepares stored documents for their replacement, and returns the pages that stay.
func (d documents) clear(ctx context.Context, docs []*store.Document) (map[int64][]*oldPage, error) {
	var rows []int64
	for _, doc := range docs {
		if doc.Row != 0 {
			rows = append(rows, doc.Row)
		}
	}
	if len(rows) == 0 {
		return nil, nil
	}
	files, old, err := d.stored(ctx, rows)
	if err != nil {
		return nil, err
	}
	var stay, gone []int64
	for _, doc := range docs {
		if doc.Row == 0 {
			continue
		}
		was, found := files[doc.Row]
		if !found {
			return nil, kb.Errorf(kb.NotFound, "no such document")
		}
		if was.path != doc.Path {
			if err := d.t.exec(ctx, "UPDATE documents SET path = ? WHERE row = ?", parked(doc.Row), doc.Row); err != nil {
				return nil, err
			}
		}
		renamed := fileName(was.path) != fileName(doc.Path) || was.format != doc.Format
		keep := old[doc.Row][:0]
		for _, p := range old[doc.Row] {
			i := slices.IndexFunc(doc.Pages, func(rec store.PageRecord) bool { return rec.Page.Node == p.node })
			if i < 0 {
				if err := d.t.dropPage(ctx, p); err != nil {
					return nil, err
				}
				gone = append(gone, p.row)
				continue
			}
			if pageID(doc, &doc.Pages[i]) != p.id {
				if err := d.t.exec(ctx, "UPDATE pages SET id = ? WHERE row = ?", parked(p.row), p.row); err != nil {
					return nil, err
				}
			}
			if renamed || p.title != doc.Pages[i].Page.Title {
				if err := d.t.outdateVectors(ctx, p.row); err != nil {
					return nil, err
				}
			}
			keep, stay = append(keep, p), append(stay, p.row)
		}
		old[doc.Row] = keep
	}
	if err := d.t.dropFacts(ctx, stay); err != nil {
		return nil, err
	}
	return old, d.t.dropVectors(ctx, gone)
}

// file holds the stored path and format of a document.
type file struct{ path, format string }

// stored returns the documents to be replaced, and their pages, by row.
func (d documents) stored(ctx context.Context, rows []int64) (files map[int64]file, pages map[int64][]*oldPage, err error) {
	files = make(map[int64]file, len(rows))
	err = chunks(rows, nil, func(list string, args []any) error {
		return d.t.query(ctx, "SELECT row, path, format FROM documents WHERE row IN ("+list+")", args, func(r Row) error {
			files[r.Int(0)] = file{r.Text(1), r.Text(2)}
			return nil
		})
	})
	if err != nil {
		return nil, nil, err
	}
	pages, err = d.t.oldPages(ctx, rows)
	return files, pages, err
}

// Ahead implements store.Documents.
func (d documents) Ahead(ctx context.Context, rows []int64) error {
	_, _, err := d.stored(ctx, rows)
	return err
}

// fileName returns the last element of a path.
func fileName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// parked returns a path or id that no document can have.
func parked(row int64) string { return "\x00" + strconv.FormatInt(row, 10) }

// pageID returns the id under which a page is stored: the document's own page has the id of
// the document.
func pageID(doc *store.Document, rec *store.PageRecord) kb.ID {
	if rec.Page.Node == "" {
		return doc.ID
	}
	return rec.Page.ID
}

func (d documents) put(ctx context.Context, in *inserts, doc *store.Document, old []*oldPage) error {
	declared := false
	for i := range doc.Pages {
		if rec := &doc.Pages[i]; rec.Page.Node == "" {
			declared = rec.Declared != "" && rec.Declared == doc.ID
		}
	}
	values := append([]any{
		doc.Space, doc.Path, kb.FoldPath(doc.Path), string(doc.ID), declared, doc.Format, doc.Hash[:],
		doc.Size, nanos(doc.ModTime), micros(doc.Indexed), doc.Version, micros(doc.Recorded), documentSum(doc),
	}, sideValues(doc.Side)...)
	taken := func() error {
		return kb.Errorf(kb.Conflict, "another document of the space has the path %s", doc.Path).With("path", doc.Path)
	}
	var err error
	if doc.Row == 0 {
		var row int64
		row, err = d.t.insert(ctx, "documents", taken, `INSERT INTO documents (row, space, path, path_fold, id, declared, format, hash, size, mod_time_ns, indexed, version, recorded, file_sum,
side_hash, side_size, side_mod_time_ns) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, values...)
		if err == nil {
			doc.Row = row
		}
	} else {
		err = d.t.execUnless(ctx, taken, `UPDATE documents SET space = ?, path = ?, path_fold = ?, id = ?, declared = ?, format = ?, hash = ?, size = ?,
mod_time_ns = ?, indexed = ?, version = ?, recorded = ?, file_sum = ?, side_hash = ?, side_size = ?, side_mod_time_ns = ? WHERE row = ?`, append(values, doc.Row)...)
	}
	if err != nil {
		return err
	}
	for i := range doc.Pages {
		rec := &doc.Pages[i]
		var was *oldPage
		if j := slices.IndexFunc(old, func(p *oldPage) bool { return p.node == rec.Page.Node }); j >= 0 {
			was = old[j]
		}
		if err := d.putPage(ctx, in, doc, rec, i, was); err != nil {
			return err
		}
	}
	return nil
}

// putPage inserts a page, or replaces its row, and leaves it without facts.
func (d documents) putPage(ctx context.Context, in *inserts, doc *store.Document, rec *store.PageRecord, position int, was *oldPage) error {
	p, id := &rec.Page, pageID(doc, rec)
	status := p.Status
	if status == "" {
		status = kb.Active
	}
	taken := func() error {
		return kb.Errorf(kb.Conflict, "another page of the space has the id of %s", doc.Path).With("path", doc.Path).With("id", string(id))
	}
	var err error
	if was == nil {
		p.Row, err = d.t.insert(ctx, "pages", taken, `INSERT INTO pages (row, document, space, node, position, id, declared, slug, title, title_fold,
type, type_fold, status, line, created, updated, day, summary, tags, aliases, names,
wing, wing_key, room, truth_sum, timeline_sum, truth_updated, timeline_updated, permalink, as_of)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			doc.Row, doc.Space, p.Node, position, string(id), string(rec.Declared), p.Slug, p.Title, foldText(p.Title),
			p.Type, foldText(p.Type), string(status), p.Line, micros(p.Created), micros(p.Updated), orNull(p.Day), p.Summary,
			encodeList(p.Tags), encodeList(p.Aliases), encodeList(rec.Names), orNull(p.Wing), wingKey(p.Wing), orNull(p.Room),
			rec.TruthSum, rec.TimelineSum, micros(p.TruthUpdated), micros(p.TimelineUpdated), p.Permalink, p.AsOf)
	} else {
		p.Row = was.row
		err = d.t.execUnless(ctx, taken, `UPDATE pages SET space = ?, position = ?, id = ?, declared = ?, slug = ?, title = ?, title_fold = ?,
type = ?, type_fold = ?, status = ?, line = ?, created = ?, updated = ?, day = ?, summary = ?, tags = ?, aliases = ?, names = ?,
wing = ?, wing_key = ?, room = ?, truth_sum = ?, timeline_sum = ?, truth_updated = ?, timeline_updated = ?, permalink = ?, as_of = ? WHERE row = ?`,
			doc.Space, position, string(id), string(rec.Declared), p.Slug, p.Title, foldText(p.Title),
			p.Type, foldText(p.Type), string(status), p.Line, micros(p.Created), micros(p.Updated), orNull(p.Day), p.Summary,
			encodeList(p.Tags), encodeList(p.Aliases), encodeList(rec.Names), orNull(p.Wing), wingKey(p.Wing), orNull(p.Room),
			rec.TruthSum, rec.TimelineSum, micros(p.TruthUpdated), micros(p.TimelineUpdated), p.Permalink, p.AsOf, p.Row)
	}
	if err != nil {
		return err
	}
	if err := d.t.putLists(ctx, in, p.Row, rec.Names, p.Tags, was); err != nil {
		return err
	}
	return in.addFacts(ctx, p.Row, rec)
}

// wingKey returns the lookup key of a wing: its words, with hyphens around each.
func wingKey(wing string) any {
	if wing == "" {
		return nil
	}
	return "-" + kb.NameKey(wing) + "-"
}

// putLists updates the lookup rows for names and tags to those of the page.
func (t *Tx) putLists(ctx context.Context, in *inserts, page int64, names, tags []string, was *oldPage) error {
	if was != nil {
		if !slices.Equal(was.names, names) {
			if err := t.dropNames(ctx, was); err != nil {
				return err
			}
			was.names = nil
		}
		if !slices.Equal(was.tags, tags) {
			if err := t.dropTags(ctx, was); err != nil {
				return err
			}
			was.tags = nil
		}
	}
	if was == nil || was.names == nil {
		for _, key := range names {
			if err := in.names.add(ctx, key, page); err != nil {
				return err
			}
		}
	}
	if was == nil || was.tags == nil {
		for _, tag := range tags {
			if err := in.tags.add(ctx, foldText(tag), page, tag); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *Tx) dropNames(ctx context.Context, p *oldPage) error {
	for _, key := range p.names {
		if err := t.exec(ctx, "DELETE FROM names WHERE key = ? AND page = ?", key, p.row); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tx) dropTags(ctx context.Context, p *oldPage) error {
	for _, tag := range p.tags {
		if err := t.exec(ctx, "DELETE FROM tags WHERE tag_fold = ? AND page = ?", foldText(tag), p.row); err != nil {
			return err
		}
	}
	return nil
}

// dropPage deletes a page with its facts, except its vectors (see dropVectors). Links to it
// become broken.
func (t *Tx) dropPage(ctx context.Context, p *oldPage) error {
	if err := t.dropFacts(ctx, []int64{p.row}); err != nil {
		return err
	}
	if err := t.dropNames(ctx, p); err != nil {
		return err
	}
	if err := t.dropTags(ctx, p); err != nil {
		return err
	}
	if err := t.exec(ctx, "UPDATE links SET target = NULL, candidates = 0 WHERE target = ?", p.row); err != nil {
		return err
	}
	err := t.exec(ctx, "DELETE FROM pages WHERE row = ?", p.row)
	return err
}
