package exporter

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"syscall"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
)

// maxBytes bounds the size of a file that is read.
const maxBytes = 64 << 20

// target is the directory that is exported to.
type target struct {
	dir     fsys.FS
	space   kb.ID
	texts   map[string][]byte // desired files, by name
	before  manifest
	written []byte // the manifest on disk, nil for none
	out     *Export
}

// step is a file to write, or to remove if text is nil.
type step struct {
	name       string
	have, text []byte // nil for a missing file
}

// update makes the directory match the texts.
func (t *target) update(ctx context.Context) error {
	if err := t.read(ctx); err != nil {
		return err
	}
	if !t.out.DryRun {
		if err := t.removeLeftovers(ctx); err != nil {
			return err
		}
	}
	now := newManifest(t.space)
	steps, err := t.plan(ctx, now)
	if err != nil {
		return err
	}
	intent := manifest{Space: t.space, Files: maps.Clone(now.Files), Pending: maps.Clone(now.Pending)}
	for _, s := range steps {
		if s.have != nil {
			intent.Files[s.name] = hash(s.have)
		}
		if s.text != nil {
			intent.Pending[s.name] = hash(s.text)
		}
	}
	if len(steps) > 0 && !t.out.DryRun {
		if err := t.write(ctx, intent); err != nil {
			return err
		}
	}
	for _, s := range steps {
		if err := t.do(ctx, s); err != nil {
			if !blocks(err) {
				return err
			}
			t.block(s.name, err)
			now.keep(s.name, intent)
			continue
		}
		if s.text == nil {
			t.out.Removed = append(t.out.Removed, s.name)
			continue
		}
		t.out.Written, now.Files[s.name] = append(t.out.Written, s.name), hash(s.text)
	}
	if t.out.DryRun {
		return nil
	}
	return t.write(ctx, now)
}

// plan computes the steps, and adds the entries of the files that stay to the new manifest.
func (t *target) plan(ctx context.Context, now manifest) (steps []step, err error) {
	names := t.before.names()
	for name := range t.texts {
		names[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		text := t.texts[name]
		have, there, err := t.look(ctx, name)
		switch {
		case err != nil && blocks(err):
			t.block(name, err)
			now.keep(name, t.before)
		case err != nil:
			return nil, fsys.Explain(err, "read %s", name)
		case there && text != nil && bytes.Equal(have, text):
			t.out.Same++
			now.Files[name] = hash(have)
		case there && !t.before.has(name, have):
			t.out.Kept = append(t.out.Kept, name)
			now.keep(name, t.before)
		case there || text != nil:
			steps = append(steps, step{name, have, text})
		}
	}
	return steps, nil
}

// do writes or removes a file, unless it changed since plan read it.
func (t *target) do(ctx context.Context, s step) error {
	if t.out.DryRun {
		return nil
	}
	if s.text == nil {
		return fsys.Explain(fsys.RemoveDurable(ctx, t.dir, s.name, fsys.Unchanged(s.have)), "remove %s", s.name)
	}
	pre := fsys.Absent()
	if s.have != nil {
		pre = fsys.Unchanged(s.have)
	}
	return fsys.Explain(fsys.WriteAtomic(ctx, t.dir, s.name, s.text, pre, t.options()), "write %s", s.name)
}

// look reads a file, if it exists. It follows no symbolic link, and opens nothing but
// regular files.
func (t *target) look(ctx context.Context, name string) (text []byte, there bool, err error) {
	for i := range len(name) + 1 {
		if i < len(name) && name[i] != '/' {
			continue
		}
		info, err := t.dir.Lstat(name[:i])
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, false, nil
		case err != nil:
			return nil, false, err
		case info.Mode().Type() == fs.ModeSymlink:
			return nil, false, &fs.PathError{Op: "look at", Path: name, Err: fsys.ErrSymlink}
		case i < len(name) && !info.IsDir():
			return nil, false, &fs.PathError{Op: "look at", Path: name, Err: syscall.ENOTDIR}
		case i == len(name) && !info.Mode().IsRegular():
			return nil, false, &fs.PathError{Op: "look at", Path: name, Err: fsys.ErrNotRegular}
		}
	}
	text, _, err = fsys.ReadFile(ctx, t.dir, name, maxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return text, err == nil, err
}

// blocks reports whether an error concerns the path of a single file, so that the other
// files can be exported.
func blocks(err error) bool {
	switch kb.CodeOf(fsys.Explain(err, "export")) {
	case kb.Conflict, kb.Refused, kb.Invalid, kb.NotFound:
		return true
	}
	return errors.Is(err, fs.ErrPermission)
}

func (t *target) block(name string, err error) {
	t.out.Blocked = append(t.out.Blocked, Block{name, kb.AsError(fsys.Explain(err, "read %s", name)).Message})
}

// options returns the options for writing files. The names of their temporary files let the
// next export recognise those of a killed one.
func (t *target) options() fsys.WriteOptions {
	return fsys.WriteOptions{Perm: 0o600, Random: &tempNames{seed: string(t.space)}}
}

// tempNames provides the bytes for names of temporary files.
type tempNames struct {
	seed string
	n    byte
}

// Read implements io.Reader.
func (n *tempNames) Read(b []byte) (int, error) {
	sum := sha256.Sum256(append([]byte("journal export "+n.seed), n.n))
	n.n++
	return copy(b, sum[:]), nil
}

// removeLeftovers removes the temporary files of exports that were killed. It
// removes other ones only if they hold exported bytes: a file that somebody
// else may have written stays.
func (t *target) removeLeftovers(ctx context.Context) error {
	known, own := map[string]bool{}, map[string]bool{}
	for _, files := range []map[string]string{t.before.Files, t.before.Pending} {
		for _, h := range files {
			known[h] = true
		}
	}
	names := &tempNames{seed: string(t.space)}
	for range maxTemps {
		var b [8]byte
		if _, err := names.Read(b[:]); err != nil {
			return err
		}
		own[fsys.TempName(b)] = true
	}
	dirs := map[string]bool{".": true}
	for name := range t.before.names() {
		dirs[path.Dir(name)] = true
	}
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		entries, err := t.dir.ReadDir(dir)
		if err != nil {
			continue // the obstacle is reported with its files
		}
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			if !fsys.IsTemp(name) || !e.Type().IsRegular() {
				continue
			}
			text, there, err := t.look(ctx, name)
			switch {
			case err != nil && !blocks(err):
				return fsys.Explain(err, "read %s", name)
			case err != nil || !there:
			case len(text) > 0 && known[hash(text)], own[e.Name()] && t.isOwn(text):
				if err := t.dir.Remove(name); err != nil && !blocks(err) {
					return fsys.Explain(err, "remove %s", name)
				}
			case own[e.Name()]:
				t.out.Kept = append(t.out.Kept, name)
			}
		}
	}
	return nil
}

// maxTemps is how many temporary files of one name can exist at once.
const maxTemps = 8
