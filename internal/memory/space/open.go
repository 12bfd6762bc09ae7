package space

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// OpenNamed opens the space of a name.
func (r *Registry) OpenNamed(ctx context.Context, name string) (*write.Space, error) {
	s, err := r.ByName(ctx, name)
	if err != nil {
		return nil, err
	}
	return r.OpenSpace(ctx, s)
}

// openRoot opens the directory of a space.
func openRoot(s kb.Space) (*fsys.Dir, error) {
	dir, err := fsys.OpenDir(s.Root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, write.Vanished(s)
	}
	return dir, fsys.Explain(err, "open the directory of the space %s", s.Name)
}

// maxPolicy bounds a policy file, in bytes: a hundred times the longest preset.
const maxPolicy = 1 << 20

// Policy returns a space's policy and its text. files is the space's directory; nil
// opens it temporarily. Missing values may come from the configuration.
func (r *Registry) Policy(ctx context.Context, s kb.Space, files fsys.FS) (*policy.Policy, []byte, error) {
	p, text, _, err := layered(ctx, r, s, files)
	return p, text, err
}

// layered is Policy with the defaults of the configuration.
func layered(ctx context.Context, r *Registry, s kb.Space, files fsys.FS) (_ *policy.Policy, text, defaults []byte, err error) {
	if s.Kind == kb.RemoteSpace {
		return r.remotePolicy(s)
	}
	text = s.Policy
	if text == nil {
		if files == nil {
			dir, err := openRoot(s)
			if err != nil {
				return nil, nil, nil, err
			}
			defer func() { err = errors.Join(err, dir.Close()) }()
			files = r.files(dir)
		}
		if text, err = policyFile(ctx, files, s.Root); err != nil {
			return nil, nil, nil, err
		}
		if text == nil {
			return nil, nil, nil, missingPolicy(ctx, s, files)
		}
	}
	cfg, err := Load(r.Place)
	if err != nil {
		return nil, bytes.Clone(text), nil, err
	}
	p, err := r.Handles.parse(s, cfg.Defaults(), text)
	return p, bytes.Clone(text), cfg.Defaults(), err
}

// remotePolicy returns the known policy of a directory on another machine: the
// accepted one. It has no effects here.
func (r *Registry) remotePolicy(s kb.Space) (_ *policy.Policy, text, defaults []byte, err error) {
	if text = s.Policy; text == nil {
		text = s.Accepted
	}
	if text == nil {
		if text, err = policyText(defaultPreset, "", ""); err != nil {
			return nil, nil, nil, err
		}
	}
	s.Policy, s.Accepted = nil, nil
	p, err := r.Handles.parse(s, nil, text)
	if err != nil {
		return nil, bytes.Clone(text), nil, err
	}
	p.Waiting = nil
	return p, bytes.Clone(text), nil, nil
}

// inherited returns the keys of a policy that come from the defaults.
func inherited(defaults, text []byte) (out []string) {
	from := Leaves(policy.Unsaid(defaults, text))
	for _, key := range slices.Sorted(maps.Keys(from)) {
		out = append(out, key+" = "+from[key])
	}
	return out
}

// policyFile reads the policy in a directory, nil without one.
func policyFile(ctx context.Context, files fsys.FS, root string) ([]byte, error) {
	text, _, err := fsys.ReadFile(ctx, files, policy.FileName, maxPolicy)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, fsys.Explain(err, "read %s", filepath.Join(root, policy.FileName))
}

// missingPolicy distinguishes a directory without its policy from an empty one.
func missingPolicy(ctx context.Context, s kb.Space, files fsys.FS) error {
	if err := (&write.Space{Space: s, Files: files}).Present(); err != nil {
		return err
	}
	return kb.Errorf(kb.Invalid, "the policy of %s is missing: %s does not exist", s.Name, filepath.Join(s.Root, policy.FileName)).
		WithHint("Nothing was changed.").WithReason(kb.PolicyMissing).WithFact("root", s.Root)
}

// opened is an open space with the inputs that it was opened with.
type opened struct {
	space  *write.Space
	policy []byte
	dir    *fsys.Dir // nil in a database space
}

// Open opens the space of a row, if the caller may use it; see OpenSpace.
func (r *Registry) Open(ctx context.Context, row int64) (*write.Space, error) {
	all, err := r.All(ctx)
	if err != nil {
		return nil, err
	}
	return r.openRow(ctx, all, row)
}

// OpenTx is Open within a transaction.
func (r *Registry) OpenTx(ctx context.Context, tx store.Tx, row int64) (*write.Space, error) {
	all, err := r.AllTx(ctx, tx)
	if err != nil {
		return nil, err
	}
	return r.openRow(ctx, all, row)
}

func (r *Registry) openRow(ctx context.Context, all []kb.Space, row int64) (*write.Space, error) {
	i := slices.IndexFunc(all, func(s kb.Space) bool { return s.Row == row })
	if i < 0 {
		return nil, kb.Errorf(kb.NotFound, "the space is gone")
	}
	if err := inPin(r, all, all[i]); err != nil {
		return nil, err
	}
	return r.OpenSpace(ctx, all[i])
}

// OpenSpace opens a space, given its present row, for reading and writing its
// documents, or returns the open one if it is still valid. Another process may have
// renamed or removed the space, its policy may have been edited, and another
// directory may have replaced its own.
func (r *Registry) OpenSpace(ctx context.Context, s kb.Space) (*write.Space, error) {
	var nested []nesting
	if s.Kind == kb.DirectorySpace {
		known := false
		if nested, known = r.Handles.nested(s); !known {
			if _, err := r.All(ctx); err != nil {
				return nil, err
			}
			nested, _ = r.Handles.nested(s)
		}
	}
	r.Handles.mu.Lock()
	defer r.Handles.mu.Unlock()
	space, err := r.openOne(ctx, s)
	if err != nil {
		return nil, err
	}
	return r.withAround(ctx, space, nested)
}

// openOne opens a space without those around it. The caller holds the lock of the
// handles.
func (r *Registry) openOne(ctx context.Context, s kb.Space) (_ *write.Space, err error) {
	have, files := r.Handles.spaces[s.Row], fsys.FS(nil)
	if have != nil && have.dir != nil && !isDir(have.dir, s.Root) {
		have = nil // its handle stays open for its users, until Close
	}
	next := &opened{space: &write.Space{Space: s, CheckPath: vault.CheckPath, Now: r.Now}}
	if s.Kind == kb.DirectorySpace {
		if have != nil {
			next.dir = have.dir
		} else if next.dir, err = openRoot(s); err != nil {
			return nil, err
		} else {
			r.Handles.dirs = append(r.Handles.dirs, next.dir)
		}
		files = r.files(next.dir)
		next.space.Accepted = func(ctx context.Context, part string) ([]string, error) { return r.acceptedHashes(ctx, s.ID, part) }
		next.space.Files = files
		next.space.CheckPath = checkPath(files)
	}
	var defaults []byte
	if next.space.Policy, next.policy, defaults, err = layered(ctx, r, s, files); err != nil {
		return nil, err
	}
	syntax, err := written(ctx, next.space.Policy, files)
	if err != nil {
		return nil, err
	}
	next.policy = bytes.Join([][]byte{next.policy, defaults, s.Accepted, []byte(syntax)}, []byte{0}) // a byte that TOML cannot contain
	if err := elsewhere(s, next.space.Policy); err != nil {
		return nil, err
	}
	if have != nil && same(have.space.Space, s) && bytes.Equal(have.policy, next.policy) {
		return have.space, nil
	}
	next.space.Syntax, next.space.Filing = syntax, next.space.Policy.Filing()
	if s.Kind == kb.RemoteSpace { // as its host reads it
		next.space.Syntax, next.space.Filing = s.Syntax, s.Filing
	}
	r.Handles.spaces[s.Row] = next
	return next.space, nil
}

// same reports whether two rows of a space are equal, ignoring sync times.
func same(x, y kb.Space) bool {
	return x.ID == y.ID && x.Name == y.Name && x.Kind == y.Kind && x.Root == y.Root && x.Host == y.Host
}

// isDir reports whether d is the directory now at a path.
func isDir(d *fsys.Dir, path string) bool {
	now, err := os.Stat(path)
	if err != nil {
		return false
	}
	was, err := d.Lstat(".")
	return err == nil && os.SameFile(was, now)
}

// checkPath rejects new pages that a sync would not find.
func checkPath(d fsys.FS) func(string) error {
	m := vault.NewMatcher(d, false)
	return func(p string) error {
		if err := vault.CheckPath(p); err != nil {
			return err
		}
		m.Forget()
		rule, err := m.Ignored(context.Background(), p, false)
		if err != nil {
			return fsys.Explain(err, "read the ignore files")
		}
		if rule != nil {
			return kb.Errorf(kb.Refused, "%s is ignored by %q in line %d of %s", p, rule.Pattern, rule.Line, rule.File).
				WithHint("A page there would not be found. Choose another path, or change the ignore file.")
		}
		return nil
	}
}
