package read

import (
	"bytes"
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/store"
)

// Field is a property in the metadata of a page.
type Field struct {
	Key   string // as written
	Value string // as a row has it; "" for none
	Line  bool   // at most one value, on one line, so that another can replace it
}

// Fields returns a page with the properties of its metadata, by doc.PropertyKey.
func Fields(ctx context.Context, sess *memory.Session, ref string) (kb.Page, map[string]Field, error) {
	p, _, err := freshness.Newest(ctx, sess, ref)
	if err != nil {
		return p, nil, err
	}
	var text []byte
	if err := sess.DB.View(ctx, func(tx store.Tx) (err error) {
		text, err = tx.History().Bytes(ctx, p.Hash)
		return err
	}); err != nil {
		return p, nil, err
	}
	d := doc.ForNote(sess.Codecs, p.Syntax, p.Path).Parse(p.Path, text)
	node := max(0, slices.IndexFunc(d.Nodes, func(n doc.Node) bool { return p.Node != "" && n.ID == p.Node }))
	out := map[string]Field{}
	for _, m := range d.Nodes[node].Metadata {
		key, f := doc.PropertyKey(m.Key), Field{Key: m.Key}
		_, twice := out[key]
		written := bytes.TrimRight(d.Text[m.Span.Start:m.Span.End], "\r\n")
		f.Line = !twice && !m.List && !m.Opaque && len(m.Values) <= 1 && !bytes.ContainsAny(written, "\r\n")
		if values := m.PropertyValues(); f.Line && len(values) > 0 {
			f.Value = values[0].Value
		}
		out[key] = f
	}
	return p, out, nil
}
