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
	"github.com/cairn-kb/cairn/internal/store"
)

// Target returns the text of a link from one page to another: its title if that is
// unambiguous, else its file name, else its slug. In Org it is the id, if the page
// declares one. For a page of another space the name of the space is prepended.
func Target(ctx context.Context, sess *memory.Session, tx store.Tx, from, to kb.Page) (string, error) {
	return TargetAs(ctx, sess, tx, from, to, "")
}

// TargetAs is Target for a page that the caller specified with a ref. A path is
// kept, since no other page can have it.
func TargetAs(ctx context.Context, sess *memory.Session, tx store.Tx, from, to kb.Page, ref string) (string, error) {
	in, err := space.OfPage(ctx, tx, to)
	if err != nil {
		return "", err
	}
	syntax := syntaxOf(ctx, sess, tx, in)
	names := targetNames(syntax, from, to)
	if strings.Contains(ref, "/") && strings.Contains(to.Slug, "/") && !syntax.Named && !syntax.ByFile && !strings.ContainsAny(to.Slug, "[]|#\n") {
		names = slices.Insert(names, 0, to.Slug)
	}
	if from.SpaceID != to.SpaceID {
		return targetAbroad(ctx, sess, tx, in, from, to, names)
	}
	if c := doc.ForPath(sess.Codecs, from.Path); c != nil && c.Format() == doc.Org {
		decl, err := tx.Pages().Declared(ctx, in.Row, []kb.ID{to.ID})
		if err != nil {
			return "", err
		}
		if len(decl) > 0 {
			return string(to.ID), nil
		}
	}
	for _, name := range names {
		row, err := leadsTo(ctx, tx, in, from.Path, name)
		if err != nil || row == to.Row {
			return name, err
		}
	}
	return string(to.ID), nil
}

// TargetOfNew is Target for a new page of the same space: a name that no other page
// has.
func TargetOfNew(ctx context.Context, sess *memory.Session, tx store.Tx, in kb.Space, from, to kb.Page) (string, error) {
	for _, name := range targetNames(syntaxOf(ctx, sess, tx, in), from, to) {
		row, err := leadsTo(ctx, tx, in, from.Path, name)
		if err != nil || row == 0 {
			return name, err
		}
	}
	return to.Slug, nil
}

// targetAbroad is Target for a page of another space.
func targetAbroad(ctx context.Context, sess *memory.Session, tx store.Tx, in kb.Space, from, to kb.Page, names []string) (string, error) {
	own, err := space.OfPage(ctx, tx, from)
	if err != nil {
		return "", err
	}
	for _, name := range names {
		row, err := leadsTo(ctx, tx, in, "", name)
		if err != nil {
			return "", err
		}
		nearer, err := leadsTo(ctx, tx, own, from.Path, in.Name+"/"+name)
		if err != nil {
			return "", err
		}
		if row == to.Row && nearer == 0 {
			if name = in.Name + "/" + name; syntaxOf(ctx, sess, tx, own).MarkLinks {
				name = "[[" + name + "]]" // Markdown links cannot refer to another space
			}
			return name, nil
		}
	}
	return "", kb.Errorf(kb.Usage, "no link in %s can name %s", from.Ref(), to.Ref()).
		WithHint("Other pages have the same title and path. Give the page a title of its own.")
}

// syntaxOf returns the syntax of a space by its present settings.
func syntaxOf(ctx context.Context, sess *memory.Session, tx store.Tx, in kb.Space) doc.Syntax {
	if open, err := sess.Spaces.OpenTx(ctx, tx, in.Row); err == nil {
		in.Syntax = open.Syntax
	}
	return doc.SyntaxOf(in.Syntax) // of an unavailable directory, the stored ones
}

// targetNames returns the names for a link from one page to another, best first.
func targetNames(syntax doc.Syntax, from, to kb.Page) []string {
	names := []string{to.Title, to.Slug[strings.LastIndexByte(to.Slug, '/')+1:], to.Slug}
	if to.Headed() || syntax.ByFile {
		names = names[1:] // some programs resolve links by file name
	}
	switch {
	case from.SpaceID != to.SpaceID || to.Node != "":
	case syntax.NewLinks == doc.RelativePath:
		names = slices.Insert(names, 0, link.Relative(from.Path, to.Slug))
	case syntax.NewLinks == doc.RootPath:
		names = slices.Insert(names, 0, to.Slug)
	}
	return slices.DeleteFunc(names, func(name string) bool { return strings.ContainsAny(name, "[]|#\n") })
}

// leadsTo returns the page of a space that a link with this name resolves to from
// the document at a path: 0 for none, -1 for several.
func leadsTo(ctx context.Context, tx store.Tx, in kb.Space, from, name string) (row int64, err error) {
	key := link.Key(link.RelationKind, name)
	found, err := tx.Pages().ByNames(ctx, in.Row, []string{key})
	if err != nil {
		return 0, err
	}
	var targets []link.Page
	for _, p := range found[key] {
		targets = append(targets, link.Page{Row: p.Row, ID: p.ID, Path: p.Path, Node: p.Node, Title: p.Title, Aliases: p.Aliases})
	}
	switch rows := link.Resolve(link.Ref{Kind: link.RelationKind, Name: name, FromPath: from}, targets); len(rows) {
	case 0:
		return 0, nil
	case 1:
		return rows[0], nil
	}
	return -1, nil
}

// Written finds the text of the relation of a type, "" being any, from one page to
// another. A target that does not resolve is compared verbatim, so that it can be
// closed too.
func Written(ctx context.Context, sess *memory.Session, fromRef, kind, toRef string) (target string, err error) {
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		from, err := sess.Refs.Resolve(ctx, tx, fromRef)
		if err != nil {
			return err
		}
		to, missing := sess.Refs.Resolve(ctx, tx, toRef)
		links, err := tx.Links().From(ctx, from.Row)
		if err != nil {
			return err
		}
		var others []string // types of the existing relations
		for _, l := range links {
			leads := missing == nil && l.To == to.Row || kb.NameKey(l.Name) == kb.NameKey(toRef)
			switch {
			case l.Type == kb.PlainLink || !leads:
			case kind == "" || doc.FoldName(l.Type) == doc.FoldName(kind):
				target = l.Name
				return nil
			default:
				others = append(others, l.Type)
			}
		}
		if missing != nil {
			return missing
		}
		return noRelation(kind, from, to, others)
	})
	return target, err
}

// noRelation reports that no relation of this type leads from one page to
// another, and lists the types that do.
func noRelation(kind string, from, to kb.Page, others []string) error {
	e := kb.Errorf(kb.NotFound, "%s has no %s relation to %s", from.Ref(), kind, to.Ref())
	if kind == "" {
		e = kb.Errorf(kb.NotFound, "%s has no relation to %s", from.Ref(), to.Ref())
	}
	if len(others) > 0 {
		slices.Sort(others)
		others = slices.Compact(others)
		return e.WithHint("Its relations to it are of type %s.", strings.Join(others, ", ")).With("types", others)
	}
	return e.WithReason(kb.NoRelation).WithFact("slug", from.Slug).WithFact("ref", from.Ref())
}
