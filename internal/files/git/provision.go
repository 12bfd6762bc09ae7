package git

import (
	"cmp"
	"context"
	"os"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// Init makes a git repository of the directory, unless it is in one, and reports whether it
// did. Its first branch is the
// one of the remote at an address, where there is one and it names a branch; else it is as
// the user's settings of git say, or main.
func (t *Tree) Init(ctx context.Context, remote string) (made bool, err error) {
	if top, bare := topOf(t.Dir); top != "" || bare {
		_, err := t.Open(ctx)
		return false, err
	}
	args := []string{"init", "--quiet"}
	if cloned, err := t.cloneEmpty(ctx, remote); err != nil || cloned {
		return cloned, err
	}
	_, err = t.git(ctx, run{args: []string{"config", "--get", "init.defaultBranch"}, plain: true})
	switch exitOf(err) {
	case 1: // the name of the first branch is not configured
		args = append(args, "--initial-branch=main")
	default:
		if err != nil {
			return false, err
		}
	}
	_, err = t.git(ctx, run{args: args, plain: true})
	return err == nil, err
}

// cloneEmpty makes the repository of an empty directory a clone of an empty remote: only so
// its first branch is the one to which HEAD of the remote leads. It returns false where the
// directory or the remote has something, and where the remote cannot be asked.
func (t *Tree) cloneEmpty(ctx context.Context, remote string) (bool, error) {
	if remote == "" || CheckRemote(remote) != nil {
		return false, nil // SetRemote refuses it
	}
	if entries, err := os.ReadDir(t.Dir); err != nil || len(entries) > 0 {
		return false, nil // git init reports a directory that cannot be read
	}
	limit := cmp.Or(t.Limits.Fetch, fetchLimit)
	refs, err := t.outside().ask(ctx, remote, limit)
	if err != nil || len(refs) > 0 {
		return false, ctx.Err()
	}
	_, err = t.git(ctx, run{args: []string{"clone", "--quiet", "--origin", origin, "--", remote, "."}, plain: true, acts: true, limit: limit})
	return err == nil, ctx.Err()
}

// origin is the name of the remote that a space is pushed to.
const origin = "origin"

// helper is the name of a program of git's at the beginning of an address, such as in ext::.
var helper = lazyregexp.New(`^[A-Za-z0-9.+-]+::`)

// CheckRemote refuses the address of a remote that is an option of git, or runs a program.
func CheckRemote(url string) error {
	switch {
	case strings.TrimSpace(url) == "" || strings.ContainsFunc(url, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return kb.Errorf(kb.Usage, "%q is not the address of a git repository", Shown(url))
	case strings.HasPrefix(url, "-"):
		return kb.Errorf(kb.Refused, "the address %q is an option of git", Shown(url))
	case helper().MatchString(url):
		return kb.Errorf(kb.Refused, "the address %q names a program that git would run", Shown(url)).WithHint("Use an address such as git@example.org:kb.git.")
	}
	return nil
}

// SetRemote makes an address the remote that the current branch follows and is
// pushed to. A different existing remote is kept, which is a kb.Conflict. A
// remote with commits, while the repository has none, is also a kb.Conflict: it
// has to be cloned.
func (t *Tree) SetRemote(ctx context.Context, r *Repo, url string) error {
	if err := CheckRemote(url); err != nil {
		return err
	}
	had, err := t.line(ctx, "config", "--get", "remote."+origin+".url")
	if err != nil && exitOf(err) != 1 {
		return err
	}
	switch {
	case had == url:
	case had != "":
		return kb.Errorf(kb.Conflict, "the git repository has another remote %s", origin).WithHint(unchanged)
	default:
		if err := t.unborn(ctx, r, url); err != nil {
			return err
		}
		if _, err := t.git(ctx, run{args: []string{"remote", "add", "--", origin, url}, plain: true}); err != nil {
			return err
		}
	}
	branch, err := t.line(ctx, "symbolic-ref", "--quiet", "--short", "HEAD")
	if err != nil {
		if exitOf(err) == 1 {
			return nil // there is none
		}
		return err
	}
	switch _, err := t.line(ctx, "config", "--get", "branch."+branch+".remote"); {
	case err == nil:
		return nil // it follows one already
	case exitOf(err) != 1:
		return err
	}
	if _, err := t.line(ctx, "config", "branch."+branch+".remote", origin); err != nil {
		return err
	}
	_, err = t.line(ctx, "config", "branch."+branch+".merge", "refs/heads/"+branch)
	return err
}

// unborn refuses a remote with commits if the repository has none. A remote
// that cannot be reached may be empty.
func (t *Tree) unborn(ctx context.Context, r *Repo, url string) error {
	if head, err := t.Head(ctx, r); err != nil || head != "" {
		return err
	}
	out, err := t.ask(ctx, url, cmp.Or(t.Limits.Fetch, fetchLimit))
	if err != nil {
		return ctx.Err()
	}
	if len(out) == 0 {
		return nil
	}
	return kb.Errorf(kb.Conflict, "the remote has commits already, and the repository here has none").
		WithHint("Nothing was added. Clone it with git clone, and add the clone.")
}
