package app

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/cairn-kb/cairn/internal/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/vault"
	"github.com/cairn-kb/cairn/internal/write"
)

// readPolicy returns a space's policy and its text.
func readPolicy(s kb.Space) (*policy.Policy, []byte, error) {
	text := s.Policy
	if text == nil {
		var err error
		name := filepath.Join(s.Root, policy.FileName)
		if text, err = os.ReadFile(name); errors.Is(err, fs.ErrNotExist) {
			return nil, nil, kb.Errorf(kb.Invalid, "the policy of %s is missing: there is no %s", s.Name, name).
				WithHint("Put the file back, or add the space again: cairn space add %s", s.Root)
		} else if err != nil {
			return nil, nil, fsys.Explain(err, "read %s", name)
		}
	}
	p, err := policy.Parse(text)
	return p, bytes.Clone(text), err
}

// opened is a space that is open, with what it was opened by.
type opened struct {
	space  *write.Space
	policy []byte
	dir    *fsys.Dir // nil in a database space
}

// openRow opens a space for reading and writing its documents, or returns the
// one that is open if it is still as it was: another process may have renamed
// or removed the space, somebody may have edited its policy, and another
// directory may lie where its own was.
func (a *App) openRow(ctx context.Context, row int64) (*write.Space, error) {
	all, err := a.spaces(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(s kb.Space) bool { return s.Row == row })
	if i < 0 {
		return nil, kb.Errorf(kb.NotFound, "the space is gone")
	}
	pol, text, err := readPolicy(all[i])
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	have := a.open[row]
	if have != nil && have.dir != nil && !isDir(have.dir, all[i].Root) {
		have = nil // its handle stays open for those who work with it, until Close
	}
	if have != nil && same(have.space.Space, all[i]) && bytes.Equal(have.policy, text) {
		return have.space, nil
	}
	next := &opened{policy: text, space: &write.Space{Space: all[i], Policy: pol, CheckPath: vault.CheckPath}}
	if all[i].Kind == kb.DirectorySpace {
		if have != nil {
			next.dir = have.dir
		} else if next.dir, err = fsys.OpenDir(all[i].Root); err != nil {
			return nil, fsys.Explain(err, "open the directory of the space %s", all[i].Name)
		} else {
			a.dirs = append(a.dirs, next.dir)
		}
		next.space.Files = next.dir
		next.space.CheckPath = checkPath(next.dir)
	}
	a.open[row] = next
	return next.space, nil
}

// same reports whether a space is what it was, but for when it was synced.
func same(x, y kb.Space) bool {
	return x.ID == y.ID && x.Name == y.Name && x.Kind == y.Kind && x.Root == y.Root
}

// isDir reports whether d is the directory that is found at a path now.
func isDir(d *fsys.Dir, path string) bool {
	now, err := os.Stat(path)
	if err != nil {
		return false
	}
	was, err := d.Lstat(".")
	return err == nil && os.SameFile(was, now)
}

// checkPath refuses new pages where a sync would not find them.
func checkPath(d *fsys.Dir) func(string) error {
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
