package health

import (
	"context"
	"fmt"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/write"
)

// checkGuard reports how the git repository of a guarded space stands.
func (h *Checker) checkGuard(ctx context.Context, w *write.Space) ([]api.Check, error) {
	if h.Guard == nil {
		return nil, nil
	}
	s, err := h.Guard(ctx, w)
	if err != nil || s == nil {
		return nil, err
	}
	c := api.Check{Name: "git " + w.Name, State: "ok"}
	warn := func(remedy, format string, args ...any) {
		if c.State == "ok" {
			c.State, c.Reason, c.Remedy = "warning", fmt.Sprintf(format, args...), remedy
			return
		}
		c.Items = append(c.Items, fmt.Sprintf(format, args...))
	}
	if s.Error != "" {
		warn("see what git status says in "+w.Root, "%s", s.Error)
	}
	if s.Held > 0 {
		warn("put that right: the next write makes the commits, or cairn commit --all", "%s without a commit: %s", api.Plural(s.Held, "write"), s.HeldWhy)
	}
	if s.Underway != "" {
		warn("finish or abort it with git", "a %s is under way", s.Underway)
	}
	if s.Diverged {
		warn("bring the two together with git", "%s and %s have diverged: %d commits here, %d there", s.Branch, s.Upstream, s.Ahead, s.Behind)
	}
	if len(s.Failing) > 0 {
		warn("mend them: cairn lint --space "+w.Name, "not committed because of fatal faults: %s", strings.Join(s.Failing[:min(len(s.Failing), maxItems)], ", "))
	}
	if s.PushError != "" && s.Ahead > 0 && !s.Diverged {
		warn("cairn push --space "+w.Name+" tries again", "%s not pushed: %s", api.Plural(s.Ahead, "commit"), s.PushError)
	}
	if c.State == "ok" {
		c.Reason = fmt.Sprintf("on %s, which follows no branch of a remote", s.Branch)
		if s.Upstream != "" {
			c.Reason = fmt.Sprintf("on %s, %d ahead of %s and %d behind", s.Branch, s.Ahead, s.Upstream, s.Behind)
		}
	}
	return []api.Check{c}, nil
}
