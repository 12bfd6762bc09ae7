package setup

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
)

// madeFile lists, in cairn's own directory of configuration, the directories
// that setting up has made, a line each: taking cairn out removes those that
// are empty by then, and no others.
const madeFile = "setup-directories"

// Apply makes changes. When one fails, those before it stay, and the error
// names them, after the files that the caller changed before; to ask for the same again does
// the rest.
func (p Place) Apply(ctx context.Context, changes []Change, before ...string) error {
	var made, left []string
	done := slices.Clone(before)
	var err error
	for _, ch := range changes {
		missing := ch.now.missing()
		if err = ch.apply(ctx); err != nil {
			break
		}
		switch ch.Action {
		case Created:
			made = append(made, missing...)
		case Removed:
			left = append(left, ch.now.dir())
		}
		if ch.Action != Unchanged && ch.Action != Kept {
			done = append(done, ch.Path)
		}
	}
	if p.Own != "" && len(made)+len(left) > 0 {
		err = cmp.Or(err, p.record(ctx, made, left))
	}
	return Halfway(err, done)
}

// Halfway adds to an error which files were changed before it.
func Halfway(err error, done []string) error {
	if err == nil || len(done) == 0 {
		return err
	}
	e := kb.AsError(err)
	out := kb.Errorf(e.Code, "%w; changed before that: %s", err, strings.Join(done, ", ")).With("changed", done)
	// The words for one file, or one plan, would deny the others.
	out.Message = strings.TrimPrefix(out.Message, "nothing was changed: ")
	remedy := strings.NewReplacer("Nothing was changed. ", "", "Nothing was lost. ", "", "Run this again.", "").Replace(e.Hint)
	return out.WithHint("%s", strings.TrimSpace(remedy+" Run it again for the rest, or take out what it wrote."))
}

// dir is the directory that the file is in, links followed.
func (f file) dir() string { return filepath.Dir(f.sibling(f.name)) }

// missing returns the directories that the file needs and that are not there.
func (f file) missing() (dirs []string) {
	for dir := path.Dir(f.name); dir != "." && !fsys.Exists(f.sibling(dir)); dir = path.Dir(dir) {
		dirs = append(dirs, f.sibling(dir))
	}
	return dirs
}

// record lists directories that were made, and removes what it lists of those
// that files were taken out of. A list of nothing but the directories that it
// needs itself goes with them.
func (p Place) record(ctx context.Context, made, left []string) error {
	list, err := load(ctx, filepath.Join(p.Own, madeFile))
	if err != nil {
		return err
	}
	if !list.there {
		made = append(made, list.missing()...)
	}
	all := made
	for line := range strings.Lines(string(list.text)) {
		all = append(all, strings.TrimSuffix(line, "\n"))
	}
	for _, dir := range left {
		if all, err = dropMade(all, dir); err != nil {
			return err
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	own := list.dir()
	if slices.ContainsFunc(all, func(dir string) bool { return own != dir && !strings.HasPrefix(own, dir+string(filepath.Separator)) }) {
		return list.write(ctx, []byte(strings.Join(all, "\n")+"\n"), false)
	}
	if !list.there {
		return nil
	}
	if err := list.remove(ctx, false); err != nil {
		return err
	}
	_, err = dropMade(all, own)
	return err
}

// dropMade removes a directory that is listed, and then those above it that are,
// as long as they are empty, and returns the list without them.
func dropMade(all []string, dir string) ([]string, error) {
	for ; slices.Contains(all, dir); dir = filepath.Dir(dir) {
		gone, err := removeEmpty(dir)
		if err != nil || !gone {
			return all, err
		}
		all = slices.DeleteFunc(all, func(made string) bool { return made == dir })
	}
	return all, nil
}

// removeEmpty removes a directory that is empty, and reports whether it is gone.
// A link to a directory is somebody's arrangement.
func removeEmpty(path string) (gone bool, err error) {
	up, name := filepath.Split(path)
	d, err := fsys.OpenDir(filepath.Clean(up))
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	info, err := d.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil || !info.IsDir() {
		return false, err
	}
	if left, err := d.ReadDir(name); err != nil || len(left) > 0 {
		return false, err
	}
	return true, d.Remove(name)
}
