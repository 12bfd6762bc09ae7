package read

import (
	"context"
	"errors"
	"fmt"
	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
	"path"
	"slices"
	"strings"
)

// DirRequest asks for a directory of the current space.
type DirRequest struct {
	Path          string // "" is the root of the space
	Depth         int    // number of levels; 0 is 1
	Limit, Offset int    // a limit of 0 means no limit
	Files         bool   // also list files that are not pages
}

// Dir lists the directories, pages and files directly below a directory of the current
// space.
func Dir(ctx context.Context, sess *memory.Session, req DirRequest) (api.List[api.Dir], error) {
	dir := strings.Trim(path.Clean("/"+req.Path), "/")
	prefix := dir
	if prefix != "" {
		prefix += "/"
	}
	out := api.List[api.Dir]{Items: []api.Dir{}}
	s, err := sess.Spaces.Current(ctx)
	if space.NothingYet(err) { // only past sessions are listed
		var meant []kb.Space
		if meant, err = sess.Spaces.Meant(ctx); err == nil {
			s = meant[0]
		}
	}
	if err != nil {
		return out, err
	}
	var t tree
	there := dir == ""
	if req.Files {
		list, err := Files(ctx, sess, s, dir, max(req.Depth, 1))
		if err != nil {
			return out, err
		}
		t.add(list)
		there = there || slices.Contains(list.Dirs, dir)
	}
	err = store.ViewAt(ctx, sess.DB, func(tx store.Tx, mark int64) (err error) {
		// Answers show a part of a directory at a time.
		t.below = func(prefix string) (store.Directory, error) {
			return store.Keep(sess.Kept, mark, fmt.Sprintf("dir %d %s", s.Row, prefix), func() (store.Directory, error) {
				return tx.Directories().Below(ctx, s.Row, prefix)
			})
		}
		all, err := t.levels(nil, prefix, true, max(req.Depth, 1))
		if err != nil {
			return err
		}
		out.Total = len(all)
		from := min(req.Offset, out.Total)
		to := min(from+min(api.Limit(req.Limit), out.Total), out.Total)
		out.Next = api.Next(from, to-from, out.Total)
		out.Items, err = shownDirs(ctx, tx, all[from:to])
		return err
	})
	if err == nil && out.Total == 0 && !there {
		return out, kb.Errorf(kb.NotFound, "there is no directory %q in %s", dir, s.Name).WithReason(kb.NoSuchDirectory)
	}
	return out, err
}

// inDir is an entry of a directory: a directory, a page or another file.
type inDir struct {
	store.Subdirectory
	prefix string // of the direct entries
	page   int64  // 0 for a directory or a file
	file   *vault.File
}

// tree is a part of a space: the memory's entries of a directory, and the unindexed
// files and directories by their directories.
type tree struct {
	below func(prefix string) (store.Directory, error)
	files map[string][]*vault.File
	dirs  map[string][]string // names
}

// add adds the entries of a listing.
func (t *tree) add(list *vault.Listing) {
	t.files, t.dirs = map[string][]*vault.File{}, map[string][]string{}
	for i := range list.Files {
		dir := path.Dir(list.Files[i].Path)
		t.files[dir] = append(t.files[dir], &list.Files[i])
	}
	for _, dirs := range [][]string{list.Dirs, list.Deeper} {
		for _, dir := range dirs {
			if dir != "." {
				t.dirs[path.Dir(dir)] = append(t.dirs[path.Dir(dir)], path.Base(dir))
			}
		}
	}
}

// levels appends the entries below a directory down to a number of levels: the
// directories, each with its entries, then the pages, and then the other files. The
// entries of a directory without pages come from the files alone.
func (t *tree) levels(out []inDir, prefix string, pages bool, depth int) (_ []inDir, err error) {
	var known store.Directory
	if pages {
		if known, err = t.below(prefix); err != nil {
			return out, err
		}
	}
	directories := slices.Clone(known.Directories)
	names := make(map[string]bool, len(directories))
	for _, d := range directories {
		names[d.Name] = true
	}
	for _, name := range t.dirs[path.Clean(prefix)] {
		if !names[name] {
			directories = append(directories, store.Subdirectory{Name: name})
		}
	}
	if len(directories) > len(known.Directories) {
		slices.SortStableFunc(directories, func(a, b store.Subdirectory) int { return strings.Compare(a.Name, b.Name) })
	}
	for _, d := range directories {
		out = append(out, inDir{Subdirectory: d, prefix: prefix})
		if depth > 1 {
			if out, err = t.levels(out, prefix+d.Name+"/", d.Pages > 0, depth-1); err != nil {
				return out, err
			}
		}
	}
	for _, row := range known.Pages {
		out = append(out, inDir{prefix: prefix, page: row})
	}
	for _, f := range t.files[path.Clean(prefix)] {
		out = append(out, inDir{prefix: prefix, file: f})
	}
	return out, nil
}

// shownDirs returns a part of the entries below a directory.
func shownDirs(ctx context.Context, tx store.Tx, part []inDir) ([]api.Dir, error) {
	var rows []int64
	for _, x := range part {
		if x.page != 0 {
			rows = append(rows, x.page)
		}
	}
	v, err := api.NewViewer(ctx, tx)
	if err != nil {
		return nil, err
	}
	pages, err := tx.Pages().Get(ctx, rows)
	if err != nil {
		return nil, err
	}
	shown, err := v.Pages(ctx, pages)
	if err != nil {
		return nil, err
	}
	at := map[int64]int{}
	for i, p := range pages {
		at[p.Row] = i
	}
	items := []api.Dir{}
	for _, x := range part {
		if x.file != nil {
			items = append(items, api.Dir{Name: path.Base(x.file.Path), Path: x.file.Path, File: true, Bytes: x.file.Size})
			continue
		}
		if x.page == 0 {
			items = append(items, api.Dir{Name: x.Name + "/", Path: x.prefix + x.Name, Pages: &x.Pages})
			continue
		}
		if i, there := at[x.page]; there {
			depth := strings.Count(x.prefix, "/")
			items = append(items, api.Dir{Name: strings.SplitN(shown[i].Path, "/", depth+1)[depth], Path: shown[i].Path, Page: &shown[i]})
		}
	}
	return items, nil
}

// Unattached lists the first documents of a directory that need not be a space, and
// counts all.
func Unattached(ctx context.Context, sess *memory.Session, root string, most int) (paths []string, n int, err error) {
	d, err := fsys.OpenDir(root)
	if err != nil {
		return nil, 0, fsys.Explain(err, "read %s", root)
	}
	list, err := vault.Scan(ctx, d, sess.Rules())
	if err = errors.Join(err, d.Close()); err != nil {
		return nil, 0, err
	}
	for _, f := range list.Files[:min(most, len(list.Files))] {
		paths = append(paths, f.Path)
	}
	return paths, len(list.Files), nil
}
