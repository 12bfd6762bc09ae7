package space

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// MoveHostRequest asks for this machine to write and sync a space with a directory
// on another machine.
type MoveHostRequest struct {
	Name   string
	Root   string // directory here; "" for the same path as on the other machine
	DryRun bool
}

// MoveHost makes this machine the host of a space. The directory here must have all
// documents of the space with the same bytes, and there must be no unfinished write
// in the other directory.
func (r *Registry) MoveHost(ctx context.Context, req MoveHostRequest) (_ api.Space, err error) {
	if err := PersonOnly(r.Actor, "space move-host "+req.Name, "move a space to another machine"); err != nil {
		return api.Space{}, err
	}
	s, err := r.ByName(ctx, req.Name)
	if err != nil {
		return api.Space{}, err
	}
	unlock, err := r.Lock(ctx, s)
	if err != nil {
		return api.Space{}, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if s, err = r.ByName(ctx, req.Name); err != nil { // it may have been moved already
		return api.Space{}, err
	}
	switch {
	case s.Kind != kb.RemoteSpace:
		return api.Space{}, kb.Errorf(kb.Usage, "no other machine has a directory of the space %s", s.Name).WithHint("Nothing was changed.")
	case r.Place.ThisHost() == "":
		return api.Space{}, kb.Errorf(kb.Usage, "the name of this machine is unknown").WithHint("Nothing was changed. Name it with CAIRN_HOST.")
	}
	there := s
	if s.Root, err = r.realDir(cmp.Or(req.Root, s.There)); err != nil {
		return api.Space{}, err
	}
	if err := r.agrees(ctx, s); err != nil {
		return api.Space{}, err
	}
	s.Kind, s.Host, s.There = kb.DirectorySpace, r.Place.ThisHost(), ""
	if !req.DryRun {
		if err := r.DB.Update(ctx, func(tx store.Tx) error { return tx.Spaces().Update(ctx, s) }); err != nil {
			return api.Space{}, err
		}
	}
	out, err := r.Describe(ctx, s)
	out.Notes = notes(fmt.Sprintf("%s was in %s on %s", s.Name, there.There, there.Host))
	return out, err
}

// agrees fails unless the directory at the Root of a space matches its host's: with
// the same policy file and documents, and without unfinished writes.
func (r *Registry) agrees(ctx context.Context, s kb.Space) (err error) {
	if other, known, err := r.byRoot(ctx, s.Root); err != nil {
		return err
	} else if known {
		return kb.Errorf(kb.Conflict, "%s belongs to the space %s", s.Root, other.Name).WithHint("Nothing was changed.")
	}
	text, err := r.policyOf(ctx, s.Root)
	if err != nil {
		return err
	}
	if s.Policy == nil && writtenID(text) != s.Origin {
		return kb.Errorf(kb.Conflict, "the policy file in %s is not that of the space %s", s.Root, s.Name).
			WithHint("Nothing was changed. Copy the whole directory, with .cairn/space.toml.")
	}
	var states []store.FileState
	unfinished := false
	if err := r.DB.View(ctx, func(tx store.Tx) error {
		if states, err = tx.Documents().States(ctx, s.Row); err != nil {
			return err
		}
		unfinished, err = write.Unfinished(ctx, tx, s.Row)
		return err
	}); err != nil {
		return err
	}
	if unfinished {
		return kb.Errorf(kb.Conflict, "a write to the space %s is unfinished on the host %s", s.Name, s.Host).
			WithHint("Nothing was changed. The next command there finishes it.")
	}
	dir, err := fsys.OpenDir(s.Root)
	if err != nil {
		return fsys.Explain(err, "open %s", s.Root)
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	files, differ := r.files(dir), []string{}
	for _, f := range states {
		same, err := sameDocument(ctx, files, f)
		if err != nil {
			return err
		}
		if !same {
			differ = append(differ, f.Path)
		}
	}
	if n := len(differ); n > 0 {
		return kb.Errorf(kb.Conflict, "%s is not as the space %s was indexed: %s, such as %s", s.Root, s.Name, api.Plural(n, "other document"), differ[0]).
			WithHint("Nothing was changed. Sync the space on %s, and copy its directory here again.", s.Host).With("documents", n)
	}
	return nil
}

// sameDocument reports whether a file and its sidecar have the indexed bytes.
func sameDocument(ctx context.Context, files fsys.FS, f store.FileState) (bool, error) {
	text, _, err := fsys.ReadFile(ctx, files, f.Path, write.MaxDocument)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil || index.Hash(text) != f.Hash {
		return false, nil
	}
	side, err := write.Beside(ctx, files, f.Path)
	return err == nil && side.Hash() == f.Side.Hash, ctx.Err()
}
