package write

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// move gives a document another path.
func (s *changeSet) move(ctx context.Context, t *target, a Move) error {
	if !t.exists() || t.gone {
		return missing(t)
	}
	if a.To == t.to {
		return nil
	}
	codec := doc.ForNote(s.w.Codecs, t.space.Syntax, t.path)
	if other := doc.ForPath(s.w.Codecs, a.To); other == nil || other.Format() != codec.Format() {
		return kb.Errorf(kb.Usage, "%s cannot become %s: a move does not change the format", t.path, a.To).
			WithHint("Keep the extension %s.", path.Ext(t.path))
	}
	if err := s.checkNewPath(t, a.To); err != nil {
		return err
	}
	if err := s.vacant(ctx, t, a.To); err != nil {
		return err
	}
	from := t.to
	s.place(t, a.To)
	if a.KeepLinks {
		return nil
	}
	t.renamed = true
	return relink(codec, t, from)
}

// vacant refuses a move onto another document.
func (s *changeSet) vacant(ctx context.Context, t *target, to string) error {
	o := s.at[docKey{t.space.Row, to}]
	taken := o != nil && !o.gone && o != t
	if !taken && t.space.Files == nil {
		err := s.w.Memory.View(ctx, func(tx store.Tx) error {
			_, err := tx.Documents().ByPath(ctx, t.space.Row, to)
			return err
		})
		taken = err == nil
		if err != nil && kb.CodeOf(err) != kb.NotFound {
			return err
		}
	}
	if !taken && t.space.Files != nil {
		var err error
		if taken, err = occupied(t, to); err != nil {
			return err
		}
	}
	if taken {
		return kb.Errorf(kb.Conflict, "there is a page at %s already", to).
			WithHint("Nothing was changed. Choose another path.").With("path", to)
	}
	return nil
}

// occupied reports whether another file than that of t is at a path. On systems
// that ignore case a file is found under another spelling of its own name.
func occupied(t *target, to string) (bool, error) {
	there, err := t.space.Files.Lstat(to)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fsys.Explain(err, "look at %s", to)
	}
	if kb.FoldPath(t.path) != kb.FoldPath(to) {
		return true, nil
	}
	own, err := t.space.Files.Lstat(t.path)
	if err != nil {
		return false, fsys.Explain(err, "look at %s", t.path)
	}
	return !os.SameFile(own, there), nil
}

// relink rewrites the relative links of a document that has moved, so that
// they lead where they led before.
func relink(codec doc.Codec, t *target, from string) error {
	if path.Dir(from) == path.Dir(t.to) {
		return nil
	}
	d := codec.Parse(from, t.new)
	return apply(codec, d, t, link.Moved(d, link.RulesOf(t.space.Syntax), from, t.to, t.space.HasFile))
}

// renaming is a document that the set gives another path or title.
type renaming struct {
	*target
	before, after link.Page
}

// followLinks updates the links of all documents that would no longer resolve
// to a renamed one. It processes all renamed documents at once: links between
// pages that move together are computed from both new paths.
func (s *changeSet) followLinks(ctx context.Context) error {
	bySpace := map[int64][]renaming{}
	for _, t := range s.docs {
		if !t.renamed || !t.exists() || t.gone {
			continue
		}
		codec := doc.ForNote(s.w.Codecs, t.space.Syntax, t.to)
		bySpace[t.space.Row] = append(bySpace[t.space.Row], renaming{
			target: t, before: linkPage(codec.Parse(t.path, t.old), t), after: linkPage(codec.Parse(t.to, t.new), t),
		})
	}
	for _, row := range slices.Sorted(maps.Keys(bySpace)) {
		if err := s.followIn(ctx, bySpace[row]); err != nil {
			return err
		}
	}
	return nil
}

// followIn is followLinks for the renamed documents of one space.
func (s *changeSet) followIn(ctx context.Context, renamed []renaming) error {
	space := renamed[0].space
	var (
		paths       []string
		otherSpaces []store.Candidate // links of other spaces to renamed documents
		f           = follower{w: s.w, renamed: make(map[int64]*renaming, len(renamed)), gained: map[string][]link.Page{}, stored: map[storedLink]*renaming{}, ways: map[string]ways{}}
	)
	err := s.w.Memory.View(ctx, func(tx store.Tx) error {
		var lost, keys []string
		for i := range renamed {
			r := &renamed[i]
			own, err := tx.Pages().ByPath(ctx, space.Row, r.path)
			if err != nil {
				return err
			}
			r.before.Row, r.after.Row = own[0].Row, own[0].Row
			f.renamed[own[0].Row] = r
			after := link.Names(r.after)
			for _, key := range append(after, string(r.after.ID)) {
				f.gained[key] = append(f.gained[key], r.after)
			}
			lost = append(lost, link.Names(r.before)...)
			for _, alias := range space.Filing.Aliases(link.Slug(r.before.Path)) {
				lost = append(lost, link.Key(string(doc.WikiLink), alias))
			}
			keys = append(keys, after...)
			if path.Dir(r.path) != path.Dir(r.to) { // the nearest page that its own links name may be another one there
				paths = append(paths, r.path)
				for _, t := range doc.ForNote(s.w.Codecs, space.Syntax, r.to).Parse(r.to, r.new).Targets() {
					keys = append(keys, link.Key(string(t.Kind), t.Name))
				}
			}
		}
		cands, err := tx.Links().ByKeys(ctx, space.Row, link.KeysAbroad(space.Name, lost))
		if err != nil {
			return err
		}
		for _, c := range cands {
			if c.Space == space.Row {
				paths = append(paths, c.FromPath)
				if r := f.renamed[c.To]; r != nil {
					f.stored[storedLink{c.FromPath, c.Name}] = r
				}
			} else if f.renamed[c.To] != nil {
				otherSpaces = append(otherSpaces, c)
			}
		}
		f.pages, err = index.TargetsByKey(ctx, tx, space.Row, append(lost, keys...))
		return err
	})
	if err != nil {
		return err
	}
	slices.Sort(paths)
	moved := map[string]*target{} // by the paths that the index knows
	for _, t := range s.docs {
		if t.space.Row == space.Row {
			moved[t.path] = t
		}
	}
	paths = slices.Compact(paths)
	if err := s.readAhead(ctx, space, slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return moved[p] != nil })); err != nil {
		return err
	}
	var linking []*target
	for _, p := range paths {
		o := moved[p]
		if o == nil {
			if o, err = s.target(ctx, space, p); IsUnmerged(err) {
				continue // its links are left to the person who finishes the merge
			} else if err != nil {
				return err
			}
		}
		if !o.gone && o.exists() {
			linking = append(linking, o)
		}
	}
	if err := each(len(linking), func(i int) error { return s.follow(linking[i], &f) }); err != nil {
		return err
	}
	return s.followCrossSpace(ctx, otherSpaces, &f)
}

// follower knows the targets of a space's links before and after the set.
type follower struct {
	w       *Writer
	renamed map[int64]*renaming
	pages   map[string][]link.Page   // as indexed, by key
	gained  map[string][]link.Page   // as renamed, by key
	stored  map[storedLink]*renaming // to renamed pages, of their own space

	mu   sync.Mutex      // documents are followed side by side
	ways map[string]ways // what pages and gained make of a key, kept: many links have one
}

// storedLink is a link that the index has, by its document and its name.
type storedLink struct{ path, name string }

// ways are where links with one key lead.
type ways struct{ before, after *link.Targets }

// before returns where a link led before the set.
func (f *follower) before(ref link.Ref) int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	row, _ := f.waysOf(link.Key(ref.Kind, ref.Name)).before.Lead(ref)
	return row
}

// after returns where a link leads after the set.
func (f *follower) after(ref link.Ref) int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	row, _ := f.waysOf(link.Key(ref.Kind, ref.Name)).after.Lead(ref)
	return row
}

func (f *follower) waysOf(key string) ways {
	w, ok := f.ways[key]
	if !ok {
		after := slices.Clone(f.gained[key])
		for _, p := range f.pages[key] {
			if f.renamed[p.Row] == nil {
				after = append(after, p)
			}
		}
		w = ways{before: link.NewTargets(f.pages[key]), after: link.NewTargets(after)}
		f.ways[key] = w
	}
	return w
}

// follow rewrites the links of one document.
func (s *changeSet) follow(o *target, f *follower) error {
	codec := doc.ForNote(s.w.Codecs, o.space.Syntax, o.to)
	d := codec.Parse(o.to, o.new)
	rules, named := link.RulesOf(o.space.Syntax), doc.SyntaxOf(o.space.Syntax).Named
	var edit doc.Retarget
	for i, t := range d.Targets() {
		if slices.Contains(o.kept, i) {
			continue // written for where the documents will be
		}
		if t.Kind == doc.OrgCite || t.Kind == doc.BlockRef || t.Local {
			continue // citations and embeds stay, wherever the page is
		}
		ref := link.Ref{Kind: string(t.Kind), Name: t.Name, FromPath: o.path, Rules: rules}
		if link.IsRelative(t, rules) {
			ref.FromPath = o.to // it was rewritten for where the document will be
		}
		row := f.before(ref)
		if row == 0 {
			if by, ok := link.Unaliased(ref, o.space.Filing.Unaliased); ok {
				ref, row = by, f.before(by)
			}
		}
		if stored := f.stored[storedLink{o.path, t.Name}]; row == 0 && stored != nil { // the name of this space is in front
			edit.Links = append(edit.Links, f.withSpace(t, stored)...)
			continue
		}
		r := f.renamed[row]
		if r == nil {
			r = f.stays(o, link.Key(ref.Kind, ref.Name), row)
		}
		if r == nil {
			continue
		}
		deliberate, file, title := means(ref, r.before), !named && link.NamesFile(ref, r.before), named && link.NamesTitle(ref, r.before)
		was := ref.FromPath
		ref.FromPath = o.to
		file, title = file && !link.NamesFile(ref, r.after), title && !link.NamesTitle(ref, r.after)
		if !f.leadsTo(ref, r) || deliberate && !means(ref, r.after) || file || title {
			edit.Links = append(edit.Links, doc.RetargetOne{At: t.NameAt, Raw: f.newName(t, ref, was, r)})
		}
	}
	return s.retarget(codec, d, o, edit)
}

// stays returns a page with this key that keeps its path and title, for the
// links of a document that moves; nil for none.
func (f *follower) stays(o *target, key string, row int64) *renaming {
	i := slices.IndexFunc(f.pages[key], func(p link.Page) bool { return p.Row == row && p.Node == "" && p.Path != "" })
	if i < 0 || path.Dir(o.path) == path.Dir(o.to) {
		return nil
	}
	return &renaming{target: o, before: f.pages[key][i], after: f.pages[key][i]}
}

// retarget changes targets of links of a document, if its space allows that.
// Permission to rename a document includes them.
func (s *changeSet) retarget(codec doc.Codec, d *doc.Document, o *target, edit doc.Retarget) error {
	if len(edit.Links) == 0 {
		return nil
	}
	if err := o.space.Check(policy.Request{Actor: s.req.Actor, Operation: policy.OpEdit, Path: o.path}); err != nil && !o.renamed {
		return kb.AsError(err).WithHint("The page links to one that is renamed.").WithReason(kb.LinksProtected)
	}
	return apply(codec, d, o, edit)
}

// means reports whether a link fits a page in another way than by its first
// heading: one that did keeps doing so, which every program understands.
func means(ref link.Ref, p link.Page) bool {
	if p.Headed() {
		p.Aliases = slices.DeleteFunc(slices.Clone(p.Aliases), func(a string) bool { return a == p.Title })
		p.Title = ""
	}
	return len(link.Resolve(ref, []link.Page{p})) > 0
}

// leadsTo reports whether ref means the page in its new state, and no other.
func (f *follower) leadsTo(ref link.Ref, r *renaming) bool {
	return f.after(ref) == r.after.Row
}

// newName returns the shortest target, in the link's own manner, that leads
// to the page in its new state.
// The link was in the document at was.
func (f *follower) newName(t doc.Target, ref link.Ref, was string, r *renaming) string {
	before, after := r.before, r.after
	syntax := doc.SyntaxOf(r.space.Syntax)
	if t.Kind == doc.MarkLink && syntax.Vault && !strings.HasPrefix(t.Name, "/") && !strings.HasPrefix(t.Name, "@/") {
		paths := link.LoosePaths(f.w.Codecs, t, syntax.NewLinks, was, before.Path, ref.FromPath, after.Path)
		for _, ref.Name = range paths {
			if f.leadsTo(ref, r) {
				return link.Spelled(t, ref.Name)
			}
		}
	}
	if t.Kind == doc.SiteLink {
		paths := link.SitePaths(t, was, before.Path, ref.FromPath, after.Path)
		for _, p := range paths {
			if ref.Name = link.SiteName(t, p); f.leadsTo(ref, r) {
				return p
			}
		}
		return paths[len(paths)-1]
	}
	if t.Kind == doc.MarkLink && strings.HasPrefix(t.Name, "/") {
		return link.RootedPath(f.w.Codecs, t, ref.Rules, was, before.Path, ref.FromPath, after.Path)
	}
	if t.Kind == doc.MarkLink || t.Kind == doc.OrgFile {
		return link.PathTarget(f.w.Codecs, t, ref.Rules, ref.FromPath, after.Path)
	}
	slug := link.Slug(after.Path)
	names := []string{path.Base(slug), slug}
	switch {
	case syntax.Vault && link.IsSeen(t.Name, was, before.Path, syntax.NewLinks):
		names = link.Seen(ref.FromPath, slug)
	case syntax.Named && !strings.ContainsAny(after.Title, "[]|\n"):
		names = append([]string{after.Title}, names...)
	case strings.Contains(t.Name, "/"): // written as a path, stays a path
		names = []string{slug}
	case before.Path == after.Path && !after.Headed() && !syntax.ByFile && !strings.ContainsAny(after.Title, "[]|#\n"): // renamed, not moved
		names = append([]string{after.Title}, names...)
	}
	if t.Kind == doc.Mention && (t.Raw[0] == '#' || t.Raw[0] == '@') {
		return link.Mention(t, names[0])
	}
	for _, name := range names {
		ref.Name = name
		if f.leadsTo(ref, r) {
			slug = name
			break
		}
	}
	if t.Kind == doc.Mention && t.Span == t.NameAt && strings.ContainsAny(slug, doc.TagMarks) { // a word in a list of tags
		return "[[" + slug + "]]"
	}
	return slug
}

func linkPage(d *doc.Document, t *target) link.Page {
	n := &d.Nodes[0]
	p := link.Page{ID: t.row.ID, Path: d.Path, Title: n.Title, Aliases: n.Aliases, Refs: n.Refs}
	p.Keys = link.Names(p)
	return p
}

func apply(codec doc.Codec, d *doc.Document, t *target, edit doc.Retarget) error {
	if len(edit.Links) == 0 {
		return nil
	}
	bytes, err := codec.Apply(d, "", edit)
	if err != nil {
		return err
	}
	t.new = bytes
	return nil
}
