package care

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/setup"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
)

// checkTimer says whether the timer runs that maintain --install wrote; nothing where there
// is none.
func checkTimer(ctx context.Context, p *command.Program) []api.Check {
	all, err := command.Timer(p)
	if err != nil {
		return nil // there is none on this system
	}
	c := api.Check{Name: "timer", State: "ok", Reason: "cairn maintain runs every 15 minutes"}
	last := all[len(all)-1]
	there := 0
	for _, s := range all {
		found, current, enabled, err := s.Installed()
		if found {
			there++
		}
		switch {
		case c.State != "ok": // the first thing counts
		case err != nil:
			c.State, c.Reason, c.Remedy = "warning", kb.AsError(err).Error(), kb.AsError(err).Hint
		case !found:
		case !current:
			c.State, c.Reason, c.Remedy = "warning", s.Path+" is for another program or memory", "write it again: cairn maintain --install"
		case !enabled:
			c.State, c.Reason, c.Remedy = "warning", "the timer is written, and was never started", strings.Join(last.Start, "; ")
		}
	}
	switch {
	case there == 0 && c.State == "ok":
		return nil
	case there < len(all) && c.State == "ok":
		c.State, c.Reason, c.Remedy = "warning", "a part of the timer is missing", "write it again: cairn maintain --install"
	case c.State == "ok":
		said, err := setup.Ask(ctx, 5*time.Second, last.Asked...)
		switch said = strings.TrimSpace(said); {
		case errors.Is(err, setup.ErrAbsent):
			c.Reason = "the timer is enabled; whether it runs was not checked: there is no " + last.Asked[0] + " here"
		case err != nil:
			c.State, c.Reason, c.Remedy = "warning", "the timer does not run: "+said, strings.Join(last.Start, "; ")
		}
	}
	return []api.Check{c}
}

// roamScript makes org-roam build its database of a directory in a temporary
// file, and prints the number of nodes. Code in the files is not run.
const roamScript = `(progn (setq enable-local-variables nil enable-local-eval nil org-roam-verbose nil)
(package-initialize) (unless (require 'org-roam nil t) (princ "absent") (kill-emacs 0))
(let ((dir (make-temp-file "cairn-org-roam-" t)))
(setq org-roam-directory %ROOT org-roam-db-location (expand-file-name "org-roam.db" dir)
org-roam-file-exclude-regexp '("\\` + "`" + `raw/" "\\` + "`" + `index[^/]*\\.org\\'"))
(unwind-protect (progn (org-roam-db-sync)
(princ (format "nodes %d" (caar (org-roam-db-query [:select (funcall count id) :from nodes])))))
(ignore-errors (org-roam-db--close)) (delete-directory dir t))))`

// roamPatience is how long org-roam has for all files of a space.
const roamPatience = 2 * time.Minute

// checkRoam checks that org-roam can build its database of each space with Org
// files. It runs only with --deep, since it takes a while.
func checkRoam(ctx context.Context, l *doctor.Look) (all []api.Check, err error) {
	spaces, err := l.Spaces.List(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range spaces {
		if s.Root == "" {
			continue
		}
		if found, err := filepath.Glob(filepath.Join(s.Root, "*.org")); err != nil || len(found) == 0 {
			continue // no nodes, or the directory is away, which another check reports
		}
		c := api.Check{Name: "org-roam " + s.Name, State: "ok", Reason: "not checked: cairn doctor --deep has org-roam make its database of the space"}
		if l.Asked&doctor.Deep != 0 {
			if c, err = buildRoam(ctx, c, s.Root); err != nil {
				return nil, err
			}
		}
		all = append(all, c)
	}
	return all, nil
}

// buildRoam makes the database of a directory in a temporary file.
func buildRoam(ctx context.Context, c api.Check, root string) (api.Check, error) {
	script := strings.ReplaceAll(roamScript, "%ROOT", lisp(root))
	said, err := setup.Ask(ctx, roamPatience, "emacs", "-q", "--batch", "--eval", script)
	if ctx.Err() != nil {
		return c, ctx.Err()
	}
	lines := strings.Split(strings.TrimSpace(said), "\n")
	last := lines[len(lines)-1]
	_, nodes, counted := strings.Cut(last, "nodes ")
	switch {
	case errors.Is(err, setup.ErrAbsent):
		c.Reason = "not checked: Emacs is not installed"
	case err == nil && strings.HasSuffix(last, "absent"):
		c.Reason = "not checked: this Emacs has no org-roam"
	case err != nil || !counted:
		c.State, c.Reason, c.Remedy = "warning", "org-roam cannot make its database: "+last, "try M-x org-roam-db-sync in Emacs"
	default:
		c.Reason = "org-roam makes a database of " + nodes + " nodes"
		if n, err := strconv.Atoi(nodes); err == nil && n == 1 {
			c.Reason = "org-roam makes a database of 1 node"
		}
		for _, line := range lines[:len(lines)-1] {
			if strings.HasPrefix(line, "Warning") && len(c.Items) < 10 {
				c.Items = append(c.Items, line)
			}
		}
	}
	return c, nil
}

// lisp is a text as Emacs Lisp has it.
func lisp(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
