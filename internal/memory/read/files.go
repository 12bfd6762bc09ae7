package read

import (
	"context"
	"math"
	"slices"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
)

// Files lists the files in the directory of a space that are not pages, such as images and
// mails, by path. Hidden and ignored ones are left out; a database space has none.
func Files(ctx context.Context, sess *memory.Session, s kb.Space, wanted func(path string) bool) ([]vault.File, error) {
	w, err := sess.Spaces.OpenSpace(ctx, s)
	if err != nil || w.Files == nil {
		return nil, err
	}
	rules := sess.Rules()
	rules.Others, rules.MaxBytes = true, math.MaxInt64
	list, err := vault.Scan(ctx, w.Files, rules)
	if err != nil {
		return nil, fsys.Explain(err, "list %s", s.Name)
	}
	return slices.DeleteFunc(list.Files, func(f vault.File) bool { return !wanted(f.Path) }), nil
}
