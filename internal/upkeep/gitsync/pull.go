package gitsync

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/indexfile"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/git"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
)

// PullRequest configures how the commits of a remote are merged.
type PullRequest struct {
	DryRun bool
	// Conflicting paths, with the winning side.
	Ours, Theirs []string
}

// Pull fetches from the remote and integrates its commits: by a fast-forward, or by
// one merge commit. If there is any conflict, nothing changes.
func Pull(ctx context.Context, sess *memory.Session, req PullRequest) (api.GitPull, error) {
	w, err := current(ctx, sess)
	if err != nil {
		return api.GitPull{}, err
	}
	out := api.GitPull{Space: w.Name, Files: []string{}, Merged: []string{}, Conflicts: []api.GitConflict{}, Broken: []api.Fault{}, DryRun: req.DryRun}
	tree := w.Tree()
	repo, err := tree.Open(ctx)
	if err != nil {
		return out, err
	}
	state, err := tree.Branch(ctx, repo)
	if err != nil {
		return out, err
	}
	if err := follows(state, "Nothing was changed."); err != nil {
		return out, err
	}
	if err := fetch(ctx, sess, w, tree, state.Branch, false); unaccepted(err) {
		return out, err
	} else if err != nil {
		return out, kb.Errorf(kb.Conflict, "could not fetch from the remote: %w", err).WithHint("Nothing was changed.").WithReason(kb.GitUnreachable)
	}
	if _, err := freshness.Sync(ctx, sess, w.Space, freshness.Request{DryRun: req.DryRun}); err != nil {
		return out, err
	}
	if !req.DryRun {
		_, _ = sess.Writer.CommitPending(ctx, w) // pending commits that remain only matter for the files involved
	}
	if err := bring(ctx, sess, w, req, &out); err != nil {
		return out, err
	}
	if !out.Changed() && !req.DryRun && len(out.Conflicts) == 0 && len(out.Broken) == 0 {
		return out, mend(ctx, sess, w)
	}
	return out, settled(ctx, sess, w, out.Changed())
}

// settled updates the index of the memory, and the index files of a space, for
// files changed by git.
func settled(ctx context.Context, sess *memory.Session, w *write.Space, changed bool) error {
	if !changed {
		return nil
	}
	if _, err := freshness.Sync(ctx, sess, w.Space, freshness.Request{}); err != nil {
		return err
	}
	return Recatalog(ctx, sess.Writer, w)
}

// current returns the current space, which must be guarded.
func current(ctx context.Context, sess *memory.Session) (*write.Space, error) {
	s, err := sess.Spaces.Current(ctx)
	if err != nil {
		return nil, err
	}
	w, err := sess.Spaces.OpenSpace(ctx, s)
	if err == nil && !w.Guards() {
		err = w.NotGuarded()
	}
	return w, err
}

// follows rejects a branch without an upstream.
func follows(s *git.State, hint string) error {
	if err := s.Ready(hint); err != nil {
		return err
	}
	if s.Upstream == "" {
		return kb.Errorf(kb.Conflict, "%s follows no branch of a remote", s.Branch).WithHint("%s", hint).WithReason(kb.GitNoUpstream)
	}
	return nil
}

// bring merges the fetched commits.
func bring(ctx context.Context, sess *memory.Session, w *write.Space, req PullRequest, out *api.GitPull) (err error) {
	tree, repo, unlock, err := sess.Writer.Repository(ctx, w)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	state, err := tree.Branch(ctx, repo)
	if err != nil {
		return err
	}
	if err := follows(state, "Nothing was changed."); err != nil {
		return err
	}
	out.Branch, out.Upstream, out.Commits = state.Branch, state.Upstream, state.Behind
	theirs, err := tree.Upstream(ctx)
	if err != nil || state.Behind == 0 {
		if state.Behind == 0 {
			return nil // or the branch does not exist yet
		}
		return err
	}
	whole := *repo
	whole.Prefix = ""
	p := &puller{Session: sess, w: w, repo: repo, top: &git.Tree{Dir: repo.Top, Consent: tree.Consent}, whole: &whole, theirs: theirs, out: out, dry: req.DryRun}
	if p.ours, err = tree.Head(ctx, repo); err != nil {
		return err
	}
	if state.Ahead == 0 {
		return p.forward(ctx, theirs)
	}
	return p.merge(ctx, req)
}

// puller integrates the commits of a remote into a space.
type puller struct {
	*memory.Session
	w            *write.Space
	repo         *git.Repo
	top          *git.Tree // the whole work tree
	whole        *git.Repo
	ours, theirs string // commits
	out          *api.GitPull
	dry          bool
}

// here returns the path in the space of a path in the repository; a path outside of
// the space is returned unchanged.
func (p *puller) here(path string) string {
	if in, ok := p.repo.Owns(path); ok {
		return in
	}
	return path
}

// codec returns the codec for a path of the repository, nil if it is not a
// document.
func (p *puller) codec(path string) doc.Codec {
	in, ok := p.repo.Owns(path)
	if !ok || doc.ForPath(p.Session.Codecs, in) == nil || p.w.CheckPath(in) != nil {
		return nil
	}
	return doc.ForNote(p.Session.Codecs, p.w.Syntax, in)
}

// forward moves the branch to a descendant of ours.
func (p *puller) forward(ctx context.Context, to string) error {
	differences, err := p.top.Differences(ctx, p.ours, to)
	if err != nil {
		return err
	}
	p.out.Files = p.files(maps.Keys(differences))
	if p.dry {
		if err := p.top.Overlap(ctx, p.whole, p.withoutIndex(ctx, differences)); err != nil {
			return err
		}
		return nil
	}
	if err := p.clearIndex(ctx, differences); err != nil {
		return err
	}
	err = p.top.FastForward(ctx, p.whole, to, differences, p.w.Policy.Guard.Hooks == policy.SkipHooks)
	if err != nil && kb.CodeOf(err) == kb.Internal && ctx.Err() == nil {
		err = kb.Errorf(kb.Conflict, "git did not bring the files up to date: %w", err).WithHint("Nothing is lost.")
	}
	return err
}

// files returns paths in the space, sorted; other paths of the repository are
// ignored.
func (p *puller) files(paths func(yield func(string) bool)) []string {
	out := []string{}
	for path := range paths {
		out = append(out, p.here(path))
	}
	slices.Sort(out)
	return out
}

// generated reports whether a path is an index file that is regenerated.
func (p *puller) generated(ctx context.Context, path string) (bool, error) {
	in, ok := p.repo.Owns(path)
	index := p.w.Policy.Index
	if !ok || index.File == "" || !(indexfile.Options{Name: index.File, Org: p.w.Policy.Format == "org"}).Owns(in) {
		return false, nil
	}
	text, _, err := fsys.ReadFile(ctx, p.w.Files, in, write.MaxDocument)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	return err == nil && indexfile.Made(text), err
}

// withoutIndex removes index files, which cannot cause conflicts.
func (p *puller) withoutIndex(ctx context.Context, differences map[string]git.Difference) map[string]git.Difference {
	out := maps.Clone(differences)
	for path := range differences {
		if made, err := p.generated(ctx, path); err == nil && made {
			delete(out, path)
		}
	}
	return out
}

// clearIndex removes index files that differ from git's, so that git can replace
// them; they are regenerated afterwards.
func (p *puller) clearIndex(ctx context.Context, differences map[string]git.Difference) error {
	for path, d := range differences {
		made, err := p.generated(ctx, path)
		if err != nil {
			return err
		}
		if !made {
			continue
		}
		in := p.here(path)
		now, _, err := fsys.ReadFile(ctx, p.w.Files, in, write.MaxDocument)
		if errors.Is(err, fs.ErrNotExist) {
			now, err = nil, nil
		}
		if err != nil {
			return fsys.Explain(err, "read %s", in)
		}
		if d.From == (git.Entry{}) {
			if now != nil {
				err = p.w.Files.Remove(in)
			}
		} else {
			var was []byte
			if was, err = p.top.Text(ctx, path, d.From); err == nil && (now == nil || !bytes.Equal(now, was)) {
				pre := fsys.Unchanged(now)
				if now == nil {
					pre = fsys.Absent()
				}
				err = fsys.WriteAtomic(ctx, p.w.Files, in, was, pre, fsys.WriteOptions{})
			}
		}
		if err != nil && !errors.Is(err, fsys.ErrNotDurable) {
			return fsys.Explain(err, "write %s", in)
		}
	}
	return nil
}
