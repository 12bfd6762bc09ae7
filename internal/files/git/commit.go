package git

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Change is the content of a path of the Tree in a commit; nil when it has
// none.
type Change struct {
	Path string
	New  []byte
}

// Commit is a commit to be made.
type Commit struct {
	Base     string // Head when the change was checked
	Token    string // of the write; of two commits since Base there is one with it at most
	Subject  string
	Body     string
	Trailers []Trailer
	Changes  []Change
	SkipHook bool
	Time     time.Time // of a commit that is made at once; zero for the time at which git makes it
	// Follow, if set, returns other changes that follow from the content that a hook gave to
	// some of Changes. They are in the commit, and in Rewritten.
	Follow func(ctx context.Context, rewritten map[string][]byte) ([]Change, error)
}

// Trailer is a line at the end of a commit's message.
type Trailer struct{ Key, Value string }

// TokenKey is the key of the trailer with the token of a write.
const TokenKey = "Cairn-Write"

// Committed is what became of a commit.
type Committed struct {
	ID string // "" where nothing had to be committed
	// Rewritten are the bytes of the changes that a hook has made others of.
	Rewritten map[string][]byte
}

// ErrMoved means that the branch has other content at the paths than the change
// was checked against.
var ErrMoved = errors.New("the branch has moved")

// Refusal is a hook that said no.
type Refusal struct{ Hook, Said string }

// Error returns the name and the output of the hook.
func (r *Refusal) Error() string {
	return fmt.Sprintf("the %s hook of the git repository refused: %s", r.Hook, cmp.Or(r.Said, "it gave no reason"))
}

// paths are those of its changes.
func (c Commit) paths() []string {
	out := make([]string, len(c.Changes))
	for i, ch := range c.Changes {
		out[i] = ch.Path
	}
	return out
}

// tries is the number of attempts to commit while the branch keeps moving.
const tries = 5

// Commit commits the changes and nothing else, and updates the index at their
// paths; other staged changes stay staged. The caller holds the lock of the
// repository. A Refusal means that a hook rejected the commit, ErrMoved that
// others changed the paths; any other error means that the commit failed. After
// an error no branch has moved.
func (t *Tree) Commit(ctx context.Context, r *Repo, c Commit) (*Committed, error) {
	if err := t.know(ctx, r); err != nil {
		return nil, err
	}
	if err := t.permit(ctx, r, false); err != nil {
		return nil, err
	}
	if err := t.Settle(ctx, r); err != nil {
		return nil, err
	}
	w, err := t.workshop(r)
	if err != nil {
		return nil, err
	}
	defer w.close()
	head, known := c.Base, r.checked.known && r.checked.head == c.Base
	w.seen = r.checked.index
	for try := 1; ; try++ {
		if !known || try > 1 {
			w.seen = r.readIndexFile("index")
			if head, err = w.head(ctx); err != nil {
				return nil, err
			}
		}
		done, err := w.attempt(ctx, c, head)
		again := errors.Is(err, errRaced)
		switch {
		case errors.Is(err, errStaged):
			again = w.headMoves(ctx, head)
		case errors.Is(err, errOthers):
			w.headMoves(ctx, head)
			again = true // or somebody has staged other files, which stay so
		}
		if !again || try == tries {
			return done, err
		}
	}
}

// errRaced means that the branch moved between two checks.
var errRaced = errors.New("the branch moved just now")

// errStaged means that the index has another file than the branch, errOthers that its other
// files changed since the branch was looked at. A git checkout or pull that is about to end
// is one cause: it writes the files, then the index, then HEAD, and holds no lock in between.
var (
	errStaged = errors.New("the index differs from the branch")
	errOthers = errors.New("the index changed just now")
)

// headLimit is how long a git that has written the index may take to move HEAD.
const headLimit = time.Second

// headMoves waits for another program that is about to move HEAD, and reports whether it did.
func (w *workshop) headMoves(ctx context.Context, from string) bool {
	wait, cancel := context.WithTimeout(ctx, headLimit)
	defer cancel()
	return fsys.WhenFree(wait, func() error {
		if now, err := w.head(wait); err != nil || now == from {
			return os.ErrExist // as it was
		}
		return nil
	}) == nil
}

// workshop is where a commit is put together: an index of its own. Its temporary files have
// names that no other workshop has: the git processes of a cairn that died may still run, and
// write to theirs.
type workshop struct {
	t     *Tree
	r     *Repo
	files *fsys.Dir // of git
	temp  string    // begins the paths of the temporary files, in the directory of git
	seen  []byte    // the index just before the branch was looked at, nil where it is unknown
}

// The temporary files of a workshop; see workshop.at.
const (
	ourIndex  = "index"   // the input of the commit
	nextIndex = "next"    // what becomes the index of the repository
	message   = "MESSAGE" // of the commit, for hooks
	ourLock   = "lock"    // what becomes the lock of the index
)

// Other files in the directory of git.
const (
	pending   = own + "/pending" // which commit is being made part of the index; see Settle
	indexLock = "index.lock"
)

// tempPrefix begins the names of the temporary files of workshops.
const tempPrefix = "commit-"

// formerTemp are names that they had.
var formerTemp = []string{"index", "index.lock", "next", "next.lock", "MESSAGE", "ours", "base", "theirs"}

func (t *Tree) workshop(r *Repo) (*workshop, error) {
	files, err := fsys.OpenDir(r.Dir)
	if err != nil {
		return nil, err
	}
	w := &workshop{t: t, r: r, files: files, temp: path.Join(own, tempPrefix+rand.Text()+"-")}
	if err := files.Mkdir(own, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, errors.Join(err, files.Close())
	}
	w.sweep()
	return w, nil
}

// at is the path of a temporary file in the directory of git.
func (w *workshop) at(name string) string { return w.temp + name }

// sweep removes the temporary files of this workshop and of those that died.
func (w *workshop) sweep() {
	entries, _ := w.files.ReadDir(own) // unreadable ones stay, and harm nothing
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), tempPrefix) || slices.Contains(formerTemp, e.Name()) {
			_ = w.files.Remove(path.Join(own, e.Name())) // the next workshop tries again
		}
	}
}

func (w *workshop) close() {
	w.sweep()
	_ = w.files.Close() // nothing of it is kept
}

// path is where a file in the directory of git is.
func (w *workshop) path(name string) string {
	return filepath.Join(w.r.Dir, filepath.FromSlash(name))
}

// Modes of files, those that may be run among them, and of a directory.
const (
	plainFile  = "100644"
	executable = "100755"
	directory  = "040000"
)

// Entry is a file in an index or a commit: its mode and the id of its content.
// The zero Entry is no file.
type Entry struct{ Mode, ID string }

// attempt makes the commit on the branch while it is at head. Independent steps
// run in parallel: most of the time of a git command is its start.
func (w *workshop) attempt(ctx context.Context, c Commit, head string) (*Committed, error) {
	if what := w.r.under(); what != "" {
		return nil, underway(what, "")
	}
	paths := c.paths()
	if head != c.Base {
		if id, err := w.t.Find(ctx, c.Base, head, c.Token); err != nil {
			return nil, err
		} else if id != "" {
			return &Committed{ID: id}, w.t.MendIndex(ctx, w.r, c)
		}
		if err := w.moved(ctx, c.Base, head, paths); err != nil {
			return nil, err
		}
	}
	in, err := w.plainContent(ctx, c, head, paths)
	if errors.Is(err, errNotPlain) {
		in, err = w.indexContent(ctx, c, head, paths)
	}
	if err != nil {
		return nil, err
	}
	made, before := in.made, in.before
	texts := map[string][]byte{}
	for _, ch := range c.Changes {
		texts[ch.Path] = ch.New
	}
	if maps.Equal(made, before) {
		w.remember(texts, made)
		return &Committed{}, nil
	}
	if in.tree == "" {
		if err := w.set(ctx, w.at(ourIndex), paths, made); err != nil {
			return nil, err
		}
	}
	done := &Committed{}
	if !c.SkipHook && w.hooked("pre-commit") {
		var err error
		if done.Rewritten, err = w.preCommit(ctx, head, paths, made); err != nil {
			return nil, err
		}
		if maps.Equal(made, before) {
			return done, nil // the hook has put things back
		}
		if paths, err = w.follow(ctx, c, head, paths, in, done); err != nil {
			return nil, err
		}
	}
	if err := w.publish(ctx, c, head, done, paths, in); err != nil {
		return nil, err
	}
	maps.Copy(texts, done.Rewritten)
	w.remember(texts, made)
	if !c.SkipHook && w.hooked("post-commit") {
		_, _ = w.t.git(ctx, run{args: []string{"hook", "run", "post-commit"}, hook: true, limit: w.hookLimit()}) // it cannot refuse
	}
	return done, nil
}

// follow adds the changes that follow from those of a hook. It returns all paths of the commit.
func (w *workshop) follow(ctx context.Context, c Commit, head string, paths []string, in *content, done *Committed) ([]string, error) {
	if c.Follow == nil || len(done.Rewritten) == 0 {
		return paths, nil
	}
	more, err := c.Follow(ctx, done.Rewritten)
	if err != nil || len(more) == 0 {
		return paths, err
	}
	var at []string
	for _, ch := range more {
		at = append(at, ch.Path)
	}
	before, err := w.filesAt(ctx, head, at)
	if err != nil {
		return nil, err
	}
	ids, err := w.blobs(ctx, more)
	if err != nil {
		return nil, err
	}
	maps.Copy(in.before, before)
	maps.Copy(in.made, contentOf(before, ids).made)
	for _, ch := range more {
		done.Rewritten[ch.Path] = ch.New
		if ch.New == nil {
			delete(in.made, ch.Path)
		}
		if !slices.Contains(paths, ch.Path) {
			paths = append(paths, ch.Path)
		}
	}
	return paths, w.set(ctx, w.at(ourIndex), at, in.made)
}

// indexContent is plainContent for every commit, with the index of the workshop at head.
func (w *workshop) indexContent(ctx context.Context, c Commit, head string, paths []string) (*content, error) {
	if err := w.take(); err != nil {
		return nil, err
	}
	var before map[string]Entry
	var ids map[string]string
	g, all := errgroup.WithContext(ctx)
	g.Go(func() error { return w.reset(all, head) })
	g.Go(func() (err error) { before, err = w.filesAt(all, head, paths); return err })
	g.Go(func() (err error) { ids, err = w.blobs(all, c.Changes); return err })
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return contentOf(before, ids), nil
}

// head is the commit that is checked out, "" before the first.
func (w *workshop) head(ctx context.Context) (string, error) {
	id, err := w.t.line(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if exitOf(err) != 1 {
		return id, err
	}
	// Before the first commit HEAD names a branch that is not there.
	if _, unborn := w.t.line(ctx, "symbolic-ref", "--quiet", "HEAD"); unborn != nil {
		return "", err
	}
	if ref, _ := w.t.line(ctx, "rev-parse", "--verify", "--quiet", "HEAD"); ref != "" {
		return "", err // it exists and is not a commit: damaged
	}
	return "", nil
}

// reset sets the index of the workshop to the tree of a commit.
func (w *workshop) reset(ctx context.Context, head string) error {
	args := []string{"read-tree", "--reset", head}
	if head == "" {
		args = []string{"read-tree", "--empty"}
	}
	_, err := w.t.git(ctx, run{args: args, index: w.path(w.at(ourIndex))})
	return err
}

// filesAt is treeEntries without directories.
func (w *workshop) filesAt(ctx context.Context, head string, paths []string) (map[string]Entry, error) {
	all, err := w.t.treeEntries(ctx, head, paths)
	maps.DeleteFunc(all, func(_ string, e Entry) bool { return e.Mode == directory })
	return all, err
}

// moved fails with ErrMoved where a commit has other bytes at the paths than another.
func (w *workshop) moved(ctx context.Context, base, head string, paths []string) error {
	was, err := w.t.treeEntries(ctx, base, paths)
	if err != nil {
		return err
	}
	is, err := w.t.treeEntries(ctx, head, paths)
	if err == nil && !maps.Equal(was, is) {
		err = ErrMoved
	}
	return err
}

// treeEntries are the files of a commit at paths of the Tree.
func (t *Tree) treeEntries(ctx context.Context, commit string, paths []string) (map[string]Entry, error) {
	out := map[string]Entry{}
	if commit == "" {
		return out, nil
	}
	for some := range slices.Chunk(paths, maxArgs) {
		listed, err := t.git(ctx, run{args: append([]string{"ls-tree", "-z", commit, "--"}, some...)})
		if err != nil {
			return nil, err
		}
		for _, f := range fields(listed) {
			about, path, _ := strings.Cut(f, "\t")
			if parts := strings.Fields(about); len(parts) == 3 {
				out[path] = Entry{parts[0], parts[2]}
			}
		}
	}
	return out, nil
}

// maxIndex is the size up to which files in the directory of git are read.
const maxIndex = 4 << 30

// index returns the bytes of the repository's index for a later one, nil for none.
func (w *workshop) index() ([]byte, error) {
	info, err := w.files.Lstat("index")
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	text, err := fsys.ReadRegular(w.path("index"), maxIndex)
	if err != nil {
		return nil, err
	}
	return w.r.withoutSizes(text, info.ModTime()), nil
}

// take makes the index of the workshop a copy of the repository's, so that what git
// knows of the times of files need not be found out again.
func (w *workshop) take() error {
	text, err := w.index()
	if err != nil {
		return err
	}
	return w.fill(w.at(ourIndex), text)
}

// fill makes an index of the workshop have these bytes, nil for none.
func (w *workshop) fill(name string, text []byte) error {
	for _, former := range []string{name, name + ".lock"} {
		_ = w.files.Remove(former) // of an attempt before: its git may have been stopped
	}
	if text == nil {
		return nil
	}
	f, err := w.files.Create(name, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// entries returns the entries at paths of the Tree that have no merge conflict, of an index
// with these bytes.
func (w *workshop) entries(ctx context.Context, index string, text []byte, paths []string) (map[string]Entry, error) {
	wanted := map[string]bool{}
	for _, p := range paths {
		wanted[w.r.Prefix+p] = true
	}
	out := map[string]Entry{}
	if known, ok := w.r.readIndex(text, wanted); ok {
		for p, e := range known {
			out[strings.TrimPrefix(p, w.r.Prefix)] = e
		}
		return out, nil
	}
	for some := range slices.Chunk(paths, maxArgs) {
		listed, err := w.t.git(ctx, run{args: append([]string{"ls-files", "-s", "-z", "--"}, some...), index: w.path(index)})
		if err != nil {
			return nil, err
		}
		for _, f := range fields(listed) {
			about, path, _ := strings.Cut(f, "\t")
			if parts := strings.Fields(about); len(parts) == 3 && slices.Contains(some, path) {
				out[path] = Entry{parts[0], parts[1]}
			}
		}
	}
	return out, nil
}

// set makes an index have these files at the paths, and no others there.
func (w *workshop) set(ctx context.Context, index string, paths []string, files map[string]Entry) error {
	var in bytes.Buffer
	for _, gone := range []bool{true, false} { // a file may take the place of a directory
		for _, p := range paths {
			e, there := files[p]
			switch {
			case gone && !there:
				fmt.Fprintf(&in, "0 %s\t%s%s\x00", w.r.None, w.r.Prefix, p)
			case !gone && there:
				fmt.Fprintf(&in, "%s %s\t%s%s\x00", e.Mode, e.ID, w.r.Prefix, p)
			}
		}
	}
	_, err := w.t.git(ctx, run{args: []string{"update-index", "-z", "--add", "--replace", "--index-info"}, stdin: in.Bytes(), index: w.path(index)})
	return err
}

// object creates the commit object of a tree, "" for that of the index of the workshop.
func (w *workshop) object(ctx context.Context, c Commit, tree string, parents ...string) (string, error) {
	if tree == "" {
		written, err := w.t.git(ctx, run{args: []string{"write-tree"}, index: w.path(w.at(ourIndex))})
		if err != nil {
			return "", err
		}
		tree = strings.TrimSpace(string(written))
	}
	text, err := w.message(ctx, c)
	if err != nil {
		return "", err
	}
	if object, ok := w.commitHere(c.Time, tree, text, parents...); ok {
		return w.write("commit", object)
	}
	return w.commitTree(ctx, tree, text, parents...)
}

// commitTree makes a commit, signed where that is configured.
func (w *workshop) commitTree(ctx context.Context, tree, text string, parents ...string) (string, error) {
	args := []string{"commit-tree", tree, "-F", "-"}
	for _, p := range parents {
		if p != "" {
			args = append(args, "-p", p)
		}
	}
	if w.r.on(signing) {
		args = append(args, "-S")
	}
	id, err := w.t.git(ctx, run{args: args, stdin: []byte(text), limit: w.hookLimit(), acts: true})
	return strings.TrimSpace(string(id)), err
}

// publish commits the index of the workshop, moves the branch from head to the
// new commit, and updates the index of the repository at the paths. It holds
// git's own lock of that index, so that no other program commits in between
// from an index without the commit; it does not hold it while a hook runs or a
// person enters a key. If the process ends in between, Settle updates the
// index.
func (w *workshop) publish(ctx context.Context, c Commit, head string, done *Committed, paths []string, in *content) (err error) {
	moved, unlock := false, func() {}
	defer func() { unlock() }()
	defer func() {
		if !moved || err == nil {
			if gone := w.files.Remove(pending); !errors.Is(gone, os.ErrNotExist) {
				err = errors.Join(err, gone)
			}
		}
	}()
	ready := func(ctx context.Context) (err error) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := w.pend(head, paths); err != nil {
			return err
		}
		if unlock, err = w.lockIndex(ctx); err != nil {
			unlock = func() {}
			return err
		}
		return w.next(ctx, paths, in.before, in.made)
	}
	g, all := errgroup.WithContext(ctx)
	if w.r.on(signing) || !c.SkipHook && w.worded() {
		g.SetLimit(1)
	}
	g.Go(func() (err error) { done.ID, err = w.object(all, c, in.tree, head); return err })
	g.Go(func() error { return ready(all) })
	if err := g.Wait(); err != nil {
		return err
	}
	old := cmp.Or(head, w.r.None)
	if _, err := w.t.git(ctx, run{args: []string{"update-ref", "-m", "commit: " + c.Subject, "HEAD", done.ID, old}, acts: !c.SkipHook}); err != nil {
		if now, look := w.head(ctx); look == nil && now != head {
			return errRaced
		}
		return err
	}
	moved = true
	return w.files.Rename(w.at(nextIndex), "index")
}

// next prepares the new index of the repository, with its lock held.
func (w *workshop) next(ctx context.Context, paths []string, before, made map[string]Entry) error {
	text, err := w.index()
	if err != nil {
		return err
	}
	if w.seen != nil && w.r.othersDiffer(w.seen, text, paths) {
		return errOthers
	}
	staged, err := w.entries(ctx, "index", text, paths)
	if err != nil {
		return err
	}
	for p, e := range staged {
		if e != before[p] && e != made[p] && !slices.Contains(emptyBlobs, e.ID) {
			return kb.Errorf(kb.Conflict, "somebody has staged %s meanwhile", p).Because(errStaged)
		}
	}
	return w.revise(ctx, text, paths, made)
}

// revise makes the next index of the repository from the one with these bytes, as set does.
func (w *workshop) revise(ctx context.Context, text []byte, paths []string, files map[string]Entry) error {
	if revised, ok := w.r.reviseIndex(text, paths, files); ok {
		return w.fill(w.at(nextIndex), revised)
	}
	if err := w.fill(w.at(nextIndex), text); err != nil {
		return err
	}
	return w.set(ctx, w.at(nextIndex), paths, files)
}

// emptyBlobs are the contents in an index of a file added with intent-to-add.
var emptyBlobs = []string{
	"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
	"473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
}

// mark is what our lock of an index holds, by which one that a dead cairn left is known.
const mark = "locked by cairn\n"

// lockIndex takes git's lock of the index. That of another program is waited for.
func (w *workshop) lockIndex(ctx context.Context) (unlock func(), err error) {
	// The caller holds the lock of the repository, so one of ours is a dead one's.
	if text, err := fsys.ReadRegular(w.path(indexLock), maxIndex); err == nil && string(text) == mark {
		_ = w.files.Remove(indexLock) // else it is waited for
	}
	_ = w.files.Remove(w.at(ourLock)) // of an attempt before
	if err := w.markAt(w.at(ourLock)); err != nil {
		return nil, err
	}
	wait, cancel := context.WithTimeoutCause(ctx, cmp.Or(w.t.Limits.Lock, lockLimit), ErrTimeout)
	defer cancel()
	err = fsys.WhenFree(wait, func() error {
		// It has its mark from the first moment, so that nobody takes it for that of git
		// whenever this process ends.
		err := w.files.Link(w.at(ourLock), indexLock)
		if err == nil || errors.Is(err, os.ErrExist) {
			return err
		}
		return w.markAt(indexLock) // no hard links here (FAT, some network file systems)
	})
	if errors.Is(err, ErrTimeout) {
		return nil, kb.Errorf(kb.Conflict, "another program holds %s", w.path(indexLock)).WithReason(kb.GitLocked).Because(ErrTimeout)
	}
	if err != nil {
		return nil, err
	}
	return func() { _ = w.files.Remove(indexLock) }, nil // else the next one of ours removes it
}

// markAt creates a file with our mark if it does not exist.
func (w *workshop) markAt(name string) error {
	f, err := w.files.Create(name, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write([]byte(mark))
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, w.files.Remove(name))
	}
	return nil
}

// pend notes from which commit the branch moves, and the paths that change.
func (w *workshop) pend(base string, paths []string) error {
	_ = w.files.Remove(pending) // of one that could not be read
	f, err := w.files.Create(pending, 0o644)
	if err != nil {
		return err
	}
	text := base + "\x00"
	for _, p := range paths {
		text += w.r.Prefix + p + "\x00"
	}
	_, err = f.Write([]byte(text))
	return errors.Join(err, f.Sync(), f.Close())
}

// Settle cleans up after a process that died: it removes its lock of the index,
// and updates an index that lacks its commit, which the next commit would
// otherwise revert. The caller holds the lock of the repository.
func (t *Tree) Settle(ctx context.Context, r *Repo) error {
	text, err := fsys.ReadRegular(filepath.Join(r.Dir, filepath.FromSlash(pending)), maxIndex)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	top, all := *t, *r
	top.Dir, all.Prefix = r.Top, ""
	w, err := top.workshop(&all)
	if err != nil {
		return err
	}
	defer w.close()
	if noted, whole := strings.CutSuffix(string(text), "\x00"); whole { // else the branch has not moved
		base, list, _ := strings.Cut(noted, "\x00")
		if err := w.mend(ctx, base, strings.Split(list, "\x00")); err != nil {
			return err
		}
	}
	return w.files.Remove(pending)
}

// MendIndex updates an index that lacks a commit that was found on the branch. The git of a process
// that died may move the branch after Settle has looked at it. The caller holds the lock of
// the repository.
func (t *Tree) MendIndex(ctx context.Context, r *Repo, c Commit) error {
	w, err := t.workshop(r)
	if err != nil {
		return err
	}
	defer w.close()
	if err := w.pend(c.Base, c.paths()); err != nil {
		return err
	}
	return t.Settle(ctx, r)
}

// mend updates the index to the checked-out files at paths where it still
// equals base.
func (w *workshop) mend(ctx context.Context, base string, paths []string) error {
	head, err := w.head(ctx)
	if err != nil {
		return err
	}
	unlock, err := w.lockIndex(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	was, err := w.t.treeEntries(ctx, base, paths)
	if err != nil {
		return err
	}
	is, err := w.t.treeEntries(ctx, head, paths)
	if err != nil {
		return err
	}
	text, err := w.index()
	if err != nil {
		return err
	}
	staged, err := w.entries(ctx, "index", text, paths)
	if err != nil {
		return err
	}
	stale := slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return staged[p] != was[p] || staged[p] == is[p] })
	if len(stale) == 0 {
		return nil
	}
	if err := w.revise(ctx, text, stale, is); err != nil {
		return err
	}
	return w.files.Rename(w.at(nextIndex), "index")
}

// Head returns the commit that is checked out, "" before the first.
func (t *Tree) Head(ctx context.Context, r *Repo) (string, error) {
	return (&workshop{t: t, r: r}).head(ctx)
}

// Moved fails with ErrMoved where a commit has other bytes at the paths than another.
func (t *Tree) Moved(ctx context.Context, r *Repo, base, head string, paths []string) error {
	return (&workshop{t: t, r: r}).moved(ctx, base, head, paths)
}

// FindHere is Find between a commit and the checked-out one.
func (t *Tree) FindHere(ctx context.Context, base, token string) (string, error) {
	head, err := (&workshop{t: t}).head(ctx)
	if err != nil {
		return "", err
	}
	return t.Find(ctx, base, head, token)
}

// Find returns the commit of a write between two commits, "" for none.
func (t *Tree) Find(ctx context.Context, base, head, token string) (string, error) {
	if token == "" || head == "" {
		return "", nil
	}
	span := head
	if base != "" {
		span = base + ".." + head
	}
	out, err := t.git(ctx, run{args: []string{"log", "--max-count=1000", "--format=%H %(trailers:key=" + TokenKey + ",valueonly,separator=%x2C)", span}})
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(out)) {
		if id, tokens, _ := strings.Cut(strings.TrimSpace(line), " "); slices.Contains(strings.Split(tokens, ","), token) {
			return id, nil
		}
	}
	return "", nil
}

// Subject is the first line of a commit: the operation, and the names of the first files
// that it changes.
func Subject(operation string, changes []Change) string {
	names := make([]string, 0, 2)
	for _, c := range changes[:min(len(changes), 2)] {
		names = append(names, path.Base(c.Path))
	}
	subject := operation + ": " + strings.Join(names, ", ")
	if len(changes) > len(names) {
		subject += ", …"
	}
	return subject
}
