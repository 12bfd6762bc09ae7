package compaction

import (
	"context"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/link"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/write"
)

// acting are the relations that do something to the page that they lead to, by key:
// those of a policy, and those that have a meaning of their own.
func acting(life policy.Lifecycle) map[string]bool {
	out := map[string]bool{kb.NameKey("supersedes"): true, kb.NameKey("contradicts"): true, kb.NameKey(CompactedInto): true}
	for _, effect := range []policy.LinkEffect{policy.MakesStale, policy.Conflicts} {
		for key := range life.Relations(effect) {
			out[key] = true
		}
	}
	return out
}

// lead is a link as the index has it: enough to find it in its document.
type lead struct {
	line int
	name string
}

// document is one with links to members, as the index has it.
type document struct {
	page  kb.Page
	leads map[lead]string // with the title of the member
}

// repoint makes the changes by which the links to members lead to the summary, and show
// what they showed. Links among members stay, as do closed ones, those that act, and
// those to a part of a page, which the summary does not have. It names the documents
// whose links change, and those that cannot be changed.
func (e *Engine) repoint(ctx context.Context, tx store.Tx, s *write.Space, c *Cluster, to *summary, acts map[string]bool) (changes []write.Change, done Done, err error) {
	docs, err := inbound(ctx, tx, c, acts)
	if err != nil {
		return nil, done, err
	}
	for _, d := range docs {
		home := s
		if d.page.SpaceID != s.ID {
			all, err := tx.Spaces().All(ctx)
			if err != nil {
				return nil, done, err
			}
			i := slices.IndexFunc(all, func(o kb.Space) bool { return o.ID == d.page.SpaceID })
			if home, err = e.Change.Spaces.OpenSpace(ctx, all[i]); err != nil {
				if ctx.Err() != nil {
					return nil, done, err
				}
				done.Left = append(done.Left, d.page.Ref()) // its disk is away, say
				continue
			}
		}
		if home.Policy.Check(policy.Request{Actor: e.Change.Actor, Operation: policy.OpEdit, Path: d.page.Path}) != nil {
			done.Left = append(done.Left, d.page.Ref())
			continue
		}
		edit, err := e.retarget(ctx, tx, s, home, d, to)
		if err != nil {
			return nil, done, err
		}
		if len(edit.Links) > 0 {
			changes = append(changes, write.Change{
				Space: home, Path: d.page.Path, Of: write.OfPage(d.page), Expected: new(d.page.Version), Action: write.Edit{Edits: []doc.Edit{edit}},
			})
			done.Linking = append(done.Linking, d.page.Ref())
		}
	}
	return changes, done, nil
}

// inbound returns the documents with links to members that are to lead to the summary,
// in the order of their spaces and paths.
func inbound(ctx context.Context, tx store.Tx, c *Cluster, acts map[string]bool) ([]document, error) {
	members := map[int64]bool{}
	for _, m := range c.Members {
		members[m.page.Row] = true
	}
	var docs []document
	for _, m := range c.Members {
		ends, err := tx.Links().To(ctx, m.page.Row)
		if err != nil {
			return nil, err
		}
		for _, x := range ends {
			acted := acts[kb.NameKey(x.Type)] && kb.NameKey(x.Type) != kb.NameKey(CompactedInto)
			if members[x.Page.Row] || acted || x.ValidUntil != "" || x.Heading != "" || x.Page.Row == 0 {
				continue
			}
			i := slices.IndexFunc(docs, func(d document) bool { return d.page.SpaceID == x.Page.SpaceID && d.page.Path == x.Page.Path })
			if i < 0 {
				i = len(docs)
				docs = append(docs, document{x.Page, map[lead]string{}})
			}
			docs[i].leads[lead{x.Line, x.Name}] = m.Title
		}
	}
	slices.SortFunc(docs, func(a, b document) int {
		return slices.Compare([]string{a.page.Space, a.page.Path}, []string{b.page.Space, b.page.Path})
	})
	return docs, nil
}

// retarget finds the links of a document in its text, and says what becomes of them.
func (e *Engine) retarget(ctx context.Context, tx store.Tx, s, home *write.Space, in document, to *summary) (edit doc.Retarget, err error) {
	text, err := tx.History().Bytes(ctx, in.page.Hash)
	if err != nil {
		return edit, err
	}
	name := to.name
	if home.ID != s.ID {
		name = s.Name + "/" + name
		// A page of its own by that path would be nearer.
		near, err := tx.Pages().ByNames(ctx, home.Row, []string{link.Key(link.RelationKind, name)})
		if err != nil || len(near) > 0 {
			return edit, err
		}
	}
	d := doc.ForNote(e.Codecs, in.page.Syntax, in.page.Path).Parse(in.page.Path, text)
	lines := doc.NewLines(d.Text)
	labelled := !doc.SyntaxOf(home.Syntax).LabelFirst
	add := func(t doc.Target) bool {
		title, leads := in.leads[lead{lines.At(t.Span.Start), t.Name}]
		if !leads || t.Local || t.Heading+t.Block != "" {
			return false
		}
		one := doc.RetargetOne{At: t.NameAt}
		switch t.Kind {
		case doc.WikiLink:
			one.Raw = name
			if one.Text = t.Name; home.ID != s.ID {
				one.Text = title // the name has that of the space before it
			}
		case doc.MarkLink, doc.OrgFile:
			if one.Raw = link.PathTarget(e.Codecs, t, in.page.Path, to.path); home.ID != s.ID {
				return false
			}
		case doc.OrgID:
			one.Raw, one.Text = string(to.id), title
		default:
			return false // what is shown or cited stays so
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
		dated, led := map[string]bool{}, map[string]bool{} // by the key of the type
		for _, r := range n.Relations {
			dated[kb.NameKey(r.Type)] = dated[kb.NameKey(r.Type)] || r.Dated
		}
		for _, r := range n.Relations {
			// Two of a type with dates, to one page, would both hold at a time.
			if key := kb.NameKey(r.Type); !dated[key] || !led[key] {
				led[key] = add(r.Target) || led[key]
			}
		}
	}
	for _, x := range d.Echoes {
		add(x.Target)
	}
	return edit, nil
}
