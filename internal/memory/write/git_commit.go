package write

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/git"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/store"
)

// guarded is the git repository of a space in a change set that its policy
// commits.
type guarded struct {
	space *Space
	tree  *git.Tree
	repo  *git.Repo // nil where git cannot be asked
	base  string    // the checked-out commit when the change was checked
	held  error     // why the commit cannot be made now
	id    string    // of the commit
}

// Tree returns the space's directory in its git repository, for one operation.
func (s *Space) Tree() *git.Tree {
	t := &git.Tree{Dir: s.Root}
	if s.Accepted != nil {
		t.Consent = &git.Consent{Accepted: func(ctx context.Context) ([]string, error) { return s.Accepted(ctx, kb.GitPart) }}
	}
	return t
}

// Guards reports whether each write to the space is a commit.
func (s *Space) Guards() bool {
	return s.Files != nil && s.Root != "" && s.Policy != nil && s.Policy.Guard.Commit
}

// NotGuarded is the error of a use of the repository of a space that does not commit writes.
func (s *Space) NotGuarded() error {
	if s.Policy != nil && s.Policy.CommitWaits {
		return kb.Errorf(kb.Usage, "the policy of %s would keep it in git, and came with its directory: it waits until a person accepts it", s.Name).
			WithReason(kb.PolicyWaits).WithFact("root", s.Root)
	}
	return kb.Errorf(kb.Usage, "the policy of %s does not keep it in git", s.Name).WithHint("That is commit = true in [guard].")
}

// CommitToken names a write in the trailer of its commit.
func CommitToken(space kb.ID, w kb.Write) string {
	return string(kb.DerivedID(space, w.Time.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano), w.Operation, 0))
}

// guard opens the repositories of the spaces of a call that commit, and locks them until
// the call is answered.
func (w *Writer) guard(c *call) error {
	for _, space := range append(spacesOf(c.req.Changes), c.linking...) {
		if err := Here(space.Space); err != nil {
			return err
		}
		if !space.Guards() {
			continue
		}
		go secrets.Ready() // while git is asked
		g := &guarded{space: space, tree: space.Tree()}
		var err error
		if g.repo, err = g.tree.Open(c.ctx); err != nil {
			if errors.Is(err, git.ErrNoRepository) || c.ctx.Err() != nil {
				return err
			}
			g.held = err
		}
		c.guarded = append(c.guarded, g)
	}
	return lockRepositories(c)
}

// lockRepositories locks each repository once, in one order for all callers.
func lockRepositories(c *call) error {
	if c.req.DryRun {
		return nil
	}
	var repos []*git.Repo
	for _, g := range c.guarded {
		if g.repo != nil && !slices.ContainsFunc(repos, func(r *git.Repo) bool { return r.Dir == g.repo.Dir }) {
			repos = append(repos, g.repo)
		}
	}
	slices.SortFunc(repos, func(a, b *git.Repo) int { return cmp.Compare(a.Dir, b.Dir) })
	for _, r := range repos {
		unlock, err := r.Lock(c.ctx, store.Patience(c.ctx, store.BusyTime))
		if err != nil {
			return err
		}
		c.unlock = append(c.unlock, unlock)
	}
	for _, g := range c.guarded {
		if g.repo != nil && g.held == nil {
			g.held = g.tree.Settle(c.ctx, g.repo)
		}
	}
	return nil
}

// release releases the repositories of a call.
func (c *call) release() {
	for _, unlock := range slices.Backward(c.unlock) {
		if err := unlock(); err != nil {
			c.err = errors.Join(c.err, err)
		}
	}
	c.unlock = nil
}

// checkRepositories refuses paths that could not be committed on their own. If
// git cannot report the state, the write proceeds and its commit is deferred.
func (w *Writer) checkRepositories(c *call) error {
	for _, g := range c.guarded {
		paths := g.paths(c.set.journal())
		if len(paths) == 0 || g.held != nil {
			continue
		}
		state, err := g.tree.Check(c.ctx, g.repo, paths)
		var failure *git.Failure
		switch {
		case errors.As(err, &failure) && c.ctx.Err() == nil:
			g.held = err
			continue
		case err != nil:
			return err
		}
		// A write to a branch that is behind is retried after a pull.
		if err := state.Level(); err != nil && !c.req.Unlevel && !(c.req.DryRun && kb.AsError(err).Reason == kb.GitBehind) {
			return err
		}
		g.base = state.Head
		if c.req.DryRun {
			continue
		}
		// An older write that still waits would otherwise be committed after this one.
		if _, err := w.commitPending(c.ctx, g); err != nil {
			g.held = err
		}
	}
	return nil
}

// paths are those of a record that are in the space.
func (g *guarded) paths(r *record) (out []string) {
	for _, c := range g.changes(r) {
		out = append(out, c.Path)
	}
	return out
}

// changes returns the changes of a record to files of the space, each path
// once.
func (g *guarded) changes(r *record) (out []git.Change) {
	put := func(c git.Change) {
		i := slices.IndexFunc(out, func(o git.Change) bool { return o.Path == c.Path })
		switch {
		case i < 0:
			out = append(out, c)
		case out[i].New == nil: // a file that takes the place of another
			out[i] = c
		}
	}
	for i := range r.Ops {
		o := &r.Ops[i]
		if o.Space != g.space.Row {
			continue
		}
		if o.From != "" {
			put(git.Change{Path: o.From})
		}
		put(git.Change{Path: o.Path, New: o.New})
	}
	return out
}

// commitOf is the commit of a record.
func (g *guarded) commitOf(r *record) git.Commit {
	return g.commit(kb.Write{Time: r.Time, Actor: r.Actor, Operation: r.Operation, Message: r.Message}, g.base, g.changes(r))
}

func (g *guarded) commit(wr kb.Write, base string, changes []git.Change) git.Commit {
	return git.Commit{
		Base: base, Token: CommitToken(g.space.ID, wr), Subject: git.Subject(wr.Operation, changes), Body: wr.Message,
		Trailers: []git.Trailer{{Key: "Cairn-Actor", Value: wr.Actor.String()}, {Key: "Cairn-Operation", Value: wr.Operation}},
		Changes:  changes, SkipHook: g.space.Policy.Guard.Hooks == policy.SkipHooks,
	}
}

// commitFiles commits the files of a call. A hook that rejects the commit, and
// a branch with changes by others to the same files, revert the call; after any
// other error the commit is deferred.
func (w *Writer) commitFiles(c *call) error {
	made := false
	for _, g := range c.guarded {
		if g.held != nil || len(g.changes(c.rec)) == 0 {
			continue
		}
		commit := g.commitOf(c.rec)
		commit.Time = c.rec.Time
		f := &following{c: c, space: g.space}
		commit.Follow = f.changes
		done, err := g.tree.Commit(context.WithoutCancel(c.ctx), g.repo, commit)
		var no *git.Refusal
		switch {
		case err == nil:
			made, g.id = true, done.ID
			if err := errors.Join(rewritten(c, g, done.Rewritten), f.finish(done.Rewritten)); err != nil {
				return err
			}
		case made:
			g.held = err // another space is committed already
		case errors.As(err, &no):
			hint := "Nothing was changed."
			if left := c.keepHooked(g); len(left) > 0 {
				hint = "Nothing was committed. Changed meanwhile, and left as they are: " + strings.Join(left, ", ")
			}
			return kb.Errorf(kb.Refused, "%s", no.Error()).WithHint("%s", hint).WithReason(kb.HookRefused).With("hook", no.Hook).Because(err)
		case errors.Is(err, git.ErrMoved):
			return kb.Errorf(kb.Conflict, "somebody else has just committed changes to the same files").WithHint("Nothing was changed. Read them again and repeat the change.").Because(err)
		default:
			g.held = err
		}
	}
	return nil
}

// rewritten replaces the written bytes by the result of a hook.
func rewritten(c *call, g *guarded, files map[string][]byte) error {
	ctx := context.WithoutCancel(c.ctx)
	for i := range c.rec.Ops {
		o := &c.rec.Ops[i]
		text, hooked := files[o.Path]
		if o.Space != g.space.Row || !hooked || text == nil {
			continue
		}
		now, err := bytesAt(ctx, g.space.Files, o.Path)
		if err != nil {
			return err
		}
		if same(now, o.New) && !same(now, text) {
			err := fsys.WriteAtomic(ctx, g.space.Files, o.Path, text, fsys.Unchanged(o.New), fsys.WriteOptions{})
			if err != nil && !errors.Is(err, fsys.ErrNotDurable) {
				return fsys.Explain(err, "write %s", o.Path)
			}
		}
		o.New = text
		for _, t := range c.set.docs {
			switch {
			case t.space.Row != o.Space || t.gone:
			case o.Of == "" && t.to == o.Path:
				t.new = text
			case o.Of != "" && t.to == o.Of:
				t.side.new = text
			}
		}
	}
	return nil
}

// following are the index files of a space after a hook rewrote pages of a call.
type following struct {
	c       *call
	space   *Space
	ops     []op
	catalog *cataloguer
}

// changes makes the index files again where a hook rewrote pages.
func (f *following) changes(ctx context.Context, rewritten map[string][]byte) (out []git.Change, err error) {
	f.ops, f.catalog = nil, nil
	if !hasCatalog(f.space) {
		return nil, nil
	}
	docs, other := make([]*target, len(f.c.set.docs)), false
	for i, t := range f.c.set.docs {
		docs[i] = t
		if text := rewritten[t.to]; text != nil && t.space.Row == f.space.Row && !t.gone {
			as := *t // t itself stays as it is until there is a commit
			as.new, docs[i], other = text, &as, true
		}
	}
	if !other {
		return nil, nil
	}
	f.catalog = &cataloguer{w: f.c.set.w, space: f.space, docs: docs}
	if f.ops, err = f.catalog.ops(ctx); err != nil {
		return nil, err
	}
	for _, o := range f.ops {
		out = append(out, git.Change{Path: o.Path, New: o.New})
	}
	return out, nil
}

// finish replaces the index files that were not part of the call before.
func (f *following) finish(hooked map[string][]byte) (err error) {
	for i, known := range f.c.set.catalogs {
		switch {
		case known.space.Row != f.space.Row:
		case f.catalog != nil:
			f.c.set.catalogs[i] = f.catalog
		case len(hooked) > 0:
			known.sum = "" // the files may be those of the hook
		}
	}
	for _, o := range f.ops {
		if slices.ContainsFunc(f.c.rec.Ops, func(x op) bool { return x.Space == o.Space && x.Path == o.Path && o.New != nil }) {
			continue
		}
		e := o.replace(context.WithoutCancel(f.c.ctx), f.space.Files, fsys.WriteOptions{})
		if e != nil && !errors.Is(e, fsys.ErrNotDurable) && !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, fsys.Explain(e, "write %s", o.Path))
		}
	}
	return err
}

// keepHooked records versions of changes made to the files of a call since they
// were put in place: by the hook that rejects it, or by a program that saved at
// that moment. Then the call is reverted. A new file that was changed stays,
// and so does one with bytes that could not be stored; those are returned.
func (c *call) keepHooked(g *guarded) (left []string) {
	ctx := context.WithoutCancel(c.ctx)
	for i := range c.rec.Ops {
		o := &c.rec.Ops[i]
		if o.Space != g.space.Row || o.New == nil {
			continue
		}
		now, err := bytesAt(ctx, g.space.Files, o.Path)
		if err == nil && (now == nil || same(now, o.New)) {
			continue
		}
		if err != nil || o.Old == nil || o.Generated || c.set.w.keepStray(ctx, g.space, o, now) != nil {
			left = append(left, o.Path)
			continue
		}
		o.New = now
		c.kept = append(c.kept, o)
	}
	return left
}

// forgetHooked restores the index to the files of a reverted call.
func (c *call) forgetHooked() (err error) {
	for _, o := range c.kept {
		err = errors.Join(err, c.set.w.keepStray(context.WithoutCancel(c.ctx), c.set.space(o.Space), o, o.Old))
	}
	return err
}

// noteCommits adds deferred commits and their reasons to an answer.
func (c *call) noteCommits() {
	for _, g := range c.guarded {
		if g.held == nil || c.res == nil {
			continue
		}
		for i := range c.res.Pages {
			if c.res.Pages[i].Space == g.space.Name {
				p := &c.res.Pages[i]
				p.Notes = append(slices.Clip(p.Notes), "it is not committed yet: "+g.held.Error())
				break
			}
		}
	}
}

// recoverCommits makes the commits of a record from a dead process, or repairs
// git's index if they were made. It returns false if a hook rejects one: then
// the write has to be reverted.
func (w *Writer) recoverCommits(ctx context.Context, rec *record, states []state, spaces map[int64]*Space) (stands bool, held []*guarded, err error) {
	made := false
	for _, r := range rec.Git {
		space := spaces[r.Space]
		if space == nil || !space.Guards() {
			continue
		}
		g := &guarded{space: space, tree: space.Tree(), base: r.Base}
		if r.Held != "" {
			g.held = errors.New(r.Held)
			held = append(held, g)
			continue
		}
		found, err := w.recoverCommit(ctx, g, rec, states)
		var no *git.Refusal
		switch {
		case err == nil:
			made = made || found
		case ctx.Err() != nil:
			return false, nil, err
		case errors.As(err, &no) && !made:
			return false, nil, nil
		case errors.Is(err, git.ErrMoved), errors.Is(err, git.ErrNoRepository):
			// Others have committed the files since, or removed them from git.
		default:
			g.held = err
			held = append(held, g)
		}
	}
	return true, held, nil
}

func (w *Writer) recoverCommit(ctx context.Context, g *guarded, rec *record, states []state) (made bool, err error) {
	if g.repo, err = g.tree.Open(ctx); err != nil {
		return false, err
	}
	unlock, err := g.repo.Lock(ctx, store.Patience(ctx, store.BusyTime))
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := g.tree.Settle(ctx, g.repo); err != nil {
		return false, err
	}
	ours := &record{Time: rec.Time, Actor: rec.Actor, Operation: rec.Operation, Message: rec.Message}
	for i, o := range rec.Ops {
		if states[i] != foreign {
			ours.Ops = append(ours.Ops, o)
		}
	}
	c := g.commitOf(ours)
	id, err := g.tree.FindHere(ctx, g.base, c.Token)
	if err != nil {
		return false, err
	}
	if id != "" {
		return true, g.tree.MendIndex(ctx, g.repo, c)
	}
	if len(c.Changes) == 0 {
		return false, nil
	}
	_, err = g.tree.Commit(ctx, g.repo, c)
	return err == nil, err
}
