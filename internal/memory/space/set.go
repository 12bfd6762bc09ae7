package space

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// SetRequest changes one setting of a space's policy.
type SetRequest struct {
	Name   string // of the space; "" for the current one
	Key    string // one of policy.Keys
	Value  string
	Unset  bool // remove the setting; Value is ignored
	DryRun bool
}

// Set changes one setting of a space's policy, in the file of its directory or in
// the memory, and keeps every other byte. Setting the present value writes nothing.
// The errors are those of policy.Set; a folder that cannot contain pages is
// kb.Invalid or kb.Refused.
func (r *Registry) Set(ctx context.Context, req SetRequest) (_ api.Space, err error) {
	if err := PersonOnly(r.Actor, "space set "+req.Key+" VALUE --space "+req.Name, "change the policy of a space"); err != nil {
		return api.Space{}, err
	}
	s, err := toSet(ctx, r, req.Name)
	if err != nil {
		return api.Space{}, err
	}
	if !req.DryRun {
		unlock, err := r.Lock(ctx, s)
		if err != nil {
			return api.Space{}, err
		}
		defer func() { err = errors.Join(err, unlock()) }()
	}
	pol, old, err := r.Policy(ctx, s, nil)
	if err != nil {
		return api.Space{}, err
	}
	if err := elsewhere(s, pol); err != nil {
		return api.Space{}, err
	}
	text, err := withSetting(ctx, r, s, old, req)
	if err != nil {
		return api.Space{}, err
	}
	was := pol.Written()
	if pol, err = policy.Parse(text); err != nil {
		return api.Space{}, err
	}
	if !req.DryRun && string(text) != string(old) {
		if pol.Written() != was {
			s.Derivation = 0 // no other check triggers it for a database space
		}
		if s, pol, err = changePolicy(ctx, r, s, old, text, r.acceptChange); err != nil {
			return api.Space{}, err
		}
	}
	return r.shown(ctx, s, pol, text)
}

func toSet(ctx context.Context, r *Registry, name string) (kb.Space, error) {
	if name == "" {
		return r.Current(ctx)
	}
	return r.ByName(ctx, name)
}

// withSetting returns the text of a policy with the requested change.
func withSetting(ctx context.Context, r *Registry, s kb.Space, text []byte, req SetRequest) ([]byte, error) {
	if req.Key == "timezone" { // in any spelling that people use
		req.Key = "time_zone"
	}
	if req.Unset {
		return policy.Unset(text, req.Key)
	}
	if req.Key == "folder" {
		req.Value = strings.TrimSuffix(req.Value, "/")
		if err := checkFolder(ctx, r, s, req.Value); err != nil {
			return nil, err
		}
	}
	return policy.Set(text, req.Key, req.Value)
}

// checkFolder rejects a folder in which no page can be created.
func checkFolder(ctx context.Context, r *Registry, s kb.Space, folder string) error {
	page := path.Join(folder, "page.md")
	if folder != "" && path.Dir(page) != folder {
		return kb.Errorf(kb.Invalid, "%q is not a valid folder of a space", folder).
			WithHint("Give it from the root of the space downwards, such as notes/inbox.")
	}
	if s.Kind != kb.DirectorySpace {
		return vault.CheckPath(page)
	}
	open, err := r.OpenSpace(ctx, s)
	if err != nil {
		return err
	}
	return open.CheckPath(page)
}

// changePolicy stores the policy of a space, calls accept to record the person's
// acceptance of it, and returns the space and its new policy.
func changePolicy(ctx context.Context, r *Registry, s kb.Space, old, text []byte, accept func(_ context.Context, s kb.Space, old, text []byte) error) (kb.Space, *policy.Policy, error) {
	if err := storePolicy(ctx, r, s, old, text); err != nil {
		return s, nil, err
	}
	if err := accept(ctx, s, old, text); err != nil {
		return s, nil, err
	}
	s, err := r.ByName(ctx, s.Name)
	if err != nil {
		return s, nil, err
	}
	pol, _, err := r.Policy(ctx, s, nil)
	return s, pol, err
}

// storePolicy writes a space's policy to its location. The file must be unchanged
// since it was read.
func storePolicy(ctx context.Context, r *Registry, s kb.Space, old, text []byte) (err error) {
	if err := write.Here(s); err != nil {
		return err
	}
	if s.Policy != nil {
		s.Policy = text
		return r.DB.Update(ctx, func(tx store.Tx) error { return tx.Spaces().Update(ctx, s) })
	}
	dir, err := openRoot(s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	err = fsys.WriteAtomic(ctx, r.files(dir), policy.FileName, text, fsys.Unchanged(old), fsys.WriteOptions{})
	if err != nil {
		return fsys.Explain(err, "write %s", filepath.Join(s.Root, policy.FileName))
	}
	return AddLines(ctx, r, s.Root, vault.IgnoreFile, newlyOutside(old, text))
}

// newlyOutside returns the additional lines of an ignore file that another policy
// needs, for example for other names of index files. Lines that were removed by
// somebody are not added again.
func newlyOutside(old, text []byte) []string {
	is, err := policy.Parse(text)
	if err != nil {
		return nil // storing it reports the error
	}
	lines := is.Outside()
	if was, err := policy.Parse(old); err == nil {
		lines = slices.DeleteFunc(lines, func(l string) bool { return slices.Contains(was.Outside(), l) })
	}
	return lines
}
