package git

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
)

// stuckAfter is how long git may run before the repository is searched for special files.
const stuckAfter = 300 * time.Millisecond

// readByGit lists files of a repository that git reads for any command.
var readByGit = []string{
	"HEAD", "config", "config.worktree", "commondir", "index", "packed-refs", "shallow",
	"info/exclude", "info/attributes", "info/grafts", "info/sparse-checkout", "objects/info/alternates",
}

// readInTree lists files that git reads in the directories of a work tree.
var readInTree = []string{".gitattributes", ".gitignore", ".gitmodules"}

// special reports whether opening a file may wait: a FIFO or a device. The null device never
// waits, and sandboxes mount it over files that they hide.
func special(info fs.FileInfo) bool {
	return info.Mode()&(fs.ModeNamedPipe|fs.ModeDevice) != 0 && !isNull(info)
}

// isNull reports whether a file is the null device.
func isNull(info fs.FileInfo) bool {
	null, err := os.Stat(os.DevNull)
	return err == nil && (os.SameFile(info, null) || sameDevice(info, null))
}

// gitDirs returns the directories of git for a work tree: its own, and the one that it shares
// with other work trees.
func gitDirs(top string) []string {
	dir := filepath.Join(top, ".git")
	if text, err := fsys.ReadRegular(dir, maxRefs); err == nil { // of a worktree or a submodule
		to, _ := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
		dir = below(top, to)
	}
	text, err := fsys.ReadRegular(filepath.Join(dir, "commondir"), maxRefs)
	if err != nil {
		return []string{dir}
	}
	return []string{dir, below(dir, strings.TrimSpace(string(text)))}
}

// below returns a path that may be relative to a directory.
func below(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, filepath.FromSlash(path))
}

// blocking returns the path of a special file that git would read for any command in a work
// tree, "" for none.
func blocking(top string) string {
	dirs, names := gitDirs(top), slices.Clone(readByGit)
	if head, err := fsys.ReadRegular(filepath.Join(dirs[0], "HEAD"), maxRefs); err == nil {
		if branch, is := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: "); is && filepath.IsLocal(branch) {
			names = append(names, branch)
		}
	}
	var files []string
	for _, dir := range dirs {
		for _, name := range names {
			files = append(files, filepath.Join(dir, filepath.FromSlash(name)))
		}
	}
	for _, name := range readInTree {
		files = append(files, filepath.Join(top, name))
	}
	for _, at := range files {
		if info, err := os.Stat(at); err == nil && special(info) {
			return at
		}
	}
	return ""
}

// endStuck ends a run of git that waits for a special file, with an error that wraps
// fsys.ErrNotRegular. Which files git reads depends on the command, the index and the
// configuration; so the repository is searched only when git does not end soon. The caller
// calls stop, which ends the search, when git has ended.
func (t *Tree) endStuck(ctx context.Context, home string, end context.CancelCauseFunc) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		soon, over := context.WithTimeout(ctx, stuckAfter)
		defer over()
		<-soon.Done()
		top, _ := topOf(t.Dir)
		if top == "" || ctx.Err() != nil {
			return
		}
		s := &search{ctx: ctx, out: t.outside(), home: home, seen: map[string]bool{}}
		if s.dir(top, false); s.found != "" {
			end(&fs.PathError{Op: "read", Path: s.found, Err: fsys.ErrNotRegular})
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

// search finds a special file that git may read in a repository.
type search struct {
	ctx   context.Context
	out   *Tree           // in no repository
	home  string          // of the user
	seen  map[string]bool // directories and configurations
	found string
}

// done reports whether a path needs no search, and marks it as seen.
func (s *search) done(path string) bool {
	if s.found != "" || s.ctx.Err() != nil || s.seen[path] {
		return true
	}
	s.seen[path] = true
	return false
}

// dir searches a directory. In one of git any special file counts, in a work tree those with
// the names that git reads.
func (s *search) dir(dir string, ofGit bool) {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if s.done(dir) {
		return
	}
	entries, _ := os.ReadDir(dir) // git does not wait for an unreadable one
	for _, e := range entries {
		at := filepath.Join(dir, e.Name())
		switch {
		case e.Name() == ".git":
			for _, of := range gitDirs(dir) {
				s.dir(of, true)
			}
		case ofGit || slices.Contains(readInTree, e.Name()):
			s.file(at)
		case e.IsDir():
			s.dir(at, false)
		}
	}
}

// readAtTop reports whether git reads a file with a name in its directory itself. Others, such as
// a FIFO that a hook uses, are not of git.
func readAtTop(name string) bool {
	return slices.Contains(readByGit, name) || name == strings.ToUpper(name) || strings.HasPrefix(name, "sharedindex.")
}

// file searches a path in a directory of git, also behind a link.
func (s *search) file(at string) {
	info, err := os.Stat(at)
	switch {
	case err != nil:
	case special(info):
		if !isBare(filepath.Dir(at)) || readAtTop(filepath.Base(at)) {
			s.found = at
		}
	case info.IsDir():
		s.dir(at, true)
	case strings.HasPrefix(filepath.Base(at), "config"):
		s.config(at)
	case filepath.Base(at) == "alternates":
		text, _ := fsys.ReadRegular(at, maxRefs) // one that is too large names nothing
		for line := range strings.Lines(string(text)) {
			s.dir(below(filepath.Dir(filepath.Dir(at)), strings.TrimSpace(line)), true)
		}
	}
}

// config searches the files and the work tree that a configuration names.
func (s *search) config(at string) {
	if s.done(at) {
		return
	}
	out, err := s.out.git(s.ctx, run{args: []string{"config", "--file", at, "--list", "-z"}, plain: true})
	if err != nil {
		return // git does not read it either
	}
	dir := filepath.Dir(at)
	for _, f := range fields(out) {
		key, value, _ := strings.Cut(f, "\n")
		if rest, is := strings.CutPrefix(value, "~/"); is {
			value = filepath.Join(s.home, rest)
		}
		for _, base := range []string{dir, filepath.Dir(dir)} { // of an include, and of the work tree
			path := below(base, value)
			info, err := os.Stat(path)
			switch {
			case err != nil || value == "":
			case special(info):
				s.found = path
			case key == "core.worktree":
				s.dir(path, false)
			case strings.HasPrefix(key, "include") && info.Mode().IsRegular():
				s.config(path)
			}
		}
	}
}
