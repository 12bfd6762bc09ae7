package write

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/cairn-kb/cairn/internal/files/fsys"
)

// sideBySide is how many files and directories are flushed at once. A file system
// with a journal serves as many in one round of it; more only hold memory.
const sideBySide = 16

// flushAtOnce is the number of files from which on a space is flushed by one call, which
// may have to wait for files of other programs as well.
const flushAtOnce = 64

// each calls do for the numbers below n side by side. It returns the error of the lowest
// number that has one, and panics where do does.
func each(n int, do func(i int) error) error {
	errs, panics := make([]error, n), make([]any, n)
	var g errgroup.Group
	g.SetLimit(sideBySide)
	for i := range n {
		g.Go(func() error {
			defer func() { panics[i] = recover() }()
			errs[i] = do(i)
			return nil
		})
	}
	_ = g.Wait() // no function of it fails
	if p := cmp.Or(panics...); p != nil {
		panic(p)
	}
	return cmp.Or(errs...)
}

// place is a path in a space.
type place struct {
	space int64
	path  string
}

// treeAt is the number of files in a directory from which on it is opened once for all of
// them, and maxTrees how many directories are open at a time.
const (
	treeAt   = 8
	maxTrees = 128
)

// staged are the new bytes of the files of a batch that were flushed side by
// side, before the first of them is put in its place.
type staged struct {
	files map[*op]stagedFile
	trees map[treeKey]fsys.Tree // that the files were staged in
}

type stagedFile struct {
	file *fsys.Staged
	dir  string // of the tree that it was staged in; "" for that of its space
	err  error
}

// treeKey is a directory of a space's tree.
type treeKey struct {
	files fsys.FS
	dir   string
}

// inPlace is how files of a change set are written: their directories are
// flushed together afterwards.
var inPlace = fsys.WriteOptions{DirLater: true}

// stage writes and flushes the new files of calls. It leaves to replaceAll the
// files that must wait: one with a name that another operation frees or takes,
// and one in a directory that is yet to be made. A batch of one file gains
// nothing.
func (w *Writer) stage(calls []*call) (*staged, error) {
	var jobs []*stageJob
	moved := map[place]bool{}
	for _, c := range calls {
		for i := range c.rec.Ops {
			if o := &c.rec.Ops[i]; o.New == nil || o.From != "" {
				moved[place{o.Space, o.Path}], moved[place{o.Space, o.From}] = true, true
			}
		}
	}
	for _, c := range calls {
		for i := range c.rec.Ops {
			o := &c.rec.Ops[i]
			files := c.set.space(o.Space).Files
			if files == nil || o.New == nil || o.From != "" || moved[place{o.Space, o.Path}] {
				continue
			}
			if info, err := files.Lstat(path.Dir(o.Path)); err == nil && info.IsDir() {
				jobs = append(jobs, &stageJob{c: c, op: o, files: files})
			}
		}
	}
	out := &staged{}
	if len(jobs) < 2 {
		return out, nil
	}
	flushes := openFlushes(jobs)
	out.trees = openTrees(jobs)
	var g errgroup.Group
	g.SetLimit(sideBySide)
	for _, j := range jobs {
		g.Go(func() error {
			pre := fsys.Unchanged(j.op.Old)
			if j.op.Old == nil {
				pre = fsys.Absent()
			}
			opts := inPlace
			opts.FlushLater = flushes[j.files] != nil
			files, name := j.files, j.op.Path
			if tree := out.trees[treeKey{files, path.Dir(name)}]; tree != nil {
				files, name, j.done.dir = tree, path.Base(name), path.Dir(name)
			}
			j.done.file, j.done.err = fsys.Stage(j.c.ctx, files, name, j.op.New, pre, opts)
			return nil // reported to its call
		})
	}
	_ = g.Wait() // no function of it fails
	for files, flush := range flushes {
		err := errors.Join(flush.Sync(), flush.Close())
		for _, j := range jobs {
			if j.files == files && j.done.err == nil && err != nil {
				j.done.err = err
			}
		}
	}
	out.files = make(map[*op]stagedFile, len(jobs))
	for _, j := range jobs {
		out.files[j.op] = j.done
	}
	return out, w.step(StepStaged)
}

// stageJob is a file to be staged.
type stageJob struct {
	c     *call
	op    *op
	files fsys.FS
	done  stagedFile
}

// openFlushes returns a flush for each tree with many files to be staged. The other files
// are flushed one by one, and those of trees that have no such call.
func openFlushes(jobs []*stageJob) map[fsys.FS]fsys.Flush {
	dirs := map[fsys.FS][]string{}
	for _, j := range jobs {
		dirs[j.files] = append(dirs[j.files], path.Dir(j.op.Path))
	}
	out := map[fsys.FS]fsys.Flush{}
	for files, in := range dirs {
		if len(in) < flushAtOnce {
			continue
		}
		slices.Sort(in)
		if f, err := fsys.OpenFlush(files, slices.Compact(in)); err == nil {
			out[files] = f
		}
	}
	return out
}

// openTrees opens the directories with many files to be staged.
func openTrees(jobs []*stageJob) map[treeKey]fsys.Tree {
	in := map[treeKey]int{}
	out := map[treeKey]fsys.Tree{}
	for _, j := range jobs {
		key := treeKey{j.files, path.Dir(j.op.Path)}
		if in[key]++; in[key] != treeAt || len(out) == maxTrees {
			continue
		}
		if tree, err := fsys.OpenTree(j.files, key.dir); err == nil { // else its files are reached from the root, as ever
			out[key] = tree
		}
	}
	return out
}

// close releases the directories.
func (s *staged) close() {
	for _, t := range s.trees {
		_ = t.Close() // nothing was written through it
	}
}

// take returns the staged file of an operation, which is staged no longer.
func (s *staged) take(o *op) (stagedFile, bool) {
	f, ok := s.files[o]
	delete(s.files, o)
	return f, ok
}

// place puts the file in its place.
func (f stagedFile) place(ctx context.Context) error {
	if f.err != nil {
		return f.err
	}
	return f.file.Place(ctx)
}

// without drops the staged files of a record that has failed.
func (s *staged) without(r *record) *staged {
	for i := range r.Ops {
		delete(s.files, &r.Ops[i])
	}
	return s
}

// has reports whether a temporary file waits to be put in its place.
func (s *staged) has(space int64, temp string) bool {
	for o, f := range s.files {
		if o.Space == space && f.file != nil && path.Join(f.dir, f.file.Temp()) == temp {
			return true
		}
	}
	return false
}

// flushDirs makes the names that calls have put into directories durable, each
// directory once: a page that thousands link to is renamed in few of them.
func flushDirs(calls []*call) {
	type flush struct {
		dir   place
		calls []*call // that have put names into it
		err   error
	}
	var all []*flush
	of := map[place]*flush{}
	var g errgroup.Group
	g.SetLimit(sideBySide)
	for _, c := range calls {
		for i := range c.rec.Ops {
			o := &c.rec.Ops[i]
			files := c.set.space(o.Space).Files
			if files == nil || o.New == nil || o.From != "" {
				continue
			}
			dir := place{o.Space, path.Dir(o.Path)}
			f := of[dir]
			if f == nil {
				f = &flush{dir: dir}
				of[dir], all = f, append(all, f)
				g.Go(func() error {
					f.err = fsys.FlushDir(files, dir.path)
					return nil // reported to the affected calls
				})
			}
			f.calls = append(f.calls, c)
		}
	}
	_ = g.Wait() // no function of it fails
	for _, f := range all {
		for _, c := range f.calls {
			if f.err != nil {
				c.durable = fsys.Explain(f.err, "write in %s", f.dir.path)
			}
		}
	}
}
