package unsaved

import (
	"bytes"
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/memory/write"
)

// Changed is a text before and after a rename.
type Changed struct {
	*Text
	After []byte // in UTF-8, as Text.Document.Text
	To    string // new path of the file, "" if unchanged
	Saved bool   // Text is as indexed, or not open
}

// Renaming is a rename of a page, with its former name.
type Renaming struct {
	Page kb.Page
	From string // the replaced name: its title, or its file name
	To   string
}

// steps returns the steps of a rename: a title if the former name was one, and a
// path if it was in the file's name. A name with slashes is a path from the root of
// the space.
func (r Reader) steps(ctx context.Context, n Renaming) (steps []change.Step, err error) {
	to := strings.TrimSpace(n.To)
	if to == "" || strings.ContainsAny(to, "[]|#^\n\r") {
		return nil, kb.Errorf(kb.Usage, "invalid name %q: it must have a letter and none of [ ] | # ^", n.To)
	}
	t, node, err := r.Load(ctx, n.Page)
	if err != nil {
		return nil, err
	}
	base := strings.TrimSuffix(path.Base(n.Page.Path), path.Ext(n.Page.Path))
	file := n.Page.Node == "" && (kb.NameKey(base) == kb.NameKey(n.From) || strings.Contains(to, "/"))
	own := kb.NameKey(n.Page.Title) == kb.NameKey(n.From) && titled(&t.Document.Nodes[node])
	if own || !file {
		steps = append(steps, change.EditStep{Edit: doc.SetTitle{Title: path.Base(to)}})
	}
	if !file {
		return steps, nil
	}
	place := to
	switch {
	case strings.Contains(to, "/"):
	case base == kb.NameKey(n.Page.Title) && base != n.Page.Title: // files are named in the style of slugs
		place = path.Join(path.Dir(n.Page.Path), kb.NameKey(to))
	default:
		place = path.Join(path.Dir(n.Page.Path), to)
	}
	return append(steps, change.MoveStep{To: place + path.Ext(n.Page.Path)}), nil
}

// titled reports whether a node has its title in the metadata or as a heading, and
// not from its file.
func titled(n *doc.Node) bool {
	_, has := n.Property("title")
	return has || len(n.Headings) > 0 && n.Headings[0].Level == 1 && n.Headings[0].Text == n.Title
}

// Rename returns the changes of a page's rename in the open texts: its title, the
// path of its file, and the links to it. It writes nothing.
func (r Reader) Rename(ctx context.Context, n Renaming) (out []Changed, err error) {
	steps, err := r.steps(ctx, n)
	if err != nil {
		return nil, err
	}
	changes, err := change.Plan(ctx, r.Session, change.Request{Refs: []string{string(n.Page.ID)}, Steps: steps})
	if err != nil {
		return nil, err
	}
	home := changes[0].Space
	var open []write.Change
	saved := map[*Text]bool{}
	for _, t := range r.Open {
		if saved[t], err = r.Saved(ctx, t); err != nil {
			return nil, err
		}
		if !saved[t] && t.Space.ID == home.ID {
			open = append(open, write.Change{Space: home, Path: t.Path, Action: write.Put{Bytes: t.Document.Source, Overwrite: true}})
		}
	}
	slices.SortFunc(open, func(a, b write.Change) int { return strings.Compare(a.Path, b.Path) })
	for i := range changes {
		changes[i].Of = "" // an open text may give the page another id
	}
	res, err := r.Session.Writer.Apply(ctx, write.Request{Actor: r.Session.Actor, Operation: "mv", Changes: append(open, changes...), DryRun: true})
	if err != nil {
		return nil, err
	}
	done := map[*Text]bool{}
	spaces, err := r.Session.Spaces.All(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range res.Pages {
		in := slices.IndexFunc(spaces, func(s kb.Space) bool { return s.Name == p.Space })
		if in < 0 || p.New == nil {
			continue
		}
		f := File{Space: spaces[in], Path: cmp.Or(p.From, p.Page.Path)}
		f.Name = fileIn(f.Space, f.Path)
		t := r.opened(f)
		if t == nil {
			t = r.Parse(f, p.Old)
		}
		c := Changed{Text: t, After: r.Parse(f, p.New).Document.Text, Saved: saved[t] || r.opened(f) == nil}
		if p.From != "" && p.From != p.Page.Path {
			c.To = p.Page.Path
		}
		done[t] = true
		if c.After, err = r.follow(ctx, t, c.After, n); err != nil {
			return nil, err
		}
		if c.To != "" || !bytes.Equal(c.After, t.Document.Text) {
			out = append(out, c)
		}
	}
	for _, t := range r.Open {
		if done[t] {
			continue
		}
		after, err := r.follow(ctx, t, t.Document.Text, n)
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(after, t.Document.Text) {
			out = append(out, Changed{Text: t, After: after, Saved: saved[t]})
		}
	}
	slices.SortFunc(out, func(a, b Changed) int {
		return cmp.Or(strings.Compare(a.Space.Name, b.Space.Name), strings.Compare(a.Path, b.Path))
	})
	return out, nil
}

// follow rewrites the links by name to a renamed page that exists only in the
// editor: the index has no links to it.
func (r Reader) follow(ctx context.Context, t *Text, after []byte, n Renaming) ([]byte, error) {
	resolved, err := r.Resolved(ctx, t)
	if err != nil {
		return nil, err
	}
	leads := map[string]bool{} // link names that resolve to the page
	for _, l := range resolved.Links {
		if l.To == n.Page.Row && kb.NameKey(path.Base(l.Name)) == kb.NameKey(n.From) {
			leads[l.Target.Raw] = true
		}
	}
	var splices []doc.Splice
	for _, l := range r.Parse(t.File, after).Links {
		if k := l.Target.Kind; leads[l.Target.Raw] && (k == doc.WikiLink || k == doc.Embed) {
			raw := path.Base(n.To)
			if dir := path.Dir(l.Target.Raw); dir != "." {
				raw = dir + "/" + raw
			}
			splices = append(splices, doc.Splice{Span: l.Target.NameAt, New: raw})
		}
	}
	return doc.ApplySplices(after, splices)
}

// RenameByServer renames a page in one write, which can be undone. The changed
// texts must be saved.
func (r Reader) RenameByServer(ctx context.Context, n Renaming) error {
	steps, err := r.steps(ctx, n)
	if err != nil {
		return err
	}
	_, err = change.Change(ctx, r.Session, change.ChangeRequest{Refs: []string{string(n.Page.ID)}, Steps: steps})
	return err
}

// RenameHeading returns the changes of a heading's rename: its line, and the links
// to it.
func (r Reader) RenameHeading(ctx context.Context, p kb.Page, heading, to string) (out []Changed, err error) {
	to = strings.TrimSpace(to)
	if to == "" || strings.ContainsAny(to, "\n\r") {
		return nil, kb.Errorf(kb.Usage, "invalid heading %q: it must have a letter, in one line", to)
	}
	at, err := r.Locate(ctx, p, heading, "")
	if err != nil {
		return nil, err
	}
	n := &at.Document.Nodes[at.Node]
	i := slices.IndexFunc(n.Headings, func(h doc.Heading) bool { return h.Line == at.Span })
	if i < 0 {
		return nil, kb.Errorf(kb.NotFound, "%s has no heading %s", p.Path, heading)
	}
	h := n.Headings[i]
	splices := map[*Text][]doc.Splice{}
	line := at.Document.Slice(h.Line)
	start := strings.Index(line, h.Text)
	if start < 0 || h.Text == "" {
		return nil, kb.Errorf(kb.Refused, "the heading has markup: change it in its line")
	}
	start += h.Line.Start
	splices[at.Text] = append(splices[at.Text], doc.Splice{Span: doc.Span{Start: start, End: start + len(h.Text)}, New: to})
	found, err := r.Backlinks(ctx, []kb.Page{p}, func(l Link) bool {
		part, ok := Part(at.Document, n, l.Target.Heading, l.Target.Block)
		return ok && part == at.Span && l.Target.Heading != ""
	})
	if err != nil {
		return nil, err
	}
	texts := map[string]*Text{at.Space.Name + ":" + at.Path: at.Text}
	renamed := map[string]string{h.Text: to}
	for _, l := range at.Own() {
		if part, ok := Part(at.Document, n, l.Heading, l.Block); !ok || part != at.Span || at.NodeAt(l.Span.Start) != at.Node {
			continue
		}
		if span, text, ok := at.Document.RenamedPart(l, renamed); ok {
			splices[at.Text] = append(splices[at.Text], doc.Splice{Span: span, New: text})
		}
	}
	for _, f := range found {
		key := f.Space.Name + ":" + f.Path
		t := texts[key]
		if t == nil {
			t, texts[key] = f.Text, f.Text
		}
		for _, l := range f.Links {
			if l.Target.Span != f.Span {
				continue
			}
			if span, text, ok := f.Document.RenamedPart(l.Target, renamed); ok {
				splices[t] = append(splices[t], doc.Splice{Span: span, New: text})
			}
		}
	}
	for t, list := range splices {
		slices.SortFunc(list, func(a, b doc.Splice) int { return a.Span.Start - b.Span.Start })
		after, err := doc.ApplySplices(t.Document.Text, slices.CompactFunc(list, func(a, b doc.Splice) bool { return a.Span == b.Span }))
		if err != nil {
			return nil, err
		}
		out = append(out, Changed{Text: t, After: after})
	}
	slices.SortFunc(out, func(a, b Changed) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// Saved reports whether a text is the indexed one.
func (r Reader) Saved(ctx context.Context, t *Text) (bool, error) {
	p, err := r.Page(ctx, t.File, "")
	return p.Row != 0 && p.Hash == index.Hash(t.Document.Source), err
}

// Related adds a relation to another page to one of the nodes of a text.
func (r Reader) Related(t *Text, node int, kind, target string) ([]byte, error) {
	codec := doc.ForNote(r.Session.Codecs, t.Space.Syntax, t.Path)
	id := ""
	if node > 0 {
		id = t.Document.Nodes[node].ID
	}
	after, err := codec.Apply(t.Document, id, doc.AddRelation{Type: kind, Target: target})
	if err != nil {
		return nil, err
	}
	return codec.Parse(t.Path, after).Text, nil
}
