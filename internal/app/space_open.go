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

// openRow opens a space for reading and writing its documents.
func (a *App) openRow(ctx context.Context, row int64) (*write.Space, error) {
	a.mu.Lock()
	s := a.open[row]
	a.mu.Unlock()
	if s != nil {
		return s, nil
	}
	all, err := a.spaces(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(s kb.Space) bool { return s.Row == row })
	if i < 0 {
		return nil, kb.Errorf(kb.NotFound, "the space is gone")
	}
	return a.openSpace(all[i])
}

func (a *App) openSpace(s kb.Space) (*write.Space, error) {
	pol, _, err := readPolicy(s)
	if err != nil {
		return nil, err
	}
	w := &write.Space{Space: s, Policy: pol, CheckPath: vault.CheckPath}
	if s.Kind == kb.DirectorySpace {
		d, err := fsys.OpenDir(s.Root)
		if err != nil {
			return nil, fsys.Explain(err, "open the directory of the space %s", s.Name)
		}
		w.Files = d
		w.CheckPath = checkPath(d)
		a.mu.Lock()
		a.dirs = append(a.dirs, d)
		a.mu.Unlock()
	}
	a.mu.Lock()
	a.open[s.Row] = w
	a.mu.Unlock()
	return w, nil
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
