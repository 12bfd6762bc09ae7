package git

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Tree is a directory in a git repository, or one that will be: its work tree
// or a subdirectory. Its fields are set once, before use. It is safe for
// concurrent use; a commit requires its lock.
type Tree struct {
	Dir     string // absolute
	Program string // "" for the git on the PATH
	Limits  Limits

	// Consent is what a person accepted of the programs that the repository names. If it
	// is nil, writes, fetches and pushes may run all of them. Reads never run any.
	Consent *Consent
}

// Repo holds the paths of a repository relative to a Tree.
type Repo struct {
	Top    string // of the work tree
	Dir    string // of git, for this work tree
	Common string // of git, for all of its work trees
	Prefix string // of the Tree in the work tree, "" or with a slash at its end
	Hooks  string // directory
	None   string // the id of no object, as long as those of the repository are

	settings []setting // see know; nil before they were read
	ordinary bool      // see direct.go
	read     *reads    // by the last Committable; nil where git was asked

	// checked is the checked-out commit at the time of Check, and the index just
	// before. The first attempt at a commit uses them without asking again: if the
	// branch has moved since, the update of the branch fails.
	checked struct {
		known bool
		head  string
		index []byte // nil where it cannot be read
	}
}

// The settings that matter here.
const (
	sparse  = "core.sparsecheckout"
	signing = "commit.gpgsign"
)

// know reads the settings of a repository, once, since each read is a process.
func (t *Tree) know(ctx context.Context, r *Repo) (err error) {
	if r.settings == nil {
		r.settings, err = t.settings(ctx)
	}
	return err
}

// on reports whether a setting of the repository is on.
func (r *Repo) on(key string) (on bool) {
	for _, s := range r.settings {
		if s.key == key {
			on = s.on()
		}
	}
	return on
}

// The oldest supported git: the first with "git hook run".
const (
	leastMajor = 2
	leastMinor = 36
)

// Version returns the version of git, and fails when it is too old.
func (t *Tree) Version(ctx context.Context) (string, error) {
	out, err := (&Tree{Dir: ".", Program: t.Program, Limits: t.Limits}).line(ctx, "--version")
	if err != nil {
		return "", err
	}
	version := strings.TrimPrefix(out, "git version ")
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	x, errX := strconv.Atoi(major)
	y, errY := strconv.Atoi(minor)
	if errX != nil || errY != nil || x < leastMajor || x == leastMajor && y < leastMinor {
		return version, kb.Errorf(kb.Refused, "git %s is too old: %d.%d or newer is needed", version, leastMajor, leastMinor)
	}
	return version, nil
}

// ErrNoRepository means that a directory is not in a git repository with a work
// tree.
var ErrNoRepository = errors.New("no git repository")

// Open finds the repository. If there is none, or it has no work tree, the
// error wraps ErrNoRepository; a Failure means that git cannot read the
// repository.
func (t *Tree) Open(ctx context.Context) (*Repo, error) {
	top, bare := topOf(t.Dir)
	switch {
	case bare:
		return nil, kb.Errorf(kb.Conflict, "the git repository of %s has no work tree there", t.Dir).
			WithHint("Nothing was changed. Clone it, and use the clone.").Because(ErrNoRepository)
	case top == "":
		return nil, kb.Errorf(kb.Conflict, "%s is in no git repository", t.Dir).WithReason(kb.NoRepository).Because(ErrNoRepository)
	}
	if at := blocking(top); at != "" {
		return nil, kb.Errorf(kb.Conflict, "the git repository of %s cannot be read: %s is not a regular file", t.Dir, at).
			WithHint("Nothing was changed. Move it away.").Because(ErrNoRepository)
	}
	r := &Repo{}
	if err := t.know(ctx, r); err != nil {
		return nil, t.cannotOpen(ctx, err)
	}
	if r.ordinary = t.ordinary(r, top); r.ordinary {
		return r, nil
	}
	asked, err := t.paths(ctx)
	if err != nil {
		return nil, t.cannotOpen(ctx, err)
	}
	asked.settings = r.settings
	return asked, nil
}

// paths asks git for the paths of the repository.
func (t *Tree) paths(ctx context.Context) (*Repo, error) {
	out, err := t.git(ctx, run{asks: true, args: append(slices.Clone(inside), "--path-format=absolute",
		"--git-dir", "--git-common-dir", "--git-path", "hooks", "--show-object-format", "--show-toplevel", "--show-prefix")})
	if err != nil {
		return nil, err
	}
	r := &Repo{}
	lines := strings.Split(string(out), "\n")
	if len(lines) < 8 {
		return nil, &Failure{Command: "rev-parse", Said: "an answer that cannot be read"}
	}
	r.Dir, r.Common, r.Hooks, r.None, r.Top, r.Prefix = lines[2], lines[3], lines[4], strings.Repeat("0", 40), lines[6], lines[7]
	if lines[5] == "sha256" {
		r.None = strings.Repeat("0", 64)
	}
	return r, nil
}

// inside are the questions whether a repository has a work tree, and the Tree is in it.
var inside = []string{"rev-parse", "--is-bare-repository", "--is-inside-work-tree"}

// cannotOpen is the error of Open where git failed.
func (t *Tree) cannotOpen(ctx context.Context, err error) error {
	if is, bare := t.line(ctx, inside...); bare == nil && is != "false\ntrue" {
		return kb.Errorf(kb.Conflict, "the git repository of %s has no work tree there", t.Dir).
			WithHint("Nothing was changed. Clone it, and use the clone.").Because(ErrNoRepository)
	}
	return err
}

// Paths turns paths in the Tree into those in the work tree.
func (r *Repo) Paths(paths []string) []string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = r.Prefix + p
	}
	return out
}

// own is cairn's directory for temporary files of commits, in that of git.
const own = "cairn"

// Lock takes the lock for commits in this work tree of the repository: two
// memories may have spaces in the same one. It waits at most for the time busy.
func (r *Repo) Lock(ctx context.Context, busy time.Duration) (unlock func() error, err error) {
	files, err := fsys.OpenDir(r.Dir)
	if err != nil {
		return nil, err
	}
	err = files.Mkdir(own, 0o755)
	if errors.Is(err, os.ErrExist) {
		err = nil
	}
	if err = errors.Join(err, files.Close()); err != nil {
		return nil, err
	}
	return fsys.Lock(ctx, filepath.Join(r.Dir, own, "lock"), busy)
}

// nested returns the part of a path that is a nested repository, "" for none.
func (t *Tree) nested(p string) string {
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if fsys.Exists(filepath.Join(t.Dir, filepath.FromSlash(dir), ".git")) {
			return dir
		}
	}
	return ""
}

// locked returns the lock file that Emacs keeps for a file with unsaved edits,
// "" for none. It is a dangling symbolic link. One of an Emacs of this machine that
// is not running any more does not count, as it does not for Emacs.
func (t *Tree) locked(p string) string {
	at := path.Join(path.Dir(p), ".#"+path.Base(p))
	name := filepath.Join(t.Dir, filepath.FromSlash(at))
	info, err := os.Lstat(name)
	if err != nil || info.IsDir() {
		return ""
	}
	owner, err := os.Readlink(name)
	if host, herr := os.Hostname(); err == nil && herr == nil && abandoned(owner, host) {
		return ""
	}
	return at
}

// abandoned reports whether the process of a lock of Emacs, "USER@HOST.PID" or
// "USER@HOST.PID:BOOT", has ended; false for one of another host.
func abandoned(owner, host string) bool {
	_, at, ok := strings.Cut(owner, "@")
	if i := strings.LastIndex(at, ":"); i >= 0 {
		at = at[:i]
	}
	i := strings.LastIndex(at, ".")
	if !ok || i < 0 || at[:i] != host {
		return false
	}
	pid, err := strconv.Atoi(at[i+1:])
	return err == nil && pid > 0 && processEnded(pid)
}

// maxRefs bounds the files with references that are read without git.
const maxRefs = 64 << 20

// Unborn reports a clone in which nothing is checked out although its remotes have
// branches: its HEAD names a branch that does not exist. It reads files only.
func Unborn(dir string) (branch string, remotes []string) {
	at := filepath.Join(dir, ".git")
	head, err := fsys.ReadRegular(filepath.Join(at, "HEAD"), maxRefs)
	ref, ok := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: ")
	if err != nil || !ok {
		return "", nil
	}
	packed, _ := fsys.ReadRegular(filepath.Join(at, "packed-refs"), maxRefs) // there may be none
	for line := range strings.Lines(string(packed)) {
		_, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == ref {
			return "", nil
		}
		if name, ok := strings.CutPrefix(name, "refs/remotes/"); ok {
			remotes = append(remotes, name)
		}
	}
	if _, err := os.Lstat(filepath.Join(at, filepath.FromSlash(ref))); err == nil {
		return "", nil
	}
	found, _ := filepath.Glob(filepath.Join(at, "refs", "remotes", "*", "*")) // the pattern is valid
	for _, name := range found {
		if remote, branch := filepath.Base(filepath.Dir(name)), filepath.Base(name); branch != "HEAD" {
			remotes = append(remotes, remote+"/"+branch)
		}
	}
	if len(remotes) == 0 {
		return "", nil
	}
	return strings.TrimPrefix(ref, "refs/heads/"), remotes
}
