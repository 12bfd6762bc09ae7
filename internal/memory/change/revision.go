package change

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// revise is the operation of a write that adds an agent's text to a page instead of
// replacing the page.
const revise = "revise"

// revised converts an agent's replacements of pages that others have changed since
// into added sections, if the policy protects such pages.
func revised(ctx context.Context, sess *memory.Session, req write.Request) (write.Request, error) {
	if req.Actor.Kind != kb.Agent || req.Undoes != 0 {
		return req, nil
	}
	changes := req.Changes
	for i, c := range changes {
		put, ok := c.Action.(write.Put)
		if !ok || put.Copied || !c.Space.Policy.Revision.Has(c.Path) {
			continue
		}
		d, err := At(ctx, sess, c.Space, c.Path)
		if err != nil {
			return req, err
		}
		if !d.Exists() {
			continue
		}
		others, err := changedByOthers(ctx, sess, d)
		if err != nil {
			return req, err
		}
		if !others || string(put.Bytes) == string(d.Doc.Source) {
			continue
		}
		if &changes[0] == &req.Changes[0] {
			changes = append([]write.Change(nil), changes...)
		}
		text := body(d.Codec.Parse(c.Path, put.Bytes))
		now := sess.Writer.Now()
		heading := d.Codec.Format().Heading(c.Space.Policy.Revision.At(now.In(c.Space.Policy.Calendar(now.Location()).Zone)))
		last, err := ownRevision(ctx, sess, d, req.Actor)
		if err != nil {
			return req, err
		}
		put.Overwrite = true
		switch {
		case last.Len() == 0:
			changes[i].Action = write.Edit{Edits: []doc.Edit{doc.Append{Text: heading + "\n\n" + text}}}
		case strings.TrimSpace(afterHeading(d.Doc.Slice(last))) == strings.TrimSpace(text):
			put.Bytes = d.Doc.Source // a repeated request changes nothing
			changes[i].Action = put
		default:
			end := ""
			if last.End < len(d.Doc.Text) {
				end = "\n"
			}
			whole, err := doc.ApplySplices(d.Doc.Text, []doc.Splice{{Span: last, New: heading + "\n\n" + text + end}})
			if err == nil {
				put.Bytes, err = d.Doc.Encode(whole)
			}
			if err != nil {
				return req, err
			}
			changes[i].Action = put
		}
		changes[i].Of = d.Row.ID
		if c.Expected == nil {
			changes[i].Expected = &d.Row.Version
		}
		req.Operation = revise
	}
	req.Changes = changes
	return req, nil
}

// changedByOthers reports whether a person or another program changed a page since
// an agent last wrote all of it.
func changedByOthers(ctx context.Context, sess *memory.Session, d *Document) (others bool, err error) {
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		versions, _, err := tx.History().Versions(ctx, store.VersionFilter{Spaces: []int64{d.Space.Row}, Page: d.Row.ID}, 0, 0)
		if err != nil {
			return err
		}
		for _, v := range versions {
			if v.Actor.Kind == kb.Human || v.Actor.Kind == kb.Sync {
				others = true
				return nil
			}
			w, err := tx.History().Write(ctx, v.Write)
			if err != nil || v.Actor.Kind == kb.Agent && w.Operation == "put" {
				return err
			}
		}
		return nil
	})
	return others, err
}

// ownRevision returns the section that an actor's last write of this kind added to
// a page, if it is unchanged; else an empty span.
func ownRevision(ctx context.Context, sess *memory.Session, d *Document, actor kb.Actor) (span doc.Span, err error) {
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		f := store.VersionFilter{Spaces: []int64{d.Space.Row}, Page: d.Row.ID, Actor: actor}
		versions, _, err := tx.History().Versions(ctx, f, 1, 0)
		if err != nil || len(versions) == 0 {
			return err
		}
		w, err := tx.History().Write(ctx, versions[0].Write)
		if err != nil || w.Operation != revise {
			return err
		}
		then, err := tx.History().Bytes(ctx, versions[0].Hash)
		if kb.CodeOf(err) == kb.NotFound { // pruned
			return nil
		}
		if err != nil {
			return err
		}
		parse := func(text []byte) (*doc.Document, doc.Span) {
			p := d.Codec.Parse(d.Path, text)
			for _, h := range slices.Backward(p.Nodes[0].Headings) {
				if d.Space.Policy.Revision.Is(strings.TrimSpace(h.Text)) {
					return p, h.Section
				}
			}
			return p, doc.Span{}
		}
		was, at := parse(then)
		is, now := parse(d.Doc.Source)
		if strings.TrimSpace(was.Slice(at)) == strings.TrimSpace(is.Slice(now)) {
			span = now
		}
		return nil
	})
	return span, err
}

// afterHeading returns a section without its first line.
func afterHeading(section string) string {
	_, text, _ := strings.Cut(section, "\n")
	return text
}

// body returns the text of a document without its metadata and title, with its
// headings at least one level deeper, and below the heading of a revision.
func body(d *doc.Document) string {
	mark, top := "#", 3
	if d.Format == doc.Org {
		mark, top = "*", 2
	}
	at := d.Nodes[0].Head.End
	var headings []doc.Heading
	for i := range d.Nodes {
		headings = append(headings, d.Nodes[i].Headings...)
	}
	slices.SortFunc(headings, func(a, b doc.Heading) int { return cmp.Compare(a.Line.Start, b.Line.Start) })
	headings = slices.CompactFunc(headings, func(a, b doc.Heading) bool { return a.Line.Start == b.Line.Start })
	headings = slices.DeleteFunc(headings, func(h doc.Heading) bool { return h.Line.Start < at })
	if len(headings) > 0 && d.Format != doc.Org && headings[0].Level == 1 && strings.TrimSpace(string(d.Text[at:headings[0].Line.Start])) == "" {
		at, headings = headings[0].Line.End, headings[1:] // the title
	}
	deeper := 1
	for _, h := range headings {
		deeper = max(deeper, top-h.Level)
	}
	var out strings.Builder
	for _, h := range headings {
		out.Write(d.Text[at:h.Line.Start])
		at = h.Line.End
		level := h.Level + deeper
		if d.Format != doc.Org {
			level = min(level, 6)
		}
		line := strings.TrimLeft(d.Slice(h.Line), " ")
		if title := strings.TrimLeft(line, mark); title != line {
			out.WriteString(strings.Repeat(mark, level) + title)
			continue
		}
		lines := strings.Fields(line) // and the last one is the underline
		out.WriteString(strings.Repeat(mark, level) + " " + strings.Join(lines[:len(lines)-1], " ") + "\n")
	}
	out.Write(d.Text[at:])
	return strings.TrimSpace(out.String()) + "\n"
}
