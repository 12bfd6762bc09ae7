package gitsync

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/git"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/lintpages"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/lint"
)

// maxItems is the maximum number of examples in a check.
const maxItems = 10

// Doctor checks the repositories of guarded spaces. It contacts their remotes, also
// without credentials as a stranger would, and measures the size of their sources.
// With deep it scans every version of every file for credentials. It changes
// nothing.
func Doctor(ctx context.Context, sess *memory.Session, deep bool) (all []api.Check, err error) {
	failed := func(space string, err error) {
		all = append(all, api.Check{Name: "git " + space, State: "warning", Reason: kb.AsError(err).Error(), Remedy: kb.AsError(err).Hint})
	}
	err = each(ctx, sess, failed, func(w *write.Space) error {
		sources, err := weigh(w)
		if err != nil {
			return err
		}
		all = append(all, sources...)
		t := w.Tree()
		r, err := t.Open(ctx)
		if err != nil {
			return nil // another check reports its state
		}
		remote, err := askRemote(ctx, t, r, w.Name)
		if err != nil {
			return err
		}
		all = append(all, remote)
		if deep {
			past, err := pastSecrets(ctx, t, r, w)
			if err != nil {
				return err
			}
			all = append(all, past)
		}
		return nil
	})
	return all, err
}

// weigh reports the size of the sources of a space.
func weigh(w *write.Space) ([]api.Check, error) {
	dir := w.Policy.Sources.Dir
	if dir == "" || w.Files == nil {
		return nil, nil
	}
	var files, bytes int64
	c := api.Check{Name: "sources " + w.Name, State: "ok"}
	err := lintpages.EachFile(w.Files, dir, func(path string, size int64) error {
		files, bytes = files+1, bytes+size
		if size > lint.LargeSource && len(c.Items) < maxItems {
			c.Items = append(c.Items, fmt.Sprintf("%s: %d KB", path, size>>10))
		}
		return nil
	})
	c.Reason = fmt.Sprintf("%d files in %s, %d KB", files, dir, (bytes+1023)>>10)
	if files == 1 {
		c.Reason = fmt.Sprintf("1 file in %s, %d KB", dir, (bytes+1023)>>10)
	}
	return []api.Check{c}, err
}

// askRemote reports whether the remote of a space answers, and whether it is
// readable without credentials.
func askRemote(ctx context.Context, t *git.Tree, r *git.Repo, space string) (api.Check, error) {
	c := api.Check{Name: "remote " + space, State: "ok"}
	state, err := t.Branch(ctx, r)
	if err != nil {
		return c, err
	}
	if state.Branch == "" || state.Upstream == "" {
		c.Reason = "there is none: the repository here is the only copy"
		return c, nil
	}
	all, err := t.Addresses(ctx, state.Branch)
	if err != nil {
		return c, err
	}
	var (
		group          errgroup.Group
		lock           sync.Mutex
		silent, public []string
		unknown        []string
	)
	for _, at := range all {
		group.Go(func() error {
			if err := t.Ask(ctx, at); err != nil {
				lock.Lock()
				defer lock.Unlock()
				silent = append(silent, git.Shown(at)+" does not answer: "+reasonOf(err))
			}
			return nil
		})
		for _, open := range git.Strangers(at) {
			group.Go(func() error {
				shown, err := t.AskAsStranger(ctx, open)
				lock.Lock()
				defer lock.Unlock()
				switch {
				case err != nil && !slices.Contains(unknown, open):
					unknown = append(unknown, open)
				case shown && !slices.Contains(public, open):
					public = append(public, open)
				}
				return nil
			})
		}
	}
	_ = group.Wait() // they return no errors
	if ctx.Err() != nil {
		return c, ctx.Err()
	}
	for _, list := range [][]string{silent, public, unknown} {
		slices.Sort(list)
	}
	switch {
	case len(public) > 0:
		c.State, c.Reason = "error", "everybody can read "+strings.Join(public, ", ")
		c.Remedy = "make the repository private there; what it holds may have been read already"
		c.Items = silent
	case len(silent) > 0:
		c.State, c.Reason, c.Items = "warning", silent[0], silent[1:]
		c.Remedy = "see what git fetch says; until then commits wait here"
	default:
		shown := make([]string, len(all))
		for i, at := range all {
			shown[i] = git.Shown(at)
		}
		c.Reason = strings.Join(shown, ", ") + " answers"
		switch asked := slices.ContainsFunc(all, func(at string) bool { return len(git.Strangers(at)) > 0 }); {
		case len(unknown) > 0:
			c.Reason += "; whether strangers can read it is not known: no answer from " + strings.Join(unknown, ", ")
		case asked:
			c.Reason += ", and shows nothing to strangers"
		}
	}
	return c, nil
}

// reasonOf formats an error of git as one line.
func reasonOf(err error) string {
	if errors.Is(err, git.ErrTimeout) {
		return "it took too long"
	}
	var f *git.Failure
	if errors.As(err, &f) && f.Said != "" {
		return strings.Join(strings.Fields(f.Said), " ")
	}
	return kb.AsError(err).Error()
}

// pastSecrets searches all versions of all files of a space for credentials.
func pastSecrets(ctx context.Context, t *git.Tree, r *git.Repo, w *write.Space) (api.Check, error) {
	c := api.Check{Name: "git history " + w.Name, State: "ok"}
	found := 0
	read, left, err := t.Versions(ctx, r, write.MaxDocument, func(v git.Version, text []byte) error {
		for _, f := range lint.Source(v.Path, text, w.Policy) {
			if f.Rule != policy.LintSecret {
				continue
			}
			if found++; found > maxItems {
				return nil
			}
			since, err := t.Since(ctx, v.ID)
			if err != nil {
				return err
			}
			c.Items = append(c.Items, fmt.Sprintf("%s:%d in %s: %s", v.Path, f.Line, since, f.Message))
		}
		return nil
	})
	if err != nil {
		return c, err
	}
	c.Reason = fmt.Sprintf("no credential in %d versions of files", read)
	if left > 0 {
		c.Reason += fmt.Sprintf("; %d are too large to be read", left)
	}
	if found > 0 {
		c.State, c.Reason = "warning", fmt.Sprintf("%d credentials in old versions of files, included in every clone", found)
		if found == 1 {
			c.Reason = "a credential in an old version of a file, included in every clone"
		}
		c.Remedy = "replace it where it is used; taking it out of the history is for git filter-repo, and cairn rewrites none"
	}
	return c, nil
}
