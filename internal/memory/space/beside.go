package space

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/git"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// beside lists the files with effects in the directory of a space, apart from its
// policy. They have no effect until a person accepts their present bytes, by hash.
var beside = []struct {
	part string // its name in Waiting
	key  string // prefix of the settings key for the accepted hashes, separated by spaces; the id of the space follows
	does string
	find func(ctx context.Context, r *Registry, s kb.Space, pol *policy.Policy) ([]found, error)
}{
	{kb.GitPart, "accepted_programs.", "run the programs and contact the remotes that the git repository names: ", findPrograms},
	{kb.TemplatesPart, "accepted_templates.", "make new pages of its templates: ", findTemplates},
	{kb.PrimePart, "accepted_prime.", "begin the sessions of agents in the directory with its text", findPrime},
}

// found is one such file in its present state.
type found struct{ name, hash string }

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// acceptedHashes returns the accepted hashes of a part for the directory of a
// space.
func (r *Registry) acceptedHashes(ctx context.Context, id kb.ID, part string) (hashes []string, err error) {
	err = r.DB.View(ctx, func(tx store.Tx) error {
		hashes, err = hashesIn(ctx, tx, id, part)
		return err
	})
	return hashes, err
}

func hashesIn(ctx context.Context, tx store.Tx, id kb.ID, part string) ([]string, error) {
	had, err := tx.Settings().Get(ctx, besideKey(id, part))
	return strings.Fields(had), err
}

// setHashes accepts a part in its present state.
func setHashes(ctx context.Context, tx store.Tx, id kb.ID, part string, all []found) error {
	var hashes []string
	for _, f := range all {
		hashes = append(hashes, f.hash)
	}
	return tx.Settings().Set(ctx, besideKey(id, part), strings.Join(hashes, " "))
}

func besideKey(id kb.ID, part string) string {
	for _, b := range beside {
		if b.part == part {
			return b.key + string(id)
		}
	}
	panic("space: no part " + part) // they are constants
}

// acceptBeside accepts the files with effects in a directory, apart from its
// policy.
func (r *Registry) acceptBeside(ctx context.Context, s kb.Space) error {
	pol, _, _ := r.Policy(ctx, s, nil) // an error is reported on use
	for _, b := range beside {
		all, err := b.find(ctx, r, s, pol)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			continue
		}
		if err := r.DB.Update(ctx, func(tx store.Tx) error { return setHashes(ctx, tx, s.ID, b.part, all) }); err != nil {
			return err
		}
	}
	return nil
}

// unaccept removes a person's acceptance for the directory of a space, apart from
// its policy.
func unaccept(ctx context.Context, tx store.Tx, s kb.Space) (err error) {
	for _, b := range beside {
		err = errors.Join(err, setHashes(ctx, tx, s.ID, b.part, nil))
	}
	return err
}

// Waiting lists the parts of a space's directory without effect until a person
// accepts them: parts of its policy, the programs of its repository, templates, and
// PRIME.md.
func (r *Registry) Waiting(ctx context.Context, s kb.Space, pol *policy.Policy) (out []kb.PolicyPart) {
	if pol != nil {
		out = slices.Clone(pol.Waiting)
	}
	if s.Kind != kb.DirectorySpace {
		return out
	}
	for _, b := range beside {
		all, err := b.find(ctx, r, s, pol)
		if err != nil || len(all) == 0 {
			continue // an error is reported on use
		}
		accepted, err := r.acceptedHashes(ctx, s.ID, b.part)
		var names []string
		for _, f := range all {
			if err == nil && !slices.Contains(accepted, f.hash) {
				names = append(names, f.name)
			}
		}
		if len(names) > 0 {
			out = append(out, kb.PolicyPart{Name: b.part, Does: b.does + strings.Join(names, ", ")})
		}
	}
	return out
}

// AcceptPrograms records that a person accepts the present programs and remotes of
// a space's git repository.
func (r *Registry) AcceptPrograms(ctx context.Context, s kb.Space) error {
	all, err := programs(ctx, s.Root)
	if err != nil {
		return err
	}
	return r.DB.Update(ctx, func(tx store.Tx) error { return setHashes(ctx, tx, s.ID, kb.GitPart, all) })
}

// programs returns the programs and remotes configured in the repository of a
// directory, as one entry. A directory without a repository has none.
func programs(ctx context.Context, root string) ([]found, error) {
	t := &git.Tree{Dir: root}
	repo, err := t.Open(ctx)
	if errors.Is(err, git.ErrNoRepository) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	p, err := t.Programs(ctx, repo)
	if err != nil || p.Hash == "" {
		return nil, err
	}
	return []found{{p.String(), p.Hash}}, nil
}

// findPrograms is programs for a space that commits; other spaces run none.
func findPrograms(ctx context.Context, _ *Registry, s kb.Space, pol *policy.Policy) ([]found, error) {
	if pol == nil || !pol.Guard.Commit && !slices.ContainsFunc(pol.Waiting, func(p kb.PolicyPart) bool { return p.Name == "guard" }) {
		return nil, nil
	}
	all, _ := programs(ctx, s.Root) // an error is reported when the repository is used
	return all, nil
}

// findTemplates finds the templates of a space that may not be open.
func findTemplates(ctx context.Context, r *Registry, s kb.Space, _ *policy.Policy) (out []found, err error) {
	d, err := fsys.OpenDir(s.Root)
	if err != nil {
		return nil, fsys.Explain(err, "open %s", s.Root)
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	all, err := Templates(ctx, &write.Space{Files: r.files(d)})
	for _, t := range all {
		out = append(out, t.found())
	}
	return out, err
}

func findPrime(ctx context.Context, r *Registry, s kb.Space, _ *policy.Policy) ([]found, error) {
	text, err := r.readPrime(ctx, s.Root)
	if err != nil || text == nil {
		return nil, err
	}
	return []found{{"", hashOf(text)}}, nil
}

// Prime reads the PRIME.md of a directory, nil for none. accepted reports whether
// the directory is the root of a space and a person accepted this text there.
func (r *Registry) Prime(ctx context.Context, dir string) (text []byte, accepted bool, err error) {
	if text, err = r.readPrime(ctx, dir); err != nil || text == nil {
		return nil, false, err
	}
	roots := pathsOf(dir)
	err = r.DB.View(ctx, func(tx store.Tx) error {
		all, err := tx.Spaces().All(ctx)
		if err != nil {
			return err
		}
		for _, s := range all {
			if s.Root == "" || !slices.Contains(roots, s.Root) {
				continue
			}
			had, err := hashesIn(ctx, tx, s.ID, kb.PrimePart)
			if err != nil {
				return err
			}
			accepted = accepted || slices.Contains(had, hashOf(text))
		}
		return nil
	})
	return text, accepted, err
}

// readPrime reads the PRIME.md of a directory, nil for none.
func (r *Registry) readPrime(ctx context.Context, dir string) (text []byte, err error) {
	d, err := fsys.OpenDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // the working directory was removed
	}
	if err != nil {
		return nil, fsys.Explain(err, "open %s", dir)
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	text, _, err = fsys.ReadFile(ctx, r.files(d), policy.PrimeFile, policy.MaxPrimeFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if text == nil && err == nil {
		text = []byte{} // a blank file is not a missing one
	}
	return text, fsys.Explain(err, "read %s", filepath.Join(dir, policy.PrimeFile))
}
