package read

import (
	"context"
	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/contradiction"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/turn"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/store"
	"slices"
	"strings"
)

// Get returns a page's text. A file that changed since the last sync is indexed
// first, so that the version matches the text.
func Get(ctx context.Context, sess *memory.Session, req GetRequest) (api.Text, error) {
	if req.AsOf != "" {
		out, node, found, err := history.ReadAsOf(ctx, sess, req.version())
		if err != nil {
			return out, err
		}
		if found {
			return cutText(doc.ForNote(sess.Codecs, out.Syntax, out.Path), out, node, req)
		}
	}
	ctx, leave := store.Join(ctx, sess.DB)
	defer leave()
	now := req.Version == 0 && req.AsOf == ""
	if err := store.ForeseeViews(ctx, sess.DB, func() {
		_ = sess.DB.View(ctx, func(tx store.Tx) error {
			if p, found := sess.Refs.Ahead(ctx, tx, req.Ref); found {
				textAhead(ctx, sess, tx, p, now)
			}
			return nil
		})
	}); err != nil {
		return api.Text{}, err
	}
	p, behind, err := freshness.Newest(ctx, sess, req.Ref)
	if kb.CodeOf(err) == kb.NotFound && strings.Contains(req.Ref, "#") {
		named, _, missing := freshness.FindPart(ctx, sess, req.Ref, sess.Refs.Resolve)
		switch {
		case missing != nil || named.Part == "":
		case req.Section != "":
			return api.Text{}, doc.NamedTwice(named.Part, req.Section)
		default:
			req.Ref, req.Section = named.Name, named.Part
			return Get(ctx, sess, req)
		}
	}
	if kb.CodeOf(err) == kb.NotFound && (req.Version != 0 || req.AsOf != "") {
		return deletedText(ctx, sess, req)
	}
	if err != nil {
		return api.Text{}, history.ExplainMissing(ctx, sess, err, req.Ref)
	}
	ctx, over, err := turn.Soon(ctx, sess.DB, p.Size)
	if err != nil {
		return api.Text{}, err
	}
	defer over()
	out := api.Text{Warnings: freshness.TitleOnly(req.Ref, p)}
	if behind != nil {
		out.Warnings = append(out.Warnings, *behind)
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		if err := store.Foresee(ctx, tx, func() { textAhead(ctx, sess, tx, p, now) }); err != nil {
			return err
		}
		v, err := api.NewViewer(ctx, tx)
		if err != nil {
			return err
		}
		if out.Page, err = v.Page(ctx, p); err != nil {
			return err
		}
		if now {
			out.Syntax, out.Side = p.Syntax, p.Side
			out.TruthUpdatedAt, out.TimelineUpdatedAt = api.When(p.TruthUpdated), api.When(p.TimelineUpdated)
			if out.Bytes, err = tx.History().Bytes(ctx, p.Hash); err != nil {
				return err
			}
			if behind == nil && doc.ConflictLine(out.Bytes) > 0 {
				out.Warnings = append(out.Warnings, api.Warning{
					Path: p.Path, Code: freshness.WarnUnmerged,
					Text: "the file has merge conflict markers, and no text from before the merge is known",
				})
			}
			shown := []api.Page{out.Page}
			err = contradiction.Mark(ctx, sess, tx, []kb.Page{p}, shown)
			out.Page = shown[0]
			return err
		}
		d, err := history.DocumentOf(ctx, tx, p)
		if err != nil {
			return err
		}
		then := req.version()
		then.Node = p.Node
		return history.Read(ctx, sess, tx, d, then, &out)
	})
	if err != nil {
		return api.Text{}, err
	}
	if !req.Unread {
		sess.WasRead(ctx, out.Page)
	}
	return cutText(doc.ForNote(sess.Codecs, out.Syntax, out.Path), out, p.Node, req)
}

// textAhead makes the reads for the text of a page; see store.Foresee.
func textAhead(ctx context.Context, sess *memory.Session, tx store.Tx, p kb.Page, now bool) {
	v, err := api.NewViewer(ctx, tx)
	if err != nil {
		return
	}
	shown, _ := v.Page(ctx, p)
	if now {
		_ = tx.History().Ahead(ctx, []kb.Page{p})
		_ = contradiction.Mark(ctx, sess, tx, []kb.Page{p}, []api.Page{shown})
		// A write often follows, which reads more about the document, and needs its
		// row for that.
		if s, err := space.OfPage(ctx, tx, p); err == nil && s.Kind == kb.DatabaseSpace {
			_, _ = tx.Documents().ByPath(ctx, s.Row, p.Path)
		}
	}
}

// GetRequest asks for a page's text, whole or in part.
type GetRequest struct {
	Ref      string
	Version  int    // 0: the newest
	AsOf     string // a time or date phrase: the version of that time
	Section  string // a heading as doc.Node.Section reads it: only that section
	From, To int    // 1-based lines: only these; 0 is open
	Unread   bool   // the text is not shown: the page does not count as used
	Large    int    // bytes of a large text, of which only the part with Line is returned, with credentials masked; 0 for none
	Line     int    // 1-based; 0 for the first part
}

func (r GetRequest) version() history.ReadRequest {
	return history.ReadRequest{Ref: r.Ref, Version: r.Version, AsOf: r.AsOf}
}

// deletedText is Get for an older version of a deleted page.
func deletedText(ctx context.Context, sess *memory.Session, req GetRequest) (api.Text, error) {
	d, err := history.Find(ctx, sess, req.Ref)
	if err != nil {
		return api.Text{}, err
	}
	out, err := history.ReadDeleted(ctx, sess, d, req.version())
	if err != nil {
		return api.Text{}, err
	}
	return cutText(doc.ForNote(sess.Codecs, out.Syntax, out.Path), out, "", req)
}

// cutText fills in the requested part of the text.
func cutText(codec doc.Codec, out api.Text, node string, req GetRequest) (api.Text, error) {
	if block, ok := ref.Block(req.Ref); ok && req.Section == "" && !strings.EqualFold(node, block) {
		req.Section = "^" + block
	}
	d := codec.Parse(out.Path, out.Bytes)
	for _, w := range d.Warnings {
		out.Warnings = append(out.Warnings, api.Warning{Code: w.Code, Text: w.Text, Line: w.Line})
	}
	span := doc.Span{Start: 0, End: len(d.Text)}
	n := &d.Nodes[0]
	if node != "" {
		i := slices.IndexFunc(d.Nodes, func(n doc.Node) bool { return strings.EqualFold(n.ID, node) })
		_, err := d.Part(n, node)
		switch {
		case i >= 0:
			n = &d.Nodes[i]
			span = n.Span
		case err != nil:
			return out, kb.Errorf(kb.NotFound, "%s is not in that version of %s", node, out.Path)
		case req.Section != "":
			return out, doc.NamedTwice(node, req.Section)
		default:
			req.Section = node
		}
	}
	whole := span.Len() == len(d.Text)
	if req.Section != "" {
		var err error
		if span, err = d.Part(n, req.Section); err != nil {
			return out, err
		}
		out.Part, whole = req.Section, false
	}
	lines := doc.NewLines(d.Text)
	from := lines.At(span.Start)
	if req.Large > 0 && span.Len() > req.Large {
		return partOf(out, d.Text, span, lines, req.Line), nil
	}
	if req.From > 0 || req.To > 0 {
		had := span
		if span = doc.CutLines(d.Text, span, req.From-from+1, req.To-from+1, req.To > 0); span.Len() == 0 {
			return out, kb.Errorf(kb.NotFound, "%s has no lines %d to %d", out.Ref, req.From, req.To).
				WithHint("Give the first and the last of those it has: %d to %d.", from, lines.At(max(had.Start, had.End-1)))
		}
		whole = false
		from = lines.At(span.Start)
	}
	out.Lines = [2]int{from, max(from, lines.At(max(span.Start, span.End-1)))}
	out.Ended = out.EndedIn(out.Lines)
	out.Text = string(d.Text[span.Start:span.End])
	for _, h := range n.Headings {
		if h.Line.Start >= span.Start && h.Line.Start < span.End {
			out.Headings = append(out.Headings, api.Heading{Text: h.Text, Level: h.Level, Line: lines.At(h.Line.Start)})
		}
	}
	if !whole {
		out.Bytes = nil
	}
	return out, nil
}

// partBytes is how many bytes the parts of a large text have, about.
const partBytes = 96_000

// partOf fills in the part of a large text with a line, without its credentials, which are found
// in all of it. It has whole lines, or the beginning of a line with more bytes than a part.
func partOf(out api.Text, text []byte, span doc.Span, lines doc.Lines, line int) api.Text {
	first, at := lines.At(span.Start), span.Start
	out.Bytes, out.IsPart = nil, true
	for {
		end, n := at, first
		for end < span.End {
			next := min(span.End, doc.LineEnd(text, end))
			if end > at && next-at > partBytes {
				break
			}
			end, n = next, n+1
		}
		if end < span.End && line >= n {
			out.Before, first, at = first, n, end
			continue
		}
		out.Lines = [2]int{first, n - 1}
		if end < span.End {
			out.After = n
		}
		out.IsCut = end > at+partBytes
		out.Text = strings.ToValidUTF8(string(secrets.Hide(text)[at:min(end, at+partBytes)]), "")
		return out
	}
}
