package doctor

import (
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/reconcile"
)

// Mended is the outcome of Mend for one check.
type Mended struct {
	Name  string `json:"name"`
	Fix   string `json:"fix"`
	Error string `json:"error,omitempty"` // reason of a failure; nothing was lost
	Hint  string `json:"hint,omitempty"`
}

// Mend performs the repairs in the checks' Fix, in order, and continues after a
// failure. It does not change documents, only permissions, settings, and rows
// derived from documents.
func Mend(ctx context.Context, sess *memory.Session, checks []api.Check) ([]Mended, error) {
	out := []Mended{}
	for _, c := range checks {
		if c.Mend == nil {
			continue
		}
		m := Mended{Name: c.Name, Fix: c.Fix}
		if err := c.Mend(ctx); err != nil {
			if ctx.Err() != nil {
				return out, err
			}
			e := kb.AsError(err)
			m.Error, m.Hint = e.Error(), sess.Hint.Of(e)
		}
		out = append(out, m)
	}
	return out, nil
}

// Fixable returns the checks that Mend can repair.
func Fixable(checks []api.Check) []api.Check {
	return slices.DeleteFunc(slices.Clone(checks), func(c api.Check) bool { return c.Mend == nil })
}

// tighten removes other users' permissions from the memory's files.
func tighten(loose []fsys.Loose) func(context.Context) error {
	return func(context.Context) error { return fsys.Explain(fsys.Tighten(loose), "change permissions") }
}

// syncSpace indexes what changed in one directory.
func syncSpace(sess *memory.Session, row int64) func(context.Context) error {
	return func(ctx context.Context) error {
		return syncDirectory(ctx, sess, row, reconcile.Options{})
	}
}

func syncDirectory(ctx context.Context, sess *memory.Session, row int64, opts reconcile.Options) error {
	space, err := sess.Spaces.Open(ctx, row)
	if err != nil {
		return err
	}
	_, err = sess.Syncer.Sync(ctx, space, opts)
	return err
}
