package write

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/fsys"
	"github.com/cairn-kb/cairn/internal/index"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/link"
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
	codec := doc.ForNote(s.w.Codecs, t.path)
	if other := doc.ForPath(s.w.Codecs, a.To); other == nil || other.Format() != codec.Format() {
		return kb.Errorf(kb.Usage, "%s cannot become %s: a move does not change the format", t.path, a.To).
			WithHint("Keep the extension %s.", path.Ext(t.path))
	}
	if err := s.checkNewPath(ctx, t, a.To); err != nil {
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
	if err := relink(codec, t, from); err != nil {
		return err
	}
	return s.followLinks(ctx, t, from)
}

// vacant refuses a move onto another document.
func (s *changeSet) vacant(ctx context.Context, t *target, to string) error {
	taken := slices.ContainsFunc(s.docs, func(o *target) bool {
		return o.space.Row == t.space.Row && o.to == to && !o.gone && o != t
	})
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
	var edit doc.Retarget
	for _, target := range targets(d) {
		if target.Kind != doc.MarkLink && target.Kind != doc.OrgFile || strings.HasPrefix(target.Name, "/") {
			continue
		}
		if to, ok := link.Join(from, target.Name); ok {
			edit.Links = append(edit.Links, doc.RetargetOne{At: target.NameAt, Raw: encode(target, relative(t.to, to))})
		}
	}
	return apply(codec, d, t, edit)
}

// followLinks rewrites the links of all documents that led to t under its old
// path or title and would not any more.
func (s *changeSet) followLinks(ctx context.Context, t *target, from string) error {
	codec := doc.ForNote(s.w.Codecs, t.to)
	before := linkPage(codec.Parse(from, t.old), t)
	after := linkPage(codec.Parse(t.to, t.new), t)
	var (
		paths []string
		pages map[string][]link.Page
	)
	err := s.w.Memory.View(ctx, func(tx store.Tx) error {
		own, err := tx.Pages().ByPath(ctx, t.space.Row, t.path)
		if err != nil {
			return err
		}
		before.Row, after.Row = own[0].Row, own[0].Row
		cands, err := tx.Links().ByKeys(ctx, t.space.Row, link.Names(before))
		if err != nil {
			return err
		}
		keys := append(link.Names(before), link.Names(after)...)
		for _, c := range cands {
			paths = append(paths, c.FromPath)
		}
		pages, err = index.TargetsByKey(ctx, tx, t.space.Space, keys)
		return err
	})
	if err != nil {
		return err
	}
	slices.Sort(paths)
	for _, p := range slices.Compact(paths) {
		if p == t.path {
			p = t.to
		}
		o, err := s.target(ctx, t.space, p)
		if IsUnmerged(err) {
			continue // its links are for who finishes the merge
		}
		if err != nil {
			return err
		}
		if o.gone || !o.exists() {
			continue
		}
		if err := s.follow(o, before, after, pages); err != nil {
			return err
		}
	}
	return nil
}

// follow rewrites the links of one document.
func (s *changeSet) follow(o *target, before, after link.Page, pages map[string][]link.Page) error {
	codec := doc.ForNote(s.w.Codecs, o.to)
	d := codec.Parse(o.to, o.new)
	oldFrom := o.to
	if o.to == after.Path { // its own links were meant from where it was
		oldFrom = before.Path
	}
	var edit doc.Retarget
	for _, t := range targets(d) {
		ref := link.Ref{Kind: string(t.Kind), Name: t.Name, FromPath: oldFrom}
		if rows := link.Resolve(ref, pages[link.Key(ref.Kind, ref.Name)]); len(rows) != 1 || rows[0] != before.Row {
			continue
		}
		ref.FromPath = o.to
		if leadsTo(ref, after, pages) {
			continue
		}
		edit.Links = append(edit.Links, doc.RetargetOne{At: t.NameAt, Raw: s.newName(t, ref, before, after, pages)})
	}
	if len(edit.Links) == 0 {
		return nil
	}
	if err := o.space.Policy.Check(policy.Request{Actor: s.req.Actor, Operation: policy.OpEdit, Path: o.path}); err != nil {
		return kb.AsError(err).WithHint("The page links to one that is renamed.").WithReason(kb.LinksProtected)
	}
	return apply(codec, d, o, edit)
}

// leadsTo reports whether ref means the page in its new state, and no other.
func leadsTo(ref link.Ref, after link.Page, pages map[string][]link.Page) bool {
	key := link.Key(ref.Kind, ref.Name)
	var cands []link.Page
	for _, p := range pages[key] {
		if p.Row != after.Row {
			cands = append(cands, p)
		}
	}
	if key == string(after.ID) || slices.Contains(link.Names(after), key) {
		cands = append(cands, after)
	}
	rows := link.Resolve(ref, cands)
	return len(rows) == 1 && rows[0] == after.Row
}

// newName returns the shortest target, in the link's own manner, that leads
// to the page in its new state.
func (s *changeSet) newName(t doc.Target, ref link.Ref, before, after link.Page, pages map[string][]link.Page) string {
	if t.Kind == doc.MarkLink || t.Kind == doc.OrgFile {
		to := after.Path
		if doc.ForPath(s.w.Codecs, t.Name) == nil {
			to = link.Slug(to) // written without extension, stays so
		}
		if strings.HasPrefix(t.Name, "/") {
			return encode(t, "/"+to)
		}
		return encode(t, relative(ref.FromPath, to))
	}
	slug := link.Slug(after.Path)
	names := []string{path.Base(slug), slug}
	switch {
	case strings.Contains(t.Name, "/"): // written as a path, stays a path
		names = []string{slug}
	case before.Path == after.Path && !strings.ContainsAny(after.Title, "[]|#\n"): // renamed, not moved
		names = append([]string{after.Title}, names...)
	}
	for _, name := range names {
		ref.Name = name
		if leadsTo(ref, after, pages) {
			return name
		}
	}
	return slug
}

// targets returns every target of a document: of links and of relations.
func targets(d *doc.Document) []doc.Target {
	var out []doc.Target
	for i := range d.Nodes {
		for _, l := range d.Nodes[i].Links {
			out = append(out, l.Target)
		}
		for _, r := range d.Nodes[i].Relations {
			out = append(out, r.Target)
		}
	}
	return out
}

func linkPage(d *doc.Document, t *target) link.Page {
	n := &d.Nodes[0]
	return link.Page{ID: t.row.ID, Path: d.Path, Title: n.Title, Aliases: n.Aliases}
}

// relative returns the path of to as seen from the document at from.
func relative(from, to string) string {
	a, b := strings.Split(from, "/"), strings.Split(to, "/")
	a = a[:len(a)-1] // its directory
	for len(a) > 0 && len(b) > 1 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	return strings.Repeat("../", len(a)) + strings.Join(b, "/")
}

// encode writes a path as the link's syntax needs it: percent-encoded in
// Markdown, unless it was written in angle brackets.
func encode(t doc.Target, p string) string {
	if t.Kind != doc.MarkLink || t.Raw == t.Name && strings.ContainsAny(t.Raw, " ") {
		return p
	}
	return (&url.URL{Path: p}).EscapedPath()
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
