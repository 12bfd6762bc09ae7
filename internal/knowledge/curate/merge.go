package curate

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/assertion"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// MergedInto is the relation from a merged page to the page with its text.
const MergedInto = "merged_into"

// Absorb makes the text of a page a section of another one, repoints links, and
// deletes the page, in one write.
func Absorb(ctx context.Context, sess *memory.Session, opts api.WriteOptions, from, into string) (api.Written, error) {
	pages, err := find(ctx, sess, api.CurationDecision{Refs: []string{from, into}})
	if err != nil {
		return api.Written{}, err
	}
	if opts.Expected != nil {
		pages[0].Version = *opts.Expected // checked by the write
	}
	if err := mergeable(pages[0], pages[1]); err != nil {
		return api.Written{}, err
	}
	changes, left, err := joined(ctx, sess, pages[0], pages[1], nil, true)
	if err != nil {
		return api.Written{}, err
	}
	stays, err := staying(ctx, sess, pages[0], pages[1])
	if err != nil {
		return api.Written{}, err
	}
	left = append(left, stays...)
	changes = append(changes, write.Change{Space: pages[0].space, Path: pages[0].Path, Of: pages[0].ID, Expected: new(pages[0].Version), Action: write.Delete{}})
	opts.RewriteTimeline = true // its entries are moved with the page: none is lost
	out, err := change.Apply(ctx, sess, string(Merge), opts, changes)
	out.Skipped = left
	return out, err
}

// mergeable rejects pages that cannot be merged.
func mergeable(from, into subject) error {
	refused := func(format string, args ...any) error {
		return kb.Errorf(kb.Usage, format, args...).WithHint("Nothing was changed.")
	}
	switch {
	case from.SpaceID != into.SpaceID:
		return refused("%s and %s are in two spaces", from.Ref(), into.Ref())
	case from.codec.Format() != into.codec.Format() || from.codec.Format().Whole():
		return refused("%s and %s are not text pages of one format", from.Path, into.Path)
	case from.doc.Encoding == doc.Opaque || into.doc.Encoding == doc.Opaque:
		return refused("%s and %s are not both text", from.Path, into.Path)
	case len(from.doc.Nodes) > 1:
		return refused("%s holds pages of their own, headings with an id", from.Path)
	}
	return nil
}

// merge makes the text of a page a section of another one, which also gets its
// timeline and sidecar, and repoints links. The old page keeps its metadata and a
// link, so that its id still resolves. again means that the merge may have been
// done before.
func merge(ctx context.Context, sess *memory.Session, from, into subject, again bool) ([]write.Change, []api.Skipped, error) {
	if err := mergeable(from, into); err != nil {
		return nil, nil, err
	}
	if from.Status != kb.Superseded {
		if err := from.space.Policy.Lifecycle.MayBecome(from.Status, kb.Superseded); err != nil {
			return nil, nil, err
		}
	}
	lead, err := relation(ctx, sess, from, into, MergedInto, "")
	if err != nil {
		return nil, nil, err
	}
	back, err := relation(ctx, sess, into, from, MergedInto, "")
	switch {
	case err != nil:
		return nil, nil, err
	case lead == nil && again:
		return nil, nil, nil // only the pointers are left to repoint
	case lead == nil:
		return nil, nil, kb.Errorf(kb.Conflict, "%s is merged into %s already", from.Ref(), into.Ref()).WithHint("Nothing was changed.")
	case back == nil:
		return nil, nil, kb.Errorf(kb.Conflict, "%s is merged into %s already", into.Ref(), from.Ref()).WithHint("Nothing was changed.")
	}
	changes, left, err := joined(ctx, sess, from, into, []doc.Edit{lookedAt(sess, into.space.Policy)}, false)
	if err != nil {
		return nil, nil, err
	}
	rest := "- " + MergedInto + " " + linked(from.codec.Format(), lead.Target, into.Title) + "\n"
	if from.Headed() && from.codec.Format() == doc.Markdown {
		rest = "# " + from.Title + "\n\n" + rest // its title exists nowhere else
	}
	leaves := []doc.Edit{doc.SetTruth{Text: rest}}
	if n := &from.doc.Nodes[0]; n.Truth.End < n.Span.End {
		leaves = append(leaves, doc.Replace{Old: from.doc.Slice(doc.Span{Start: n.Truth.End, End: n.Span.End})})
	}
	leaves = append(leaves, doc.SetProperty{Key: "status", Value: string(kb.Superseded)}, lookedAt(sess, from.space.Policy))
	return append(changes, from.edit(leaves...)), left, nil
}

// joined returns the changes that give a page the text, the timeline, the sidecar
// and the links of another one. They include the edits stamp, and the other page's
// properties if that page is deleted.
func joined(ctx context.Context, sess *memory.Session, from, into subject, stamp []doc.Edit, goes bool) ([]write.Change, []api.Skipped, error) {
	changes, left, err := followLinks(ctx, sess, from, into, true, goes)
	if err != nil {
		return nil, nil, err
	}
	d := from.doc
	if i := slices.IndexFunc(changes, func(c write.Change) bool { return c.Of == from.ID }); i >= 0 {
		// Links to itself are repointed within the moved text.
		for _, e := range changes[i].Action.(write.Edit).Edits {
			text, err := from.codec.Apply(d, "", e)
			if err != nil {
				return nil, nil, err
			}
			d = from.codec.Parse(from.Path, text)
		}
		changes = slices.Delete(changes, i, i+1)
	}
	if path.Dir(from.Path) != path.Dir(into.Path) {
		text, err := from.codec.Apply(d, "", link.Moved(d, link.RulesOf(from.Syntax), from.Path, into.Path, from.space.HasFile))
		if err != nil {
			return nil, nil, err
		}
		d = from.codec.Parse(from.Path, text)
	}
	entries, text, err := from.entries(d, into)
	if err != nil {
		return nil, nil, err
	}
	section, err := findSection(ctx, sess, from, into, text)
	if err != nil {
		return nil, nil, err
	}
	claims, err := assertion.Move(ctx, sess, from.Page, into.Page)
	if err != nil {
		return nil, nil, err
	}
	for _, ref := range claims.Left {
		left = append(left, api.Skipped{Path: ref, Reason: "what it asserts stays: it cannot be changed here"})
	}
	if goes && len(claims.Stays) > 0 {
		return nil, nil, kb.Errorf(kb.Conflict, "%s and %s have different %s in their sidecars", from.Ref(), into.Ref(), strings.Join(claims.Stays, ", ")).
			WithHint("Nothing was changed: with the page, its own would be lost.")
	}
	for _, name := range claims.Stays {
		left = append(left, api.Skipped{Path: from.Ref(), Reason: name + " stays in its sidecar: " + into.Ref() + " has another"})
	}
	adds := slices.Concat([]doc.Edit{doc.Append{Text: section}}, stamp, entries, gained(from, into))
	if goes {
		ends, gone, err := related(ctx, sess, into, from)
		if err != nil {
			return nil, nil, err
		}
		adds, left = append(ends, adds...), append(left, gone...)
		moved := from
		moved.doc = d
		more, lost := properties(moved, into)
		adds, left = append(adds, more...), append(left, lost...)
	}
	return append(append(changes, into.edit(adds...)), claims.Changes...), left, nil
}

// related returns the edits that remove the relations of a page to the one merged
// into it: they would relate the page to itself. left lists them.
func related(ctx context.Context, sess *memory.Session, into, from subject) (ends []doc.Edit, left []api.Skipped, err error) {
	lines, err := leading(ctx, sess, into, from, func(l store.LinkEnd) bool { return l.ValidUntil == "" })
	if err != nil {
		return nil, nil, err
	}
	acts := change.Acting(from.space.Policy.Lifecycle, MergedInto)
	at := doc.NewLines(into.doc.Text)
	for _, r := range slices.Backward(into.doc.Nodes[0].Relations) { // from the last, so that the line numbers above stay valid
		line := at.At(r.Target.Span.Start)
		if !lines[line] || acts[kb.NameKey(r.Type)] {
			continue
		}
		ends = append(ends, doc.RemoveRelation{Type: r.Type, Target: r.Target.Name, Line: line})
		left = append(left, api.Skipped{Path: into.Ref(), Reason: fmt.Sprintf("the relation %s in line %d goes: %s is part of this page now", r.Type, line, from.Ref())})
	}
	return ends, left, nil
}

// linked is a link to a page in a relation.
func linked(format doc.Format, target, title string) string {
	if _, id := kb.ParseID(target); id && format == doc.Org {
		return "[[id:" + target + "][" + strings.NewReplacer("[", "(", "]", ")").Replace(title) + "]]"
	}
	return "[[" + target + "]]"
}

// gained returns the metadata that a page gains from another: tags, projects, and
// the other's names as aliases.
func gained(from, into subject) (out []doc.Edit) {
	a, b := &from.doc.Nodes[0], &into.doc.Nodes[0]
	if tags, ok := a.Property("tags"); ok {
		for _, tag := range doc.Tags(tags.Values) {
			if tag != a.Type && !doc.HasTag(b.Tags, tag) {
				out = append(out, doc.AddTag{Tag: tag})
			}
		}
	}
	aliases := doc.Names(slices.Concat(own(b), []string{from.Title}, own(a)))
	aliases = slices.DeleteFunc(aliases, func(name string) bool { return kb.NameKey(name) == kb.NameKey(into.Title) })
	if !slices.Equal(aliases, own(b)) {
		out = append(out, doc.SetList{Key: "aliases", Values: aliases})
	}
	x, has := a.Property("projects")
	y, had := b.Property("projects")
	if all := doc.Names(slices.Concat(y.Values, x.Values)); has && had && len(all) > len(y.Values) {
		if into.codec.Format() == doc.Org {
			return append(out, doc.SetProperty{Key: "projects", Value: colons(all)})
		}
		out = append(out, doc.SetList{Key: "projects", Values: all})
	}
	return out
}

// ofOne lists the property keys that describe one page only and are not copied.
var ofOne = map[string]bool{
	"type": true, "status": true, "summary": true, "description": true, "desc": true, keyCurated: true,
	"updated": true, "updated_at": true, "modified": true, "lastmod": true,
}

// properties returns the edits that copy missing properties from another page. left
// lists lost properties with their values.
func properties(from, into subject) (adds []doc.Edit, left []api.Skipped) {
	there := map[string]doc.Property{}
	for _, p := range into.doc.Nodes[0].Metadata {
		there[doc.PropertyKey(p.Key)] = p
	}
	target := into.doc
	for _, p := range from.doc.Nodes[0].Metadata {
		key := doc.PropertyKey(p.Key)
		old, has := there[key]
		switch key {
		case "", "id", "uuid", "title", "tags", "aliases", "alias", "permalink":
			continue // gained covers them
		case "tag":
			for _, tag := range doc.Tags(p.Values) {
				adds = append(adds, doc.AddTag{Tag: tag})
			}
			continue
		case "projects":
			if has {
				continue // covered by gained
			}
		}
		if has && alike(old, p) {
			continue
		}
		why := " is lost: " + into.Ref() + " has another"
		if !has {
			why = " is lost: it is of that page alone"
			if !ofOne[key] {
				if edit, now := copied(p, from, into, target); edit != nil {
					adds, target = append(adds, edit), now
					continue
				}
				why = " is lost: it cannot be copied"
			}
		}
		text := strings.Join(strings.Fields(from.doc.Slice(p.Span)), " ")
		left = append(left, api.Skipped{Path: from.Ref(), Reason: text + why})
	}
	return adds, left
}

// copied returns the edit that copies a property from another page, and that page;
// nil if its format does not support it.
func copied(p doc.Property, from, into subject, target *doc.Document) (doc.Edit, *doc.Document) {
	var tries []doc.Edit
	_, raw, _ := strings.Cut(from.doc.Slice(p.Span), ":")
	if raw = strings.TrimSpace(raw); from.codec.Format() == doc.Markdown && raw != "" && !strings.Contains(raw, "\n") {
		tries = append(tries, doc.SetProperty{Key: p.Key, Value: raw, Written: true})
	}
	switch {
	case p.Opaque:
		if text, err := json.Marshal(p.Data); err == nil {
			tries = append(tries, doc.SetProperty{Key: p.Key, Value: string(text), Written: true})
		}
	case p.List:
		tries = append(tries, doc.SetList{Key: p.Key, Values: p.Values})
	case len(p.Values) == 1:
		tries = append(tries, doc.SetProperty{Key: p.Key, Value: p.Values[0]})
	}
	for _, edit := range tries {
		text, err := into.codec.Apply(target, "", edit)
		if err != nil {
			continue
		}
		now := into.codec.Parse(into.Path, text)
		if got, ok := now.Nodes[0].Property(p.Key); ok && alike(got, p) {
			return edit, now
		}
	}
	return nil, nil
}

// alike reports whether two properties have the same value.
func alike(a, b doc.Property) bool {
	return a.List == b.List && a.Opaque == b.Opaque && slices.Equal(a.Values, b.Values) && fmt.Sprintf("%#v", a.Data) == fmt.Sprintf("%#v", b.Data)
}

// staying lists the relations to a deleted page that are not repointed: those with
// an effect on their target, and closed ones.
func staying(ctx context.Context, sess *memory.Session, from, into subject) (out []api.Skipped, err error) {
	acts := change.Acting(from.space.Policy.Lifecycle, MergedInto)
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		links, err := tx.Links().To(ctx, from.Row)
		for _, l := range links {
			if l.Page.Row != 0 && l.Page.Row != from.Row && (acts[kb.NameKey(l.Type)] || l.ValidUntil != "") {
				out = append(out, api.Skipped{Path: l.Page.Ref(), Reason: fmt.Sprintf("the relation %s in line %d still names %s, which is part of %s now", l.Type, l.Line, from.Ref(), into.Ref())})
			}
		}
		return err
	})
	return out, err
}

// own returns the aliases of a node other than its title.
func own(n *doc.Node) []string {
	return slices.DeleteFunc(slices.Clone(n.Aliases), func(a string) bool { return a == n.Title })
}

// colons formats a list as :a:b: for Org, also for values with colons.
func colons(values []string) string {
	var words []string
	for _, v := range values {
		for w := range strings.FieldsFuncSeq(v, func(r rune) bool { return r == ':' || r == ' ' }) {
			if !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
	}
	return ":" + strings.Join(words, ":") + ":"
}

// findSection returns a document as a section of another page: under its title,
// with its headings at least one level deeper. Relations in its truth to that page
// are left out.
func findSection(ctx context.Context, sess *memory.Session, from, into subject, d *doc.Document) (string, error) {
	span := body(d)
	mark, depth := byte('#'), 2
	if from.codec.Format() == doc.Org {
		mark, depth = '*', 1
	}
	var cuts []doc.Splice
	links, err := leading(ctx, sess, from, into, func(store.LinkEnd) bool { return true })
	if err != nil {
		return "", err
	}
	if n := &from.doc.Nodes[0]; n.Truth.End < n.Span.End {
		line := doc.LineAt(from.doc.Text, n.Truth.End)
		maps.DeleteFunc(links, func(at int, _ bool) bool { return at >= line })
	}
	lines := doc.NewLines(d.Text)
	for i := range d.Nodes {
		for _, r := range d.Nodes[i].Relations {
			if links[lines.At(r.Span.Start)] && span.Contains(r.Span) {
				cuts = append(cuts, doc.Splice{Span: r.Span})
			}
		}
	}
	var headings []doc.Heading
	for i := range d.Nodes {
		for _, h := range d.Nodes[i].Headings {
			if span.Contains(h.Line) && d.Text[h.Line.Start] == mark && !slices.ContainsFunc(headings, func(o doc.Heading) bool { return o.Line == h.Line }) {
				headings = append(headings, h)
			}
		}
	}
	least := 0
	for _, h := range headings {
		if from.Headed() && h.Level == 1 && strings.TrimSpace(h.Text) == from.Title && h.Line.Start == first(d.Text, span) {
			cuts = append(cuts, doc.Splice{Span: h.Line})
			continue
		}
		if least == 0 || h.Level < least {
			least = h.Level
		}
	}
	for _, h := range headings {
		if more := depth + 1 - least; more > 0 && !slices.ContainsFunc(cuts, func(c doc.Splice) bool { return c.Span == h.Line }) {
			cuts = append(cuts, doc.Splice{Span: doc.Span{Start: h.Line.Start, End: h.Line.Start}, New: strings.Repeat(string(mark), more)})
		}
	}
	// All cuts are within the span, so that the text around it can be removed
	// afterwards.
	text, err := doc.ApplySplices(d.Text, cuts)
	if err != nil {
		return "", err
	}
	tail := len(d.Text) - span.End
	body := strings.Trim(string(text[span.Start:len(text)-tail]), "\r\n")
	return strings.Repeat(string(mark), depth) + " " + from.Title + "\n\n" + body + "\n", nil
}

// first returns where the text of a span starts, after blank lines.
func first(text []byte, span doc.Span) int {
	at := span.Start
	for at < span.End && strings.ContainsRune(" \t\r\n", rune(text[at])) {
		at++
	}
	return at
}

// leading returns the lines of a page with a link to another page.
func leading(ctx context.Context, sess *memory.Session, from, to subject, which func(store.LinkEnd) bool) (map[int]bool, error) {
	out := map[int]bool{}
	err := sess.DB.View(ctx, func(tx store.Tx) error {
		pages, err := tx.Pages().ByPath(ctx, from.space.Row, from.Path)
		if err != nil {
			return err
		}
		for _, p := range pages {
			links, err := tx.Links().From(ctx, p.Row)
			if err != nil {
				return err
			}
			for _, l := range links {
				if l.To == to.Row && which(l) {
					out[l.Line] = true
				}
			}
		}
		return nil
	})
	return out, err
}
