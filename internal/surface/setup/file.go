package setup

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
)

// maxFile is the largest configuration that is read, in bytes. Claude Code
// keeps more than settings in its file, so it can be large.
const maxFile = 64 << 20

// file is one file as it is now.
type file struct {
	root  string // an existing directory
	name  string // below root, with slashes
	text  []byte
	there bool
	perm  fs.FileMode
	// backups are the copies next to it, the oldest first, and free is the next
	// name.
	backups []backup
	free    string
}

// load reads a file and the copies next to it. Links are followed, so that
// writes go to the person's own file, and the link stays.
func load(ctx context.Context, p string) (f file, err error) {
	if f.root, f.name, err = locate(p); err != nil {
		return f, err
	}
	d, err := fsys.OpenDir(f.root)
	if err != nil {
		return f, fsys.Explain(err, "open %s", f.root)
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	text, info, err := read(ctx, d, f.name)
	if err != nil {
		return f, fsys.Explain(err, "read %s", p)
	}
	f.text, f.there = text, info != nil
	if f.there {
		f.perm = info.Mode().Perm()
	}
	f.backups, f.free, err = backups(ctx, d, f.name)
	return f, fsys.Explain(err, "read the copies of %s", p)
}

// read returns nil twice for a file that is not there.
func read(ctx context.Context, d fsys.FS, name string) ([]byte, fs.FileInfo, error) {
	text, info, err := fsys.ReadFile(ctx, d, name, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	return text, info, err
}

// locate splits a path, with links resolved, into the deepest existing
// directory and the rest.
func locate(p string) (root, name string, err error) {
	for rest := ""; ; {
		real, err := filepath.EvalSymlinks(p)
		switch {
		case err == nil && rest == "":
			return filepath.Dir(real), filepath.Base(real), nil
		case err == nil:
			return real, rest, nil
		case !errors.Is(err, fs.ErrNotExist):
			return "", "", fsys.Explain(err, "find %s", p)
		}
		if _, err := os.Lstat(p); err == nil {
			return "", "", kb.Errorf(kb.Invalid, "%s is a link to nothing", p).WithHint("Remove the link, or make what it leads to.")
		}
		up := filepath.Dir(p)
		if up == p {
			return "", "", fsys.Explain(err, "find %s", p)
		}
		p, rest = up, path.Join(filepath.Base(p), rest)
	}
}

// write makes the file hold text, and a copy of what it held when keep is set.
func (f file) write(ctx context.Context, text []byte, keep bool) error {
	return f.on(func(d *fsys.Dir) error {
		return f.keeping(ctx, d, keep, func() error {
			pre := fsys.Absent()
			if f.there {
				pre = fsys.Unchanged(f.text)
			}
			return fsys.WriteAtomic(ctx, d, f.name, text, pre, fsys.WriteOptions{})
		})
	})
}

// remove deletes the file, and makes a copy when keep is set.
func (f file) remove(ctx context.Context, keep bool) error {
	return f.on(func(d *fsys.Dir) error {
		return f.keeping(ctx, d, keep, func() error {
			return fsys.RemoveDurable(ctx, d, f.name, fsys.Unchanged(f.text))
		})
	})
}

func (f file) on(do func(*fsys.Dir) error) (err error) {
	d, err := fsys.OpenDir(f.root)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	return do(d)
}

// added returns text with parts in it.
func added(text []byte, parts []part) (_ []byte, err error) {
	for _, p := range parts {
		if text, err = p.add(text); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// dropped returns text without parts: the last one that went in comes out
// first.
func dropped(text []byte, parts []part) (_ []byte, err error) {
	for i := len(parts) - 1; i >= 0; i-- {
		if text, err = parts[i].drop(text); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// found is a part of a text and its owner.
type found struct {
	part  part
	whose owner
}

// standing returns those of the parts that are in text.
func standing(text []byte, parts []part) (all []found, err error) {
	for _, p := range parts {
		as, whose, err := p.find(text)
		if err != nil {
			return nil, err
		}
		if whose != nobody {
			all = append(all, found{as, whose})
		}
	}
	return all, nil
}

// partsOf returns the parts of these owners.
func partsOf(all []found, owners ...owner) (out []part) {
	for _, s := range all {
		if slices.Contains(owners, s.whose) {
			out = append(out, s.part)
		}
	}
	return out
}

// clean reports whether text has nothing of ours. A setting can have our value and be the
// person's.
func clean(text []byte, parts []part) bool {
	all, err := standing(text, slices.DeleteFunc(slices.Clone(parts), isSetting))
	return err == nil && len(partsOf(all, ours)) == 0
}

func isSetting(p part) bool {
	_, is := p.(setting)
	return is
}

// makes reports whether parts, added to one text, make the other.
func makes(from []byte, parts []part, text []byte) bool {
	with, err := added(from, parts)
	return err == nil && bytes.Equal(with, text)
}
