package git

import (
	"cmp"
	"context"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Branch returns the checked-out branch and its upstream, without checking
// files.
func (t *Tree) Branch(ctx context.Context, r *Repo) (*State, error) {
	if err := t.know(ctx, r); err != nil {
		return nil, err
	}
	out, err := t.git(ctx, run{with: unfiltered(r.settings), args: []string{"status", "--porcelain=v2", "--branch", "-z", "--ignore-submodules=all", "--no-renames", "--untracked-files=no"}})
	if err != nil {
		return nil, err
	}
	s := &State{Under: r.under()}
	for _, f := range fields(out) {
		if strings.HasPrefix(f, "# ") {
			s.read(f, r.Prefix)
		}
	}
	return s, t.waiting(ctx, s, out)
}

// remote returns the upstream of a branch: the name of a remote, and the branch
// there.
func (t *Tree) remote(ctx context.Context, branch string) (remote, ref string, err error) {
	if remote, err = t.line(ctx, "config", "--get", "branch."+branch+".remote"); err == nil {
		ref, err = t.line(ctx, "config", "--get", "branch."+branch+".merge")
	}
	if err != nil {
		return "", "", err
	}
	if strings.HasPrefix(remote, "-") || strings.HasPrefix(ref, "-") {
		return "", "", kb.Errorf(kb.Refused, "the remote of %s has a name that is an option of git", branch)
	}
	return remote, ref, nil
}

// Push pushes a branch to the one that it follows. A push that would lose commits there
// fails.
func (t *Tree) Push(ctx context.Context, branch string) error {
	remote, ref, err := t.remote(ctx, branch)
	if err != nil {
		return err
	}
	if err := t.permit(ctx, nil, true); err != nil {
		return err
	}
	_, err = t.git(ctx, run{
		acts:  true,
		args:  []string{"push", "--quiet", "--no-follow-tags", "--recurse-submodules=no", remote, "refs/heads/" + branch + ":" + ref},
		plain: true, limit: cmp.Or(t.Limits.Far, farLimit),
	})
	return err
}

// Fetch fetches the remote of a branch. With soon it waits no longer than a
// write may.
func (t *Tree) Fetch(ctx context.Context, branch string, soon bool) error {
	limit := cmp.Or(t.Limits.Far, farLimit)
	if soon {
		limit = cmp.Or(t.Limits.Fetch, fetchLimit)
	}
	remote, _, err := t.remote(ctx, branch)
	if err != nil {
		return err
	}
	if err := t.permit(ctx, nil, true); err != nil {
		return err
	}
	_, err = t.git(ctx, run{
		acts:  true,
		args:  []string{"fetch", "--quiet", "--no-tags", "--recurse-submodules=no", remote},
		plain: true, limit: limit,
	})
	return err
}
