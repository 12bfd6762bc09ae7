package lintpages

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/anchor"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/index"

	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy/lint"
	"github.com/cairn-kb/cairn/internal/store"
)

// Lint lists faults. Before it reads pages it calls fresh, which syncs changed
// files; it does not if there are no uncommitted files to check.
func Lint(ctx context.Context, sess *memory.Session, req api.LintRequest, fresh func() error) (api.Faults, error) {
	sess = sess.In(req.Space)
	out := api.Faults{List: api.List[api.Fault]{Items: []api.Fault{}}}
	if !req.Index && !req.Changed { // otherwise only for changes
		go lint.Ready() // while pages are listed
	}
	var (
		found []fault
		err   error
	)
	if !req.Changed {
		if err := fresh(); err != nil {
			return out, err
		}
	}
	switch {
	case req.Text != nil && len(req.Refs) > 0:
		return out, kb.Errorf(kb.Usage, "either a text is looked at, or pages")
	case req.Text != nil:
		out.Files = 1
		found, err = readText(ctx, sess, req.Path, []byte(*req.Text))
	case (req.Changed || req.Index) && (req.Changed == req.Index || len(req.Refs) > 0):
		return out, kb.Errorf(kb.Usage, "check either pages, or uncommitted changes, or the index")
	case req.Changed || req.Index:
		found, out.Files, err = some(ctx, sess, req, fresh)
	default:
		found, out.Files, err = readPages(ctx, sess, req.Refs)
	}
	if err != nil {
		return out, err
	}
	slices.SortStableFunc(found, func(a, b fault) int { return cmp.Compare(a.space, b.space) })
	for _, f := range found {
		if f.Fatal() {
			out.Fatal++
		} else {
			out.Warnings++
		}
		if out.Total++; out.Total > req.Offset && (req.Limit == 0 || len(out.Items) < req.Limit) {
			out.Items = append(out.Items, Fault(f.space, f.Finding))
		}
	}
	out.Next = api.Next(req.Offset, len(out.Items), out.Total)
	return out, nil
}

// Fault is a finding for display, with the name of its space.
func Fault(space string, f lint.Finding) api.Fault {
	return api.Fault{Rule: string(f.Rule), Severity: string(f.Severity), Space: space, Path: f.Path, Line: f.Line, Message: f.Message}
}

// fault is a finding with the name of its space.
type fault struct {
	lint.Finding
	space string
}

// readText checks a text as if it were in the current space.
func readText(ctx context.Context, sess *memory.Session, path string, text []byte) ([]fault, error) {
	s, err := sess.Spaces.OpenCurrent(ctx)
	if err != nil {
		return nil, err
	}
	if path == "" {
		path = "stdin" + extension(sess, s)
	}
	if doc.ForPath(sess.Codecs, path) == nil {
		return named(s, lint.Source(path, text, s.Policy)), nil
	}
	d := doc.ForNote(sess.Codecs, s.Syntax, path).Parse(path, text)
	found := lint.WithSources(d, s.Policy, s.Has)
	derived := index.Derive(doc.ForNote(sess.Codecs, s.Syntax, path), index.Source{Space: s.Space, Path: path, Bytes: text}, nil)
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		if err := index.Lead(ctx, tx, s.Space, []*store.Document{&derived.Record}); err != nil {
			return err
		}
		own := lint.Declared(d)
		for _, p := range derived.Record.Pages {
			for _, l := range p.Links {
				if id, ok := lint.LinkedID(l); ok && l.To == 0 && l.Candidates == 0 && !own[kb.ID(id)] {
					found = append(found, lint.Dead(s.Policy, path, l.Line, id)...)
				}
			}
		}
		shared, err := index.SharedWith(ctx, tx, s.Row, []*index.Derived{derived}, nil)
		for _, x := range shared {
			found = append(found, lint.Repeated(s.Policy, path, x.ID, append([]string{x.Has}, x.Others...))...)
		}
		return err
	})
	lint.Sort(found)
	return named(s, found), err
}

// extension returns the extension of new pages of a space.
func extension(sess *memory.Session, s *write.Space) string {
	for _, c := range sess.Codecs {
		if string(c.Format()) == s.Policy.Format {
			return c.Extensions()[0]
		}
	}
	return sess.Codecs[0].Extensions()[0]
}

func named(s *write.Space, found []lint.Finding) []fault {
	out := make([]fault, len(found))
	for i, f := range found {
		out[i] = fault{f, s.Name}
	}
	return out
}

// readPages checks documents: those of refs, or all of the current space.
func readPages(ctx context.Context, sess *memory.Session, refs []string) (found []fault, files int, err error) {
	if len(refs) == 0 {
		s, err := sess.Spaces.OpenCurrent(ctx)
		if err != nil {
			return nil, 0, err
		}
		all, n, err := Space(ctx, sess, s, nil)
		return named(s, all), n, err
	}
	var ids []kb.ID
	paths := map[kb.ID][]string{}
	for _, ref := range refs {
		p, err := freshness.Page(ctx, sess, ref)
		if err != nil {
			return nil, 0, err
		}
		if paths[p.SpaceID] == nil {
			ids = append(ids, p.SpaceID)
		}
		if !slices.Contains(paths[p.SpaceID], p.Path) {
			paths[p.SpaceID] = append(paths[p.SpaceID], p.Path)
		}
	}
	all, err := sess.Spaces.All(ctx)
	if err != nil {
		return nil, 0, err
	}
	for _, s := range all {
		if !slices.Contains(ids, s.ID) {
			continue
		}
		w, err := sess.Spaces.OpenSpace(ctx, s)
		if err != nil {
			return nil, 0, err
		}
		more, n, err := Space(ctx, sess, w, paths[s.ID])
		if err != nil {
			return nil, 0, err
		}
		found, files = append(found, named(w, more)...), files+n
	}
	return found, files, nil
}

// Space lists the faults of a space, and returns the number of documents checked:
// all of them, or those at paths.
func Space(ctx context.Context, sess *memory.Session, s *write.Space, paths []string) ([]lint.Finding, int, error) {
	known, err := readKnown(ctx, sess, s, paths)
	if err != nil {
		return nil, 0, err
	}
	wanted := func(path string) bool { return paths == nil || slices.Contains(paths, path) }
	known = slices.DeleteFunc(known, func(f store.FileState) bool { return !wanted(f.Path) })
	found, err := documents(ctx, sess, s, known)
	if err != nil {
		return nil, 0, err
	}
	if s.Files != nil {
		more, err := sources(ctx, s, wanted)
		if err != nil {
			return nil, 0, err
		}
		found = append(found, more...)
		if more, err = checkIndex(ctx, sess, s, paths); err != nil {
			return nil, 0, err
		}
		found = append(found, more...)
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		more, err := together(ctx, sess, tx, s, paths)
		for _, f := range more {
			if wanted(f.Path) {
				found = append(found, f)
			}
		}
		return err
	})
	lint.Sort(found)
	return found, len(known), err
}

// readKnown returns the documents of a space, all or those at paths, including
// those that could not be indexed.
func readKnown(ctx context.Context, sess *memory.Session, s *write.Space, paths []string) (out []store.FileState, err error) {
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		if paths == nil {
			out, err = tx.Documents().States(ctx, s.Row)
		}
		for _, p := range paths {
			d, missing := tx.Documents().ByPath(ctx, s.Row, p)
			switch {
			case missing == nil:
				out = append(out, store.FileState{Row: d.Row, Path: d.Path, Hash: d.Hash})
			case kb.CodeOf(missing) != kb.NotFound:
				return missing
			}
		}
		if err != nil || s.Files == nil {
			return err
		}
		failed, err := tx.Failures().All(ctx, s.Row)
		for _, f := range failed {
			if !slices.ContainsFunc(out, func(o store.FileState) bool { return o.Path == f.Path }) {
				out = append(out, store.FileState{Path: f.Path})
			}
		}
		return err
	})
	return out, err
}

// documents checks documents one by one.
func documents(ctx context.Context, sess *memory.Session, s *write.Space, known []store.FileState) ([]lint.Finding, error) {
	each := make([][]lint.Finding, len(known))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, f := range known {
		g.Go(func() error {
			text, err := readBytes(ctx, sess, s, f)
			if err != nil || text == nil {
				return err
			}
			each[i] = lint.WithSources(doc.ForNote(sess.Codecs, s.Syntax, f.Path).Parse(f.Path, text), s.Policy, s.Has)
			return nil
		})
	}
	err := g.Wait()
	return slices.Concat(each...), err
}

// readBytes returns the current bytes of a document, nil when it does not exist any
// more.
func readBytes(ctx context.Context, sess *memory.Session, s *write.Space, f store.FileState) (text []byte, err error) {
	if s.Files == nil {
		err = sess.DB.View(ctx, func(tx store.Tx) error {
			text, err = tx.History().Bytes(ctx, f.Hash)
			return err
		})
		return text, err
	}
	text, _, err = fsys.ReadFile(ctx, s.Files, f.Path, write.MaxDocument)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, fsys.Explain(err, "read %s", f.Path)
}

// together returns the faults between several pages, of the documents at paths or
// of all. For a few paths the rest of the space is not read.
func together(ctx context.Context, sess *memory.Session, tx store.Tx, s *write.Space, paths []string) (out []lint.Finding, err error) {
	var r related
	if paths == nil {
		r, err = readWhole(ctx, sess, tx, s)
	} else {
		r, err = readAt(ctx, sess, tx, s, paths)
	}
	if err != nil {
		return nil, err
	}
	for _, x := range r.shared {
		places := append([]string{x.Has}, x.Others...)
		for _, place := range places {
			path, line := lint.Place(place)
			for _, f := range lint.Repeated(s.Policy, path, x.ID, places) {
				f.Line = line
				out = append(out, f)
			}
		}
	}
	for _, l := range r.open {
		if id, ok := lint.LinkedID(l.Link); ok && l.Candidates == 0 {
			out = append(out, lint.Dead(s.Policy, r.paths[l.From], l.Line, id)...)
		}
	}
	for _, l := range r.missing {
		part, block := l.Anchor()
		if block != "" {
			part = "^" + block
		}
		out = append(out, lint.Anchorless(s.Policy, r.paths[l.From], l.Line, l.Page.Path, part)...)
	}
	return out, nil
}

// related holds stored relations between the pages of a space, as input of checks.
type related struct {
	shared  []index.SharedID
	open    []store.LinkEnd  // broken and ambiguous links
	missing []store.LinkEnd  // links to headings and blocks that do not exist
	paths   map[int64]string // of the pages with these links
}

// readWhole reads the relations of all pages.
func readWhole(ctx context.Context, sess *memory.Session, tx store.Tx, s *write.Space) (r related, err error) {
	if r.shared, err = index.SharedIDs(ctx, tx, s.Row); err != nil {
		return r, err
	}
	if r.open, _, err = tx.Links().Unresolved(ctx, []int64{s.Row}, 0, 0); err != nil {
		return r, err
	}
	if r.missing, err = anchor.Missing(ctx, sess, tx, []int64{s.Row}); err != nil {
		return r, err
	}
	holders := make([]int64, 0, len(r.open)+len(r.missing))
	for _, l := range slices.Concat(r.open, r.missing) {
		holders = append(holders, l.From)
	}
	pages, err := store.PagesByRow(ctx, tx, holders)
	r.paths = make(map[int64]string, len(pages))
	for row, p := range pages {
		r.paths[row] = p.Path
	}
	return r, err
}

// readAt reads the relations of the pages of documents at paths.
func readAt(ctx context.Context, sess *memory.Session, tx store.Tx, s *write.Space, paths []string) (r related, err error) {
	var rows []int64
	at := map[int64]string{}
	for _, path := range paths {
		d, err := tx.Documents().ByPath(ctx, s.Row, path)
		switch {
		case err == nil && at[d.Row] == "": // git lists some files twice
			rows, at[d.Row] = append(rows, d.Row), path
		case err != nil && kb.CodeOf(err) != kb.NotFound: // it could not be indexed
			return r, err
		}
	}
	records, err := tx.Documents().Records(ctx, rows)
	if err != nil {
		return r, err
	}
	var (
		ids      []kb.ID
		anchored []store.LinkRow
	)
	r.paths = map[int64]string{}
	for _, row := range rows {
		for _, p := range records[row] {
			r.paths[p.Page.Row] = at[row]
			if p.Declared != "" {
				ids = append(ids, p.Declared)
			}
			links, err := tx.Links().From(ctx, p.Page.Row)
			if err != nil {
				return r, err
			}
			for _, l := range links {
				switch {
				case l.To == 0 && !l.Unwritten():
					r.open = append(r.open, l)
				case l.To != 0 && l.Heading != "":
					anchored = append(anchored, l.LinkRow)
				}
			}
		}
	}
	slices.Sort(ids)
	if r.shared, err = index.SharedOf(ctx, tx, s.Row, slices.Compact(ids)); err != nil {
		return r, err
	}
	r.missing, err = anchor.Among(ctx, sess, tx, anchored)
	return r, err
}
