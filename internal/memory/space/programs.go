package space

import (
	"context"
	"errors"
	"slices"

	"github.com/cairn-kb/cairn/internal/files/git"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// programsKey is the prefix of settings with the hash of the git.Programs that a person
// accepted for the repository of a space; the id of the space follows.
const programsKey = "accepted_programs."

// GitPart names the part of Waiting for the programs and remotes of a git repository.
const GitPart = "git"

// acceptedPrograms returns the hash of the git.Programs that a person accepted for the
// repository of a space, "" for none.
func (r *Registry) acceptedPrograms(ctx context.Context, id kb.ID) (hash string, err error) {
	err = r.DB.View(ctx, func(tx store.Tx) error {
		hash, err = tx.Settings().Get(ctx, programsKey+string(id))
		return err
	})
	return hash, err
}

// AcceptPrograms records that a person accepts the programs and remotes that the git
// repository of a space names now.
func (r *Registry) AcceptPrograms(ctx context.Context, s kb.Space) error {
	p, err := programs(ctx, s.Root)
	if err != nil {
		return err
	}
	return r.DB.Update(ctx, func(tx store.Tx) error { return tx.Settings().Set(ctx, programsKey+string(s.ID), p.Hash) })
}

// programs lists the programs and remotes that the repository of a directory names. A
// directory in no repository has none.
func programs(ctx context.Context, root string) (*git.Programs, error) {
	t := &git.Tree{Dir: root}
	repo, err := t.Open(ctx)
	if errors.Is(err, git.ErrNoRepository) {
		return &git.Programs{}, nil
	}
	if err != nil {
		return nil, err
	}
	return t.Programs(ctx, repo)
}

// waitingPrograms is the part that waits until a person accepts the programs and remotes
// of the space's repository, nil for none. Only a space that commits runs any.
func (r *Registry) waitingPrograms(ctx context.Context, s kb.Space, pol *policy.Policy) *kb.PolicyPart {
	guards := pol != nil && (pol.Guard.Commit || slices.ContainsFunc(pol.Waiting, func(p kb.PolicyPart) bool { return p.Name == "guard" }))
	if !guards {
		return nil
	}
	// An error is reported where the repository is used.
	p, err := programs(ctx, s.Root)
	if err != nil || p.Hash == "" {
		return nil
	}
	if hash, err := r.acceptedPrograms(ctx, s.ID); err != nil || hash == p.Hash {
		return nil
	}
	return &kb.PolicyPart{Name: GitPart, Does: "run the programs and contact the remotes that the git repository names: " + p.String()}
}
