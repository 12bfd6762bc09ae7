package doctor

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
)

// checkGuard reports the state of the git repository of a guarded space.
func checkGuard(ctx context.Context, l *Look, in *inspected) ([]api.Check, error) {
	w := in.w
	s, err := l.git(ctx, w)
	if err != nil || s == nil {
		return nil, err
	}
	c := api.Check{Name: "git " + w.Name, State: "ok", Reason: s.BranchStatus()}
	for i, t := range s.Troubles() {
		if i > 0 {
			c.Items = append(c.Items, t.Text)
			continue
		}
		c.State, c.Reason = "warning", t.Text
		switch t.Kind {
		case api.GitUnknown:
			c.Remedy = "see what git status says in " + w.Root
		case api.GitHeld:
			c.Remedy = "put that right: the next write makes the commits, or cairn commit --all"
		case api.GitUnderway:
			c.Remedy = "finish or abort it with git"
		case api.GitDetached:
			c.Remedy = "check a branch out with git switch"
		case api.GitDiverged:
			c.Remedy = "cairn pull --space " + w.Name + " brings the two together"
		case api.GitFailing:
			c.Remedy = "mend them: cairn lint --space " + w.Name
		case api.GitRefused:
			c.Remedy = "change what the hook is about: the next sync tries again, or cairn commit --all --space " + w.Name
		case api.GitUnpushed:
			c.Remedy = "cairn push --space " + w.Name + " tries again"
		case api.GitSilent:
			c.Remedy = "cairn pull --space " + w.Name + " tries again"
		}
	}
	return []api.Check{c}, nil
}
