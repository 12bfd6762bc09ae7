package write

import (
	"context"
	"fmt"
	"os"
	"path"
	"strings"

	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
)

// Around is another space that holds files of a space: its directory is inside or
// above that of the space. Its rules bind these files, too.
type Around struct {
	Space *Space // nil if it cannot be opened; its own Around is not used
	Name  string
	Err   error // why it cannot be opened

	Above string // directory of the space in the other one, "" if that is not above it
	Below string // directory of the other one in the space, "" if that is not inside it
}

// at returns the path in the other space of a file of space; ok is false when the other
// space does not hold it: the file is elsewhere, hidden there, or left out by an ignore
// file.
func (a Around) at(space *Space, name string) (at string, ok bool) {
	at = path.Join(a.Above, name)
	if a.Below != "" {
		if at, ok = below(space, name, a.Below); !ok {
			return "", false
		}
	}
	if a.Space == nil {
		return at, true
	}
	if vault.Hidden(at) {
		return "", false
	}
	rule, err := vault.NewMatcher(a.Space.Files, false).Ignored(context.Background(), at, false)
	return at, rule == nil || err != nil
}

// below returns a path in space relative to one of its directories. On a file system
// that folds case, the directory may be spelled in another way.
func below(space *Space, name, dir string) (rel string, ok bool) {
	if rel, ok = strings.CutPrefix(name, dir+"/"); ok {
		return rel, true
	}
	elements, n := strings.Split(name, "/"), strings.Count(dir, "/")+1
	if len(elements) <= n {
		return "", false
	}
	spelled := strings.Join(elements[:n], "/")
	if kb.FoldPath(spelled) != kb.FoldPath(dir) {
		return "", false
	}
	own, err := space.Files.Lstat(dir)
	if err != nil {
		return "", false
	}
	there, err := space.Files.Lstat(spelled)
	return strings.Join(elements[n:], "/"), err == nil && os.SameFile(own, there)
}

// Check is policy.Policy.Check by the rules of every space that holds the file, as
// changes of documents are checked.
func (s *Space) Check(r policy.Request) error {
	if err := s.Policy.Check(r); err != nil {
		return err
	}
	for _, a := range s.Around {
		at, ok := a.at(s, r.Path)
		if !ok {
			continue
		}
		if a.Err != nil {
			return a.unread()
		}
		other := r
		other.Path = at
		if err := a.Space.Policy.Check(other); err != nil {
			return a.by(at, err)
		}
	}
	return nil
}

// checkMove is Check for a document that gets another path. One that leaves another
// space is deleted there, and one that comes into it is created.
func (s *Space) checkMove(r policy.Request, to string) error {
	there := r
	there.Operation, there.Path, there.Metadata = policy.OpCreate, to, nil
	if err := s.Policy.Check(there); err != nil {
		return err
	}
	if err := s.Policy.Check(r); err != nil {
		return err
	}
	for _, a := range s.Around {
		from, was := a.at(s, r.Path)
		at, is := a.at(s, to)
		if !was && !is {
			continue
		}
		if a.Err != nil {
			return a.unread()
		}
		ask := func(op policy.Operation, path string, metadata func() map[string][]string) error {
			return a.by(path, a.Space.Policy.Check(policy.Request{Actor: r.Actor, Operation: op, Path: path, Metadata: metadata}))
		}
		var err error
		if is {
			err = ask(policy.OpCreate, at, nil)
		}
		if was && err == nil {
			err = ask(policy.OpMove, from, r.Metadata)
		}
		if was && !is && err == nil {
			err = ask(policy.OpDelete, from, r.Metadata)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// unread refuses a change that cannot be checked.
func (a Around) unread() error {
	return kb.Errorf(kb.Refused, "the rules of the space %s, which holds this file, too, cannot be read: %w", a.Name, a.Err).
		WithHint("Nothing was changed.").With("space", a.Name)
}

// by adds to an error the space that has the rules, and the path of the file there.
func (a Around) by(at string, err error) error {
	if err == nil {
		return nil
	}
	e := *kb.AsError(err)
	if e.Code != kb.Refused && e.Code != kb.Invalid && e.Code != kb.Secret {
		return err
	}
	e.Message = fmt.Sprintf("%s (by the rules of the space %s, which holds this file as %s)", e.Message, a.Name, at)
	return e.With("space", a.Name)
}

// view is a document as another space that holds it has it: before, after, or both.
type view struct {
	*target
	in Around
}

// views returns a document as each other space has it that holds it before or after the
// change.
func (t *target) views() (out []view, err error) {
	for _, a := range t.space.Around {
		from, was := a.at(t.space, t.path)
		to, is := a.at(t.space, t.to)
		was, is = was && t.exists(), is && !t.gone
		if !was && !is {
			continue
		}
		if a.Err != nil {
			return nil, a.unread()
		}
		v := *t
		v.space, v.path, v.to = a.Space, from, to
		switch {
		case !was:
			v.path, v.row, v.old = to, nil, nil
		case !is:
			v.to, v.gone = from, true
		}
		out = append(out, view{&v, a})
	}
	return out, nil
}

// judge runs a check of a document by the rules of its space and of the others that hold
// it. The check may change the text and add notes.
func (t *target) judge(check func(*target) error) error {
	if err := check(t); err != nil || len(t.space.Around) == 0 {
		return err
	}
	views, err := t.views()
	if err != nil {
		return err
	}
	for _, v := range views {
		v.new, v.notes = t.new, t.notes
		if err := check(v.target); err != nil {
			return v.in.by(v.to, err)
		}
		t.new, t.notes = v.new, v.notes
	}
	return nil
}

// docsIn returns the documents of the set as a space has them.
func (s *changeSet) docsIn(space *Space) (out []*target, err error) {
	for _, t := range s.docs {
		if t.space.Row == space.Row {
			out = append(out, t)
			continue
		}
		views, err := t.views()
		if err != nil {
			return nil, err
		}
		for _, v := range views {
			if v.space.Row == space.Row {
				out = append(out, v.target)
			}
		}
	}
	return out, nil
}
