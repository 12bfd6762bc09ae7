package curate

import (
	"cmp"
	"context"
	"path"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// ownKeys are the metadata keys that identify a page or describe its content. A
// split-off page gets the other keys.
var ownKeys = []string{"id", "identifier", "aliases", "roam_refs", "permalink", "updated", keyCurated, "summary"}

// split turns a section into a page. The heading stays and links to the new page.
func split(ctx context.Context, sess *memory.Session, from subject, d api.CurationDecision) ([]write.Change, error) {
	n := &from.doc.Nodes[0]
	if strings.ContainsAny(d.Summary+d.Title, "\r\n") {
		return nil, kb.Errorf(kb.Usage, "title and summary are one line each").WithHint("Nothing was changed.")
	}
	i, err := n.Section(d.Section)
	if err != nil {
		return nil, err
	}
	h := n.Headings[i]
	body := string(from.doc.Text[h.Line.End:h.Section.End])
	title := strings.Join(strings.Fields(cmp.Or(d.Title, h.Text)), " ")
	switch {
	case !h.InTruth || from.doc.Encoding == doc.Opaque:
		return nil, kb.Errorf(kb.Usage, "no section %q in the text of %s", h.Text, from.Ref()).WithHint("Nothing was changed.")
	case holdsPages(from.doc, h):
		return nil, kb.Errorf(kb.Usage, "the section %q holds pages of their own", h.Text).WithHint("Nothing was changed. Split these off first.")
	case strings.TrimSpace(body) == "":
		return nil, kb.Errorf(kb.Usage, "the section %q is empty", h.Text).WithHint("Nothing was changed.")
	}
	at, err := freePath(ctx, sess, from, title)
	if err != nil {
		return nil, err
	}
	id := kb.DerivedID(from.space.ID, at, "", 0)
	text, err := splitOff(sess, from, at, title, d.Summary, deeper(from.codec, body, h), id)
	if err != nil {
		return nil, err
	}
	target := string(id) // Org links use the id
	if from.codec.Format() != doc.Org {
		if target, err = targetOf(ctx, sess, from, at, title); err != nil {
			return nil, err
		}
	}
	return []write.Change{
		from.edit(doc.ReplaceSection{Section: d.Section, Text: linked(from.codec.Format(), target, title)}, lookedAt(sess, from.space.Policy)),
		{Space: from.space, Path: at, Action: write.Put{Bytes: text, Declare: true}},
	}, nil
}

// targetOf returns a link target for the new page, since other pages may have the
// same title.
func targetOf(ctx context.Context, sess *memory.Session, from subject, at, title string) (target string, err error) {
	to := kb.Page{Path: at, Slug: link.Slug(at), Title: title, Syntax: from.Syntax}
	if strings.ContainsAny(title, "^/") {
		to.Title = path.Base(to.Slug)
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		target, err = change.TargetOfNew(ctx, sess, tx, from.space.Space, from.Page, to)
		return err
	})
	return target, err
}

// freePath returns an unused path for a page with a title, next to another page.
func freePath(ctx context.Context, sess *memory.Session, from subject, title string) (at string, err error) {
	dir := path.Dir(from.Path)
	if dir == "." {
		dir = ""
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		at, err = ref.FreePath(ctx, tx, from.space.Space, space.PathIn(from.space, dir, space.ShortName(title), path.Ext(from.Path)), nil)
		return err
	})
	return at, err
}

// splitOff builds the document of a split-off page: the metadata of the original,
// except fields unique to it, and the section.
func splitOff(sess *memory.Session, from subject, at, title, summary, body string, id kb.ID) ([]byte, error) {
	n := &from.doc.Nodes[0]
	head := from.codec.Parse(at, from.doc.Text[:max(n.Truth.Start, n.Head.End)])
	var edits []doc.Edit
	for _, key := range ownKeys {
		edits = append(edits, doc.RemoveProperty{Key: key})
	}
	if from.codec.Format() == doc.Markdown && from.Headed() {
		body = "# " + title + "\n\n" + body
	} else {
		edits = append(edits, doc.SetTitle{Title: title})
	}
	if summary != "" {
		edits = append(edits, doc.SetProperty{Key: "summary", Value: summary})
	}
	if from.codec.Format() == doc.Org {
		edits = append(edits, doc.SetProperty{Key: "id", Value: string(id)}) // the link to it uses the id
	}
	return from.codec.Apply(head, "", append(edits, doc.SetTruth{Text: body})...)
}

// holdsPages reports whether headings below a heading are pages of their own.
func holdsPages(d *doc.Document, h doc.Heading) bool {
	end := len(d.Text)
	for i := range d.Nodes {
		for _, o := range d.Nodes[i].Headings {
			if o.Line.Start > h.Line.Start && o.Level <= h.Level {
				end = min(end, o.Line.Start)
			}
		}
	}
	for _, n := range d.Nodes[1:] {
		if n.Span.Start >= h.Line.End && n.Span.Start < end {
			return true
		}
	}
	return false
}

// deeper returns the text of a section as the text of a page, with the heading
// levels of pages.
func deeper(codec doc.Codec, body string, of doc.Heading) string {
	mark, first := "#", 2
	if codec.Format() == doc.Org {
		mark, first = "*", 1
	}
	d := codec.Parse("section"+codec.Extensions()[0], []byte(body))
	var cuts []doc.Splice
	for _, h := range d.Nodes[0].Headings {
		if less := of.Level + 1 - first; less > 0 && strings.HasPrefix(string(d.Text[h.Line.Start:]), strings.Repeat(mark, less+1)) {
			cuts = append(cuts, doc.Splice{Span: doc.Span{Start: h.Line.Start, End: h.Line.Start + less}})
		}
	}
	text, err := doc.ApplySplices(d.Text, cuts)
	if err != nil {
		return body
	}
	return strings.Trim(string(text), "\r\n") + "\n"
}
