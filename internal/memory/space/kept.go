package space

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
)

// AddKept creates a directory that cairn itself fills, and adds it as a space with
// its policy in the memory. For an existing space change returns the new policy,
// given the present one; nil means a new space.
func (r *Registry) AddKept(ctx context.Context, name, root string, change func(old []byte) ([]byte, error)) (api.Space, error) {
	if err := fsys.MakeDir(root); err != nil {
		return api.Space{}, fsys.Explain(err, "make %s", root)
	}
	root, err := r.realDir(root)
	if err != nil {
		return api.Space{}, err
	}
	s, known, err := r.byRoot(ctx, root)
	if err != nil {
		return api.Space{}, err
	}
	if !known {
		old, forgotten, err := r.forgottenHere(ctx, root)
		if err != nil {
			return api.Space{}, err
		}
		if s = old; !forgotten {
			s = kb.Space{Kind: kb.DirectorySpace, Root: root, Created: r.Now()}
			if s.ID, err = r.newDerivedID(ctx, root); err != nil {
				return api.Space{}, err
			}
		}
		if s.Name, err = r.freeName(ctx, "", "", name, s.Row); err != nil {
			return api.Space{}, err
		}
	}
	if s.Policy, err = change(s.Policy); err != nil {
		return api.Space{}, err
	}
	if err := r.save(ctx, &s); err != nil {
		return api.Space{}, err
	}
	return r.Show(ctx, s.Name)
}
