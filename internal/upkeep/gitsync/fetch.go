package gitsync

import (
	"context"
	"errors"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/git"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/write"
)

// PullRemote fast-forwards the branch of a space to the fetched commits of the
// remote, if it has no local commits.
func PullRemote(ctx context.Context, sess *memory.Session, s kb.Space) error {
	w, err := sess.Spaces.OpenSpace(ctx, s)
	if err != nil || !w.Guards() {
		return err
	}
	var out api.GitPull
	if err := catchUp(ctx, sess, w, &out); err != nil {
		return err
	}
	return settled(ctx, sess, w, out.Changed())
}

func catchUp(ctx context.Context, sess *memory.Session, w *write.Space, out *api.GitPull) (err error) {
	tree := w.Tree()
	repo, err := tree.Open(ctx)
	if err != nil {
		return err
	}
	state, err := tree.Branch(ctx, repo)
	if err != nil || state.Behind == 0 {
		return err
	}
	if state.Ahead > 0 {
		return unsaved(ctx, tree, repo)
	}
	return bring(ctx, sess, w, PullRequest{}, out)
}

// unsaved rejects, as kb.UnsavedEdits, a merge with the remote that would change a
// file with unsaved edits in Emacs.
func unsaved(ctx context.Context, tree *git.Tree, repo *git.Repo) error {
	theirs, err := tree.Upstream(ctx)
	if err != nil {
		return err
	}
	ours, err := tree.Head(ctx, repo)
	if err != nil {
		return err
	}
	bases, err := tree.Bases(ctx, ours, theirs)
	if err != nil || len(bases) == 0 {
		return err
	}
	top := &git.Tree{Dir: repo.Top, Consent: tree.Consent}
	differences, err := top.Differences(ctx, bases[0], theirs)
	if err != nil {
		return err
	}
	for path := range differences {
		if err := top.Unsaved(path); err != nil {
			return err
		}
	}
	return nil
}

// FetchRemote fetches from the remote of a space, if its policy requires it and the
// last fetch is old enough. An unreachable remote is recorded, and is not an error.
func FetchRemote(ctx context.Context, sess *memory.Session, s kb.Space) error {
	w, err := sess.Spaces.OpenSpace(ctx, s)
	if err != nil || !w.Guards() || w.Policy.Guard.Fetch == 0 {
		return err
	}
	n, err := readNoted(ctx, sess, w.ID)
	lately := func(at time.Time) bool { return sess.Now().Sub(at) < w.Policy.Guard.Every() && !at.After(sess.Now()) }
	if err != nil || n.Fetch != nil && lately(n.Fetch.At) || lately(n.Asked) {
		return err
	}
	tree := w.Tree()
	repo, err := tree.Open(ctx)
	if err != nil {
		return nil // the write reports the problem
	}
	state, err := tree.Branch(ctx, repo)
	if err != nil {
		return nil
	}
	if state.Ready("") != nil {
		return nil
	}
	if state.Upstream == "" {
		return note(ctx, sess, w.ID, func(n *noted) { n.Asked = sess.Now().UTC() })
	}
	_ = fetch(ctx, sess, w, tree, state.Branch, true) // recorded
	return ctx.Err()
}

// fetch fetches from the remote, and records the outcome. A remote that is not
// accepted is not contacted.
func fetch(ctx context.Context, sess *memory.Session, w *write.Space, tree *git.Tree, branch string, soon bool) error {
	err := tree.Fetch(ctx, branch, soon)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if unaccepted(err) {
		return err
	}
	o := outcome{At: sess.Now().UTC()}
	if err != nil {
		o.Error = err.Error()
	}
	return errors.Join(err, note(ctx, sess, w.ID, func(n *noted) { n.Fetch = &o }))
}
