package ingest

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/store"
)

// amend appends a text to a page, with the date, or replaces the page's truth with
// it. The relations of the page are kept.
func amend(ctx context.Context, sess *memory.Session, req api.CaptureRequest) (CaptureAnswer, error) {
	raw := cmp.Or(req.Extend, req.Update)
	named, s, err := change.Writable(ctx, sess, raw)
	if err != nil {
		return CaptureAnswer{}, err
	}
	lines, links, err := planRelations(ctx, sess, named.Page, req, nil)
	if err != nil {
		return CaptureAnswer{}, err
	}
	body, relations, err := planTruth(ctx, sess, named.Page)
	if err != nil {
		return CaptureAnswer{}, err
	}
	whole := named.Part == "" && named.Page.Node == ""
	dated := sess.Now().Format(time.DateOnly) + ": " + req.Each[0]
	repeated := whole && req.Extend != "" && strings.Contains("\n"+body, "\n"+withoutCR(dated)+"\n")
	if repeated {
		lines = missingRelations(ctx, sess, raw, lines, links)
	}
	var edits []doc.Edit
	switch {
	case req.Update != "" && !whole:
		return CaptureAnswer{}, kb.Errorf(kb.Usage, "only a whole page can be updated, and %q is a part of one", raw)
	case req.Update != "":
		edits = append(edits, doc.SetTruth{Text: strings.TrimSpace(req.Each[0] + "\n\n" + relations)})
	case repeated:
	case whole && relations != "":
		edits = append(edits, doc.InsertBefore{Section: relationsSection, Text: dated})
	default:
		edits = append(edits, doc.Append{Text: dated})
	}
	for _, tag := range req.Tags {
		if !repeated || !doc.HasTag(named.Page.Tags, doc.NormalizeTag(tag)) {
			edits = append(edits, doc.AddTag{Tag: tag})
		}
	}
	edits = append(edits, lines...)
	if metadata := metadata(req); len(metadata) > 0 {
		if !whole {
			return CaptureAnswer{}, kb.Errorf(kb.Usage, "only a whole page has metadata, and %q is a part of one", raw)
		}
		edits = append(edits, metadata...)
	}
	out := CaptureAnswer{Written: api.Written{DryRun: req.DryRun, Pages: []api.WrittenPage{}},
		Captured: Captured{Ref: named.Page.Ref(), Space: s.Name, Tags: []string{}, Links: links, Similar: []api.Hit{}}}
	if repeated && len(edits) == 0 {
		out.Tags = append(out.Tags, named.Page.Tags...)
		err := sess.DB.View(ctx, func(tx store.Tx) (err error) {
			out.Existing, err = existing(ctx, tx, named.Page, nil)
			return err
		})
		return out, err
	}
	if named.Part == "" && s.Policy.Capture.Record {
		edits = append(edits, doc.SetProperty{Key: "updated", Value: stamp(sess.Now())})
	}
	opts := req.WriteOptions
	if req.Update != "" && opts.Expected == nil {
		opts.Expected = &named.Page.Version // the kept relations are those of this version
	}
	out.Written, err = change.Edit(ctx, sess, "capture", opts, raw, edits...)
	if len(out.Pages) > 0 && out.Pages[0].Tags != nil {
		out.Tags = out.Pages[0].Tags
	}
	return out, err
}

// missingRelations returns the requested relation lines that the page of raw lacks.
func missingRelations(ctx context.Context, sess *memory.Session, raw string, lines []doc.Edit, links []Linked) (out []doc.Edit) {
	for i, l := range links {
		if _, err := change.Written(ctx, sess, raw, l.Type, l.Ref); err != nil {
			out = append(out, lines[i])
		}
	}
	return out
}

// planTruth returns the text of a page, and its relations separately.
func planTruth(ctx context.Context, sess *memory.Session, p kb.Page) (body, relations string, err error) {
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		source, err := tx.History().Bytes(ctx, p.Hash)
		if err == nil {
			body, relations = withoutRelations(doc.ForNote(sess.Codecs, p.Syntax, p.Path).Parse(p.Path, source))
		}
		return err
	})
	return body, relations, err
}
