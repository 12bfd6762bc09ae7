package write

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/schemas"
	"github.com/cairn-kb/cairn/internal/policy/schema"
	"github.com/cairn-kb/cairn/internal/store"
)

// checkConformity refuses violations of the schema of a page's type, if that
// schema is strict. Existing violations do not block a change.
func (s *changeSet) checkConformity(ctx context.Context, t *target) error {
	all, err := s.schemasIn(ctx, t.space.Row)
	if err != nil || !all.Strict() && !bytes.Contains(t.new, []byte(schema.Type)) {
		return err // not even one of its own
	}
	kind, note := noteOf(s.w.Codecs, t, t.to, t.new)
	var x *schemas.Source
	err = s.w.Memory.View(ctx, func(tx store.Tx) error {
		x, err = all.Of(ctx, tx, kind, note.Metadata)
		return err
	})
	if err != nil || x == nil || x.Mode != schema.Strict {
		return err
	}
	broken := problemsOf(x.Validate(note))
	if t.exists() && len(broken) > 0 {
		_, was := noteOf(s.w.Codecs, t, t.path, t.old)
		before := problemsOf(x.Validate(was))
		broken = slices.DeleteFunc(broken, func(p string) bool { return slices.Contains(before, p) })
	}
	if len(broken) == 0 {
		return nil
	}
	where := "the schema in its metadata"
	if x.Page.Row != 0 {
		where = "the schema in " + x.Page.Path
	}
	return kb.Errorf(kb.Invalid, "%s does not keep to %s: %s", t.to, where, strings.Join(broken, "; ")).
		WithHint("Nothing was written. Mend the page and try again.").With("violations", broken)
}

// schemasIn returns the schemas of a space, which are read once for the set.
func (s *changeSet) schemasIn(ctx context.Context, space int64) (*schemas.Schemas, error) {
	if all, ok := s.schemas[space]; ok {
		return all, nil
	}
	if s.schemas == nil {
		s.schemas = map[int64]*schemas.Schemas{}
	}
	err := s.w.Memory.View(ctx, func(tx store.Tx) (err error) {
		s.schemas[space], err = schemas.Find(ctx, tx, s.w.Codecs, space)
		return err
	})
	return s.schemas[space], err
}

// noteOf returns the note in a text for a schema.
func noteOf(codecs []doc.Codec, t *target, path string, text []byte) (kind string, _ schema.Note) {
	d := doc.ForNote(codecs, t.space.Syntax, path).Parse(path, text)
	n := &d.Nodes[0]
	return cmp.Or(n.Type, t.space.Filing.Type(path)), schemas.Note(n)
}

func problemsOf(r schema.Result) (out []string) {
	for _, f := range r.Fields {
		if f.Problem != "" {
			out = append(out, f.Problem)
		}
	}
	return out
}
