package read

import (
	"context"
	"math"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
)

// Files lists the files in a directory of a space that are not pages, such as
// images and mails, by path, down to a number of levels; "" is the root of the
// space, 0 all levels. Hidden and ignored files are left out; a database space has
// none.
func Files(ctx context.Context, sess *memory.Session, s kb.Space, dir string, depth int) (*vault.Listing, error) {
	w, err := sess.Spaces.OpenSpace(ctx, s)
	if err != nil || w.Files == nil {
		return &vault.Listing{}, err
	}
	rules := sess.Rules()
	rules.Others, rules.MaxBytes, rules.Below, rules.Depth = true, math.MaxInt64, dir, depth
	list, err := vault.Scan(ctx, w.Files, rules)
	if err != nil {
		return nil, fsys.Explain(err, "list %s", s.Name)
	}
	return list, nil
}
