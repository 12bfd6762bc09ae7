package write

import (
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

// place is a path in a space.
type place struct {
	space int64
	path  string
}

// staged are the new bytes of the files of a batch that were flushed side by
// side, before the first of them is put in its place.
type staged map[*op]stagedFile

type stagedFile struct {
	file *fsys.Staged
	err  error
}

// inPlace is how files of a change set are written: their directories are
// flushed together afterwards.
var inPlace = fsys.WriteOptions{DirLater: true}

// stage writes and flushes the new files of calls. It leaves to replaceAll the
// files that must wait: one with a name that another operation frees or takes,
// and one in a directory that is yet to be made. A batch of one file gains
// nothing.
func (w *Writer) stage(calls []*call) (staged, error) {
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
	if len(jobs) < 2 {
		return nil, nil
	}
	flushes := openFlushes(jobs)
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
			j.done.file, j.done.err = fsys.Stage(j.c.ctx, j.files, j.op.Path, j.op.New, pre, opts)
			return nil // reported to its call
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for files, flush := range flushes {
		err := errors.Join(flush.Sync(), flush.Close())
		for _, j := range jobs {
			if j.files == files && j.done.err == nil && err != nil {
				j.done.err = err
			}
		}
	}
	out := make(staged, len(jobs))
	for _, j := range jobs {
		out[j.op] = j.done
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

// replace does an operation, with the bytes that were staged for it.
func (s staged) replace(ctx context.Context, o *op, files fsys.FS) error {
	f, ok := s[o]
	switch {
	case !ok:
		return o.replace(ctx, files, inPlace)
	case f.err != nil:
		return f.err
	}
	delete(s, o)
	return f.file.Place(ctx)
}

// without drops the staged files of a record that has failed.
func (s staged) without(r *record) staged {
	for i := range r.Ops {
		delete(s, &r.Ops[i])
	}
	return s
}

// has reports whether a temporary file waits to be put in its place.
func (s staged) has(space int64, temp string) bool {
	for o, f := range s {
		if o.Space == space && f.file != nil && f.file.Temp() == temp {
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
