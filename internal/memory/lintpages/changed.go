package lintpages

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy/lint"
)

// some checks the uncommitted files of the current space, or its index files.
func some(ctx context.Context, sess *memory.Session, req api.LintRequest, fresh func() error) ([]fault, int, error) {
	s, err := sess.Spaces.OpenCurrent(ctx)
	if err != nil {
		return nil, 0, err
	}
	if req.Index {
		found, err := checkIndex(ctx, sess, s, nil)
		return named(s, found), 0, err
	}
	if !s.Guards() {
		return nil, 0, s.NotGuarded()
	}
	outside, err := sess.Writer.Outside(ctx, s)
	if err != nil {
		return nil, 0, err
	}
	changed := slices.Concat(outside.Changed, outside.Staged)
	if len(changed) == 0 {
		return nil, 0, nil // an empty list of paths would select all files
	}
	go lint.Ready() // while pages are listed
	if err := fresh(); err != nil {
		return nil, 0, err
	}
	found, n, err := Space(ctx, sess, s, changed)
	return named(s, found), n, err
}

// checkIndex reports the outdated index files of a space, all or those at paths,
// and their differences.
func checkIndex(ctx context.Context, sess *memory.Session, s *write.Space, paths []string) (out []lint.Finding, err error) {
	if s.Policy.Index.File == "" {
		return nil, nil
	}
	if paths != nil && !slices.ContainsFunc(paths, func(p string) bool { return strings.HasPrefix(p, s.Policy.Index.File) }) {
		return nil, nil // none of them is an index file
	}
	_, files, err := sess.Writer.Foresee(ctx, s, nil)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if paths != nil && !slices.Contains(paths, f.Path) {
			continue
		}
		now, _, err := fsys.ReadFile(ctx, s.Files, f.Path, write.MaxDocument)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fsys.Explain(err, "read %s", f.Path)
		}
		out = append(out, lint.Stale(s.Policy, f.Path, howStale(now, f.New))...)
	}
	return out, nil
}

// howStale describes how an index file differs from its expected text, nil if it
// does not.
func howStale(now, should []byte) string {
	switch {
	case now == nil:
		return "is missing"
	case should == nil:
		return "is left over: it has no entries of the index any more"
	}
	lacks, more := differ(now, should), differ(should, now)
	switch {
	case lacks > 0 && more == 0:
		return "is incomplete"
	case more > 0 && lacks == 0:
		return "has lines that no page is behind: it was edited, or pages are gone"
	}
	return "is out of date, or was edited"
}

// differ counts the lines of one text that another lacks.
func differ(in, of []byte) (n int) {
	has := map[string]bool{}
	for line := range bytes.Lines(in) {
		has[string(line)] = true
	}
	for line := range bytes.Lines(of) {
		if !has[string(line)] {
			n++
		}
	}
	return n
}

// sources checks the source files of pages.
func sources(ctx context.Context, s *write.Space, wanted func(path string) bool) (found []lint.Finding, err error) {
	if s.Policy.Sources.Dir == "" {
		return nil, nil
	}
	err = EachFile(s.Files, s.Policy.Sources.Dir, func(at string, size int64) error {
		if !wanted(at) {
			return nil
		}
		found = append(found, lint.Large(s.Policy, at, size)...)
		if size > write.MaxDocument {
			return nil
		}
		text, _, err := fsys.ReadFile(ctx, s.Files, at, write.MaxDocument)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		found = append(found, lint.Source(at, text, s.Policy)...)
		return fsys.Explain(err, "read %s", at)
	})
	return found, err
}

// EachFile calls see for each regular file below a directory, which may not exist.
func EachFile(files fsys.FS, dir string, see func(path string, size int64) error) error {
	entries, err := files.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fsys.Explain(err, "list %s", dir)
	}
	for _, entry := range entries {
		at := path.Join(dir, entry.Name())
		info, err := files.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return fsys.Explain(err, "look at %s", at)
		case info.IsDir():
			err = EachFile(files, at, see)
		case info.Mode().IsRegular():
			err = see(at, info.Size())
		}
		if err != nil {
			return err
		}
	}
	return nil
}
