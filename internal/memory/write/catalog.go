package write

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc/indexfile"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/git"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/lint"
	"github.com/cairn-kb/cairn/internal/store"
)

// A space with index files in its policy has files that list its pages. They
// are files of a change set like documents, but not pages: see package
// indexfile.

// indexFiles computes the effects of a change set on the index files of its
// spaces. No other unindexed set may precede it.
func indexFiles(ctx context.Context, s *changeSet) error {
	for _, space := range s.spaces() {
		if !hasCatalog(space) || !slices.ContainsFunc(s.docs, func(t *target) bool { return t.space.Row == space.Row && t.textChanged() }) {
			continue
		}
		s.alone = true
		c := &cataloguer{w: s.w, space: space, docs: s.docs}
		ops, err := c.ops(ctx)
		if err != nil {
			return err
		}
		s.generated = append(s.generated, ops...)
		if c.sum != "" {
			s.catalogs = append(s.catalogs, c)
		}
	}
	return nil
}

// hasCatalog reports whether a space has index files.
func hasCatalog(space *Space) bool { return space.Files != nil && space.Policy.Index.File != "" }

// cataloguer makes the index files of a space.
type cataloguer struct {
	w     *Writer
	space *Space
	docs  []*target                  // that are about to change
	sum   string                     // of the index files once ops are done; "" for none
	came  map[string]indexfile.Entry // by path, of docs and left

	left   []*target // documents as the commit has them; see leftOut
	beside string    // sum of left; "" for none
	looked bool      // left is known
	wants  bool      // the noted index files are right for some left documents
}

func (c *cataloguer) options() indexfile.Options {
	p := c.space.Policy
	return indexfile.Options{Name: p.Index.File, Org: p.Format == "org", MaxTokens: p.Index.Tokens()}
}

// ops are the operations that bring the index files up to date. A file of somebody
// else's, and one that a sync would take for a page, stays as it is.
func (c *cataloguer) ops(ctx context.Context) ([]op, error) {
	if c.foreign(ctx) != nil {
		return nil, nil
	}
	c.came = map[string]indexfile.Entry{}
	ops, ok, err := c.revised(ctx)
	if !ok && err == nil && c.wants {
		if err = c.look(ctx); err == nil {
			ops, ok, err = c.revised(ctx)
		}
	}
	if ok || err != nil {
		return ops, err
	}
	return c.rendered(ctx)
}

// look finds the documents that are left out of commits.
func (c *cataloguer) look(ctx context.Context) (err error) {
	if c.looked {
		return nil
	}
	c.left, err = c.w.leftOut(ctx, c.space, c.docs)
	c.looked = err == nil
	if len(c.left) == 0 {
		return err
	}
	h := sha256.New()
	for _, t := range c.left {
		fmt.Fprintf(h, "%q %d %t\n", t.path, len(t.new), t.gone)
		_, _ = h.Write(t.new) // it never fails
	}
	c.beside = hex.EncodeToString(h.Sum(nil))
	return err
}

// rendered is ops by all pages.
func (c *cataloguer) rendered(ctx context.Context) ([]op, error) {
	if err := c.look(ctx); err != nil {
		return nil, err
	}
	entries, err := c.entries(ctx)
	if err != nil {
		return nil, err
	}
	var ops []op
	made, whole := map[string]bool{}, true
	files := indexfile.Render(entries, c.options())
	for _, f := range files {
		made[f.Path] = true
		now, err := bytesAt(ctx, c.space.Files, f.Path)
		if err != nil {
			return nil, err
		}
		switch {
		case same(now, f.Text):
		case now == nil || indexfile.Made(now):
			ops = append(ops, op{Space: c.space.Row, Path: f.Path, Old: now, New: f.Text, Generated: true})
		default:
			whole = false // a part is somebody else's
		}
	}
	over, err := c.leftovers(made)
	if err != nil {
		return nil, err
	}
	for _, name := range over {
		now, err := bytesAt(ctx, c.space.Files, name)
		if err != nil {
			return nil, err
		}
		if indexfile.Made(now) {
			ops = append(ops, op{Space: c.space.Row, Path: name, Old: now, Generated: true})
		}
	}
	if whole {
		c.sum = c.sumOf(files)
	}
	return ops, nil
}

// leftOut are documents of a guarded space that will not be committed, since they have fatal
// faults, as they are in the checked-out commit: index files, which will be, list what the
// commit has. Those of a change set are not among them.
func (w *Writer) leftOut(ctx context.Context, space *Space, docs []*target) (left []*target, err error) {
	if !space.Guards() {
		return nil, nil
	}
	state, err := w.Outside(ctx, space)
	if err != nil {
		return nil, ctx.Err() // nothing can be committed
	}
	l := &linter{w: w, space: space}
	for _, p := range slices.Concat(state.Changed, state.Staged) {
		if beside(space, p) || slices.ContainsFunc(docs, func(t *target) bool { return t.space.Row == space.Row && (t.path == p || t.to == p) }) {
			continue
		}
		now, known, err := w.asIndexed(ctx, space, p)
		if err != nil {
			return nil, err
		}
		if known && now != nil {
			l.docs = append(l.docs, &target{space: space, path: p, to: p, new: now})
		}
	}
	if len(l.docs) == 0 {
		return nil, nil
	}
	found, err := l.broken(ctx)
	if err != nil {
		return nil, err
	}
	for _, d := range l.derived { // credentials, too
		found = append(found, lint.Document(d.Document, space.Policy)...)
	}
	var paths []string
	for _, f := range lint.Fatals(found) {
		paths = append(paths, f.Path)
	}
	for _, sharing := range l.gained {
		if len(sharing) > 1 {
			paths = append(paths, sharing...)
		}
	}
	if len(paths) == 0 {
		return nil, nil
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	tree := space.Tree()
	repo, err := tree.Open(ctx)
	if err != nil {
		return nil, err
	}
	committed, err := tree.Committed(ctx, repo, paths)
	if err != nil {
		return nil, err
	}
	for _, t := range l.docs {
		if !slices.Contains(paths, t.path) {
			continue
		}
		t.old, t.new, t.gone = t.new, committed[t.path], committed[t.path] == nil
		if t.row, err = w.rowAt(ctx, space, t.path); err != nil {
			return nil, err
		}
		left = append(left, t)
	}
	return left, nil
}

// maxRevised is from how many changed pages on index files are made of all pages.
const maxRevised = 64

// revised is ops by the rows of the index files, without those of other pages. It reports false
// where they are not known to be right: they are others than the last write left, or the space
// has changed since.
func (c *cataloguer) revised(ctx context.Context) (ops []op, ok bool, err error) {
	var gone, came []indexfile.Entry
	err = c.w.Memory.View(ctx, func(tx store.Tx) error {
		files, err := c.current(ctx, tx)
		if files == nil || err != nil {
			return err
		}
		for _, t := range c.docs {
			if t.space.Row != c.space.Row || !t.textChanged() {
				continue
			}
			if len(gone)+len(came) == maxRevised {
				return nil
			}
			if t.exists() {
				e, err := entryAt(ctx, tx, c.space.Row, t.path)
				if err != nil {
					return err
				}
				gone = append(gone, e)
			}
			if !t.gone {
				e, err := c.entry(ctx, tx, t)
				if err != nil {
					return err
				}
				came = append(came, e)
			}
		}
		committed := map[string]indexfile.Entry{}
		for _, t := range c.left {
			if !t.gone {
				e, err := c.entry(ctx, tx, t)
				if err != nil {
					return err
				}
				committed[e.ID] = e
			}
		}
		var lost error
		find := func(id string) (e indexfile.Entry, known bool) {
			if e, known = committed[id]; known {
				return e, true
			}
			pages, err := tx.Pages().ByID(ctx, kb.ID(id))
			for _, p := range pages {
				if p.Space == c.space.Name && !slices.ContainsFunc(c.left, func(t *target) bool { return t.path == p.Path }) {
					e, known = indexfile.EntryOf(p, p.ID, nil), true
				}
			}
			lost = cmp.Or(lost, err)
			return e, known
		}
		next, can := indexfile.Revise(files, gone, came, c.options(), find)
		if !can || lost != nil {
			return lost
		}
		ops, ok = replacing(c.space.Row, files, next), true
		c.sum = c.sumOf(next)
		return nil
	})
	return ops, ok, err
}

// replacing are the operations that make other files of some.
func replacing(space int64, now, next []indexfile.File) (ops []op) {
	had := make(map[string][]byte, len(now))
	for _, f := range now {
		had[f.Path] = f.Text
	}
	for _, f := range next {
		if old := had[f.Path]; !same(old, f.Text) {
			ops = append(ops, op{Space: space, Path: f.Path, Old: old, New: f.Text, Generated: true})
		}
		delete(had, f.Path)
	}
	for _, name := range slices.Sorted(maps.Keys(had)) {
		ops = append(ops, op{Space: space, Path: name, Old: had[name], Generated: true})
	}
	return ops
}

// current returns the index files where they have all pages as they are, nil otherwise: the
// setting index.CatalogKey has the last version that they have, their sum, and beside.
func (c *cataloguer) current(ctx context.Context, tx store.Tx) ([]indexfile.File, error) {
	text, err := tx.Settings().Get(ctx, index.CatalogKey(c.space.ID))
	if err != nil {
		return nil, err
	}
	seq, sum, _ := strings.Cut(text, " ")
	sum, beside, _ := strings.Cut(sum, " ")
	last, err := strconv.ParseInt(seq, 10, 64)
	if c.wants = beside != ""; err != nil || beside != c.beside {
		return nil, nil // there is none
	}
	newer, _, err := tx.History().Versions(ctx, store.VersionFilter{Spaces: []int64{c.space.Row}, After: last}, 1, 0)
	if err != nil || len(newer) > 0 {
		return nil, err
	}
	first, err := bytesAt(ctx, c.space.Files, c.options().Name+c.options().Extension())
	if err != nil {
		return nil, err
	}
	var files []indexfile.File
	for _, name := range indexfile.Names(first, c.options()) {
		now, err := bytesAt(ctx, c.space.Files, name)
		if now == nil || err != nil {
			return nil, err
		}
		files = append(files, indexfile.File{Path: name, Text: now})
	}
	if len(files) == 0 || c.sumOf(files) != sum {
		return nil, nil
	}
	return files, nil
}

// sumOf is the sum of index files and of the rules by which they were made.
func (c *cataloguer) sumOf(files []indexfile.File) string {
	files = slices.SortedFunc(slices.Values(files), func(a, b indexfile.File) int { return cmp.Compare(a.Path, b.Path) })
	h := sha256.New()
	fmt.Fprintf(h, "%d %+v\n", index.Derivation, c.options())
	for _, f := range files {
		fmt.Fprintf(h, "%q %d\n", f.Path, len(f.Text))
		_, _ = h.Write(f.Text) // it never fails
	}
	return hex.EncodeToString(h.Sum(nil))
}

// note records that the index files have the pages up to a version.
func (c *cataloguer) note(ctx context.Context, tx store.Tx, seq int64) error {
	return tx.Settings().Set(ctx, index.CatalogKey(c.space.ID), strings.TrimSpace(fmt.Sprint(seq, " ", c.sum, " ", c.beside)))
}

// noteCatalogs records that index files have the versions of a change set, unless a page became
// another one than they have: which id a page gets is decided as it is indexed. Settled are the
// spaces where that moved ids between pages.
func (s *changeSet) noteCatalogs(ctx context.Context, tx store.Tx, set index.Set, versions []kb.Version, settled map[int64]bool) error {
	for _, c := range s.catalogs {
		seq := int64(0)
		for _, v := range versions {
			if v.Space == c.space.Row {
				seq = max(seq, v.Seq)
			}
		}
		if c.sum == "" || seq == 0 || settled[c.space.Row] || !c.foresaw(set) {
			continue
		}
		if err := c.note(ctx, tx, seq); err != nil {
			return err
		}
	}
	return nil
}

// foresaw reports whether the documents of an indexed change set have the entries of ops.
func (c *cataloguer) foresaw(set index.Set) bool {
	for _, g := range set.Groups {
		if g.Space.Row != c.space.Row {
			continue
		}
		for _, it := range g.Items {
			if it.Derived == nil {
				continue
			}
			r := &it.Derived.Record
			is := indexfile.EntryOf(r.Pages[0].Page, r.Pages[0].Page.ID, r.Pages[0].Properties)
			was, listed := c.came[r.Path]
			if is.Path = was.Path; !listed || !is.Equal(was) {
				return false
			}
		}
	}
	return true
}

// entryAt is the entry of the page at a path.
func entryAt(ctx context.Context, tx store.Tx, space int64, path string) (indexfile.Entry, error) {
	pages, err := tx.Pages().ByPath(ctx, space, path)
	if err != nil || len(pages) == 0 {
		return indexfile.Entry{}, err
	}
	properties, err := tx.Pages().Properties(ctx, pages[0].Row)
	return indexfile.EntryOf(pages[0], pages[0].ID, properties), err
}

// leftovers are the files with a name of an index file that are not made any more.
func (c *cataloguer) leftovers(made map[string]bool) (left []string, err error) {
	folder, err := fsys.OpenFolder(c.space.Files, ".")
	if err != nil {
		return nil, fsys.Explain(err, "list the space")
	}
	options := c.options()
	err = folder.Each(func(name []byte, kind fs.FileMode) {
		if kind.IsRegular() && options.Owns(string(name)) && !made[string(name)] {
			left = append(left, string(name))
		}
	})
	slices.Sort(left)
	return left, fsys.Explain(errors.Join(err, folder.Close()), "list the space")
}

// foreign returns why the index is not generated.
func (c *cataloguer) foreign(ctx context.Context) error {
	name := c.options().Name + c.options().Extension()
	if err := c.space.CheckPath(name); kb.CodeOf(err) != kb.Refused {
		return kb.Errorf(kb.Conflict, "%s would be a page: no ignore file leaves it out", name).
			WithHint("Nothing was written. Add the line /%s to .cairnignore, and /%s-*%s.", name, c.options().Name, c.options().Extension())
	}
	now, err := bytesAt(ctx, c.space.Files, name)
	if err == nil && now != nil && !indexfile.Made(now) {
		return kb.Errorf(kb.Conflict, "%s was not made by cairn", name).
			WithHint("Nothing was written. Move it away, or give index.file in the space's policy another name.")
	}
	return err
}

// entries are the pages of the space as they are after the change set.
func (c *cataloguer) entries(ctx context.Context) (out []indexfile.Entry, err error) {
	err = c.w.Memory.View(ctx, func(tx store.Tx) error {
		changed := map[kb.ID]bool{}
		for _, t := range slices.Concat(c.docs, c.left) {
			if t.space.Row != c.space.Row || !t.textChanged() {
				continue
			}
			if t.exists() {
				changed[t.row.ID] = true
			}
			if !t.gone {
				e, err := c.entry(ctx, tx, t)
				if err != nil {
					return err
				}
				out = append(out, e)
			}
		}
		properties, err := catalogued(ctx, tx, c.space.Row)
		if err != nil {
			return err
		}
		pages, err := tx.Pages().Briefs(ctx, c.space.Row)
		out = slices.Grow(out, len(pages))
		for _, p := range pages {
			if !changed[p.ID] {
				out = append(out, indexfile.EntryOf(p, p.ID, properties[p.Row]))
			}
		}
		return err
	})
	return out, err
}

// entry is that of a document as it will be.
func (c *cataloguer) entry(ctx context.Context, tx store.Tx, t *target) (indexfile.Entry, error) {
	p := c.w.Derive(c.space, t.to, Found{Bytes: t.new, ModTime: c.w.Now()}).Record.Pages[0]
	id := p.Declared
	taken, err := c.taken(ctx, tx, t, id)
	switch {
	case err != nil:
		return indexfile.Entry{}, err
	case id == "" && t.exists():
		id = t.row.ID
	case id == "" || taken:
		id = kb.DerivedID(c.space.ID, t.to, "", 0)
	}
	e := indexfile.EntryOf(p.Page, id, p.Properties)
	c.came[t.to] = e
	return e, nil
}

// taken reports whether a page outside the change set has the id that a document declares, as
// the page has of which it is a copy.
func (c *cataloguer) taken(ctx context.Context, tx store.Tx, t *target, id kb.ID) (bool, error) {
	if id == "" || t.exists() && t.row.ID == id {
		return false, nil
	}
	pages, err := tx.Pages().ByID(ctx, id)
	return slices.ContainsFunc(pages, func(p kb.Page) bool {
		return p.SpaceID == c.space.ID && !slices.ContainsFunc(c.docs, func(o *target) bool { return o.space.Row == c.space.Row && o.exists() && o.path == p.Path })
	}), err
}

// catalogued are the properties of the pages of a space that index files have, in order.
func catalogued(ctx context.Context, tx store.Tx, space int64) (map[int64][]kb.Property, error) {
	values, err := tx.Claims().Values(ctx, space, indexfile.Keys)
	if err != nil {
		return nil, err
	}
	type placed struct {
		kb.Property
		position int
	}
	all := map[int64][]placed{}
	for _, v := range values {
		for _, at := range v.At {
			all[at.Page] = append(all[at.Page], placed{kb.Property{Key: v.Key, Text: v.Text}, at.Position})
		}
	}
	out := make(map[int64][]kb.Property, len(all))
	for page, of := range all {
		slices.SortFunc(of, func(a, b placed) int { return cmp.Compare(a.position, b.position) })
		for _, p := range of {
			out[page] = append(out[page], p.Property)
		}
	}
	return out, nil
}

// Catalog regenerates the index files of a space from all its pages, and returns the
// paths of those that were out of date. With check it only reports them; kb.Conflict
// explains why it generates none.
func (w *Writer) Catalog(ctx context.Context, space *Space, check bool) (stale []string, err error) {
	if !hasCatalog(space) {
		return nil, kb.Errorf(kb.Usage, "the space %s has no index", space.Name).
			WithHint("Set file in the table [index] of its policy.")
	}
	unlock, err := w.enter(ctx, []*Space{space}, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	c := &cataloguer{w: w, space: space, came: map[string]indexfile.Entry{}}
	if err := c.foreign(ctx); err != nil {
		return nil, err
	}
	ops, err := c.rendered(ctx)
	for i := range ops {
		if err != nil {
			return nil, err
		}
		stale = append(stale, ops[i].Path)
		if !check {
			err = ops[i].replace(ctx, space.Files, fsys.WriteOptions{})
			if errors.Is(err, fs.ErrNotExist) {
				err = nil // somebody removed it meanwhile
			}
			err = fsys.Explain(err, "write %s", ops[i].Path)
		}
	}
	if err != nil || check || c.sum == "" {
		return stale, err
	}
	return stale, c.noteNow(ctx)
}

// noteNow is note of the pages as they are.
func (c *cataloguer) noteNow(ctx context.Context) error {
	var known bool
	seq := int64(0)
	err := c.w.Memory.View(ctx, func(tx store.Tx) error {
		files, err := c.current(ctx, tx)
		if known = files != nil; known || err != nil {
			return err
		}
		newest, _, err := tx.History().Versions(ctx, store.VersionFilter{Spaces: []int64{c.space.Row}}, 1, 0)
		for _, v := range newest {
			seq = v.Seq
		}
		return err
	})
	if err != nil || known {
		return err
	}
	return c.w.Memory.Update(ctx, func(tx store.Tx) error { return c.note(ctx, tx, seq) })
}

// Cataloged reports whether a space has index files, and they are known to have all pages as
// they are.
func (w *Writer) Cataloged(ctx context.Context, space *Space) (known bool, err error) {
	if !hasCatalog(space) {
		return false, nil
	}
	c := &cataloguer{w: w, space: space}
	look := func(tx store.Tx) error {
		files, err := c.current(ctx, tx)
		known = files != nil
		return err
	}
	if err = w.Memory.View(ctx, look); err == nil && !known && c.wants {
		if err = c.look(ctx); err == nil {
			err = w.Memory.View(ctx, look)
		}
	}
	return known, err
}

// Foresee returns the fatal faults that a space would get with these documents,
// by path with nil for deleted ones, and the effects on its index files.
func (w *Writer) Foresee(ctx context.Context, space *Space, after map[string][]byte) (broken []lint.Finding, files []git.Change, err error) {
	var docs []*target
	for _, p := range slices.Sorted(maps.Keys(after)) {
		t := &target{space: space, path: p, to: p, new: after[p], gone: after[p] == nil}
		if t.row, err = w.rowAt(ctx, space, p); err == nil {
			t.old, err = bytesAt(ctx, space.Files, p)
		}
		if err != nil {
			return nil, nil, err
		}
		docs = append(docs, t)
	}
	if space.Policy.Lint.Enforce {
		if broken, err = (&linter{w: w, docs: docs, space: space}).broken(ctx); err != nil {
			return nil, nil, err
		}
		// A source may come together with the page.
		broken = slices.DeleteFunc(broken, func(f lint.Finding) bool { return f.Rule == policy.LintSourceMissing })
	}
	if hasCatalog(space) {
		ops, err := (&cataloguer{w: w, space: space, docs: docs}).ops(ctx)
		for _, o := range ops {
			files = append(files, git.Change{Path: o.Path, New: o.New})
		}
		return lint.Fatals(broken), files, err
	}
	return lint.Fatals(broken), nil, nil
}
