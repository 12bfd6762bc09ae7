package change

import (
	"context"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// Repoint points the links to some pages to another one.
type Repoint struct {
	Pages []kb.Page
	To    Destination
	// Parts repoints links to a part of a page, too: the destination has the part.
	Parts bool
	// Acts are relations, by key, with an effect on their target. They are not
	// repointed, and neither are closed ones.
	Acts map[string]bool
	// Own repoints links of the pages and of the destination, too, because the
	// pages are deleted. Relations of the destination are not repointed: they would
	// relate it to itself.
	Own bool
}

// Destination is a target page of links: an existing one, or one about to be
// made.
type Destination struct {
	Space *write.Space
	Path  string
	ID    kb.ID
	Page  kb.Page // zero for a new page
	Name  string  // of a new page: the target of links in its space
}

// Repointed is the result of repointing links.
type Repointed struct {
	Changes []write.Change
	Linking []string // refs of the pages with changed links
	Left    []string // refs of the pages with links that cannot be changed
}

// Acting returns the relations with an effect on their target, by key: those of a
// policy, and those of types.
func Acting(life policy.Lifecycle, types ...string) map[string]bool {
	out := map[string]bool{kb.NameKey("supersedes"): true, kb.NameKey(contradicts): true}
	for _, t := range types {
		out[kb.NameKey(t)] = true
	}
	for _, effect := range []policy.LinkEffect{policy.MakesStale, policy.Conflicts} {
		for key := range life.Relations(effect) {
			out[key] = true
		}
	}
	return out
}

// lead is an indexed link, with the data needed to find it in its document.
type lead struct {
	line int
	name string
}

// linking is a document with links to the pages, from the index.
type linking struct {
	page   kb.Page
	leads  map[lead]string // with the title of the page
	beside map[lead]bool   // those that already resolve to the destination
}

// RepointLinks returns the changes that point the links to pages to another page,
// with the same visible text. Links between these pages stay unless Own is set.
func RepointLinks(ctx context.Context, sess *memory.Session, tx store.Tx, r Repoint) (out Repointed, err error) {
	docs, err := r.inbound(ctx, tx)
	if err != nil {
		return out, err
	}
	for _, d := range docs {
		home := r.To.Space
		if d.page.SpaceID != home.ID {
			all, err := sess.Spaces.AllTx(ctx, tx)
			if err != nil {
				return out, err
			}
			i := slices.IndexFunc(all, func(o kb.Space) bool { return o.ID == d.page.SpaceID })
			if home, err = sess.Spaces.OpenSpace(ctx, all[i]); err != nil {
				if ctx.Err() != nil {
					return out, err
				}
				out.Left = append(out.Left, d.page.Ref()) // for example, its disk is unavailable
				continue
			}
		}
		if home.Check(policy.Request{Actor: sess.Actor, Operation: policy.OpEdit, Path: d.page.Path}) != nil {
			out.Left = append(out.Left, d.page.Ref())
			continue
		}
		edit, err := retarget(ctx, sess, tx, r, home, d)
		if err != nil {
			return out, err
		}
		if len(edit.Links) > 0 {
			out.Changes = append(out.Changes, write.Change{
				Space: home, Path: d.page.Path, Of: write.OfPage(d.page), Expected: new(d.page.Version), Action: write.Edit{Edits: []doc.Edit{edit}},
			})
			out.Linking = append(out.Linking, d.page.Ref())
		}
	}
	return out, nil
}

// inbound returns the documents with links to repoint, sorted by space and path.
func (r *Repoint) inbound(ctx context.Context, tx store.Tx) ([]linking, error) {
	type place struct{ space, path string }
	at := func(p kb.Page) place { return place{string(p.SpaceID), p.Path} }
	own := map[place]bool{}
	if !r.Own {
		own[at(r.To.Page)] = true
		for _, p := range r.Pages {
			own[at(p)] = true
		}
	}
	var docs []linking
	found := map[place]int{} // index in docs
	for _, page := range r.Pages {
		ends, err := tx.Links().To(ctx, page.Row)
		if err != nil {
			return nil, err
		}
		for _, x := range ends {
			if x.Page.Row == 0 || own[at(x.Page)] || r.Acts[kb.NameKey(x.Type)] || x.ValidUntil != "" || x.Heading != "" && !r.Parts {
				continue
			}
			i, known := found[at(x.Page)]
			if !known {
				i = len(docs)
				found[at(x.Page)] = i
				docs = append(docs, linking{x.Page, map[lead]string{}, map[lead]bool{}})
			}
			docs[i].leads[lead{x.Line, x.Name}] = page.Title
		}
	}
	if r.To.Page.Row != 0 && len(docs) > 0 {
		ends, err := tx.Links().To(ctx, r.To.Page.Row)
		if err != nil {
			return nil, err
		}
		for _, x := range ends {
			if i, known := found[at(x.Page)]; known && x.Page.Row != 0 {
				docs[i].beside[lead{x.Line, x.Name}] = true
			}
		}
	}
	slices.SortFunc(docs, func(a, b linking) int {
		return slices.Compare([]string{a.page.Space, a.page.Path}, []string{b.page.Space, b.page.Path})
	})
	return docs, nil
}

// findNamed returns the link target for the destination in a document, "" when no
// name resolves to it.
func findNamed(ctx context.Context, sess *memory.Session, tx store.Tx, to Destination, in kb.Page) (string, error) {
	if to.Page.Row != 0 {
		name, err := Target(ctx, sess, tx, in, to.Page)
		if kb.CodeOf(err) == kb.Usage {
			return "", nil
		}
		return strings.TrimSuffix(strings.TrimPrefix(name, "[["), "]]"), err
	}
	if in.SpaceID == to.Space.ID {
		return to.Name, nil
	}
	name := to.Space.Name + "/" + to.Name
	home, err := space.OfPage(ctx, tx, in)
	if err != nil {
		return "", err
	}
	// A page with that path in the own space would take precedence.
	near, err := tx.Pages().ByNames(ctx, home.Row, []string{link.Key(link.RelationKind, name)})
	if err != nil || len(near) > 0 {
		return "", err
	}
	return name, nil
}

// retarget finds the links of a document in its text, and plans their change.
func retarget(ctx context.Context, sess *memory.Session, tx store.Tx, r Repoint, home *write.Space, in linking) (edit doc.Retarget, err error) {
	text, err := tx.History().Bytes(ctx, in.page.Hash)
	if err != nil {
		return edit, err
	}
	name, err := findNamed(ctx, sess, tx, r.To, in.page)
	if err != nil || name == "" {
		return edit, err
	}
	d := doc.ForNote(sess.Codecs, in.page.Syntax, in.page.Path).Parse(in.page.Path, text)
	lines := doc.NewLines(d.Text)
	labelled := !doc.SyntaxOf(home.Syntax).LabelFirst
	add := func(t doc.Target) bool {
		title, leads := in.leads[lead{lines.At(t.Span.Start), t.Name}]
		if !leads || t.Local || t.Heading+t.Block != "" && !r.Parts {
			return false
		}
		one := doc.RetargetOne{At: t.NameAt}
		switch t.Kind {
		case doc.WikiLink:
			one.Raw = name
			if one.Text = t.Name; home.ID != r.To.Space.ID {
				one.Text = title // the name has the prefix of the space
			}
		case doc.MarkLink, doc.OrgFile:
			if one.Raw = link.PathTarget(sess.Codecs, t, link.RulesOf(in.page.Syntax), in.page.Path, r.To.Path); home.ID != r.To.Space.ID {
				return false
			}
		case doc.SiteLink:
			paths := link.SitePaths(t, in.page.Path, in.page.Path, in.page.Path, r.To.Path)
			if one.Raw = paths[len(paths)-1]; home.ID != r.To.Space.ID {
				return false
			}
		case doc.OrgID:
			one.Raw, one.Text = string(r.To.ID), title
		default:
			return false // examples and citations are unchanged
		}
		if _, id := kb.ParseID(t.Name); id && t.Kind == doc.WikiLink || strings.ContainsAny(one.Text, "[]|") {
			one.Text = strings.NewReplacer("[", "(", "]", ")", "|", "/").Replace(title)
		}
		if !labelled {
			one.Text = ""
		}
		edit.Links = append(edit.Links, one)
		return true
	}
	for i := range d.Nodes {
		n := &d.Nodes[i]
		for _, l := range n.Links {
			add(l.Target)
		}
		dated, led := map[string]bool{}, map[string]bool{} // by key of the type
		for _, x := range n.Relations {
			key := kb.NameKey(x.Type)
			dated[key] = dated[key] || x.Dated
			led[key] = led[key] || in.beside[lead{lines.At(x.Target.Span.Start), x.Target.Name}]
		}
		for _, x := range n.Relations {
			if i == 0 && in.page.SpaceID == r.To.Page.SpaceID && in.page.Path == r.To.Page.Path {
				break
			}
			// Two dated relations with the same type and target would overlap.
			if key := kb.NameKey(x.Type); !dated[key] || !led[key] {
				led[key] = add(x.Target) || led[key]
			}
		}
	}
	for _, x := range d.Echoes {
		add(x.Target)
	}
	return edit, nil
}
