package care

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
	"github.com/cairn-kb/cairn/internal/upkeep/jobs"
)

func newMaintain(p *command.Program) *cobra.Command {
	var req jobs.MaintainRequest
	var install, uninstall bool
	cmd := &cobra.Command{
		Use:   "maintain",
		Short: "Run due maintenance jobs, then exit",
		Long: `Run due jobs, one by one, and exit: for cron and timers. cairn serve does the
same jobs by itself.

  sync       read changes in the directories of all spaces        a minute
  rotate     rotate pages at the end of their day, week or month  their day
  commit     commit edits of other programs in guarded spaces     a minute
  push       push the commits of guarded spaces                   15 minutes
  embed      embed new and changed pages                          a minute
  staleness  mark and unmark stale pages, by the spaces' rules    a day
  expire     delete or move expired pages                         an hour
  compact    summarise stale pages, by the spaces' intervals       a day
  retention  prune old versions, by the spaces' retention         a day
  regions    regenerate generated parts of pages                  3:45
  merge      optimise the full-text index                         a day
  check      read the memory, and check it against itself         a week

The memory records when each job last ran. A failed job does not stop the
others; it is retried, first after a sixteenth of its interval. Retention,
staleness, expire and compact are postponed once, for their interval, when
maintenance has not run for a week: with a wrong clock they could do too much.

Only one process does it at a time; another one reports that and exits with 0,
unless it was given jobs. The exit code is 1 when a job failed.

With --install nothing runs: a timer of systemd's (Linux) or an agent of
launchd's (macOS) is written, which does it every 15 minutes for this memory,
and the commands are shown that start it. --uninstall takes it away. Where cairn
serve runs, it is not needed.`,
		Example: `  cairn maintain
  cairn maintain --dry-run
  cairn maintain --job check --force
  cairn maintain --install
  */15 * * * * cairn maintain --quiet`,
		Args: command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if install && uninstall {
				return command.UsageError(cmd, "--install and --uninstall say opposite things")
			}
			if install || uninstall {
				return putTimer(cmd, p, install, req)
			}
			return runMaintain(cmd, p, req)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	f := cmd.Flags()
	f.StringSliceVar(&req.Jobs, "job", nil, "look only at the job of this `name`: "+strings.Join(jobs.JobNames(), ", "))
	f.BoolVar(&req.Force, "force", false, "do the jobs whether or not they are due")
	f.BoolVar(&req.DryRun, "dry-run", false, "change nothing; list the due jobs and their effects")
	f.BoolVar(&install, "install", false, "write a timer that does it every 15 minutes, or show it with --dry-run")
	f.BoolVar(&uninstall, "uninstall", false, "remove the timer")
	command.Complete(cmd, "job", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return jobs.JobNames(), cobra.ShellCompDirectiveNoFileComp
	})
	return cmd
}

func putTimer(cmd *cobra.Command, p *command.Program, install bool, req jobs.MaintainRequest) error {
	if err := p.PersonOnly("maintain --install", "change the schedule"); err != nil {
		return err
	}
	if req.Force || len(req.Jobs) > 0 {
		return command.UsageError(cmd, "the timer runs due jobs; it takes no --job and --force")
	}
	all, err := command.Timer(p)
	if err != nil {
		return err
	}
	return command.PutService(cmd.Context(), p, all, install, req.DryRun)
}

func runMaintain(cmd *cobra.Command, p *command.Program, req jobs.MaintainRequest) error {
	f, err := p.Format()
	if err != nil {
		return err
	}
	return p.WithApp(cmd.Context(), command.Existing, func(a *memory.Session) error {
		bar := p.Progress()
		req.Progress = bar.Report
		r, err := jobs.Maintain(cmd.Context(), a, req)
		bar.Stop()
		if err != nil {
			return err
		}
		if r.Busy && (req.Force || req.Jobs != nil) {
			return kb.Errorf(kb.Conflict, "another process looks after the memory").
				WithHint("Nothing was done. Try again when it is done.")
		}
		// A timer's mail is empty when all is well, unless a form was asked for.
		silent := p.Silent(f)
		failed := jobFailures(p, r, silent || f != command.FormatJSON)
		if !silent {
			if err := p.Did(r, func(o *terminal.Page) { maintained(o, r) }, func(o *terminal.Page) { maintainedBriefly(o, r) }); err != nil {
				return err
			}
		}
		if failed {
			return command.ErrProblems
		}
		return nil
	})
}

// jobFailures reports whether any job failed, and prints failures that no
// record has on standard error. --quiet does not silence that: a timer's log
// has nothing else.
func jobFailures(p *command.Program, r api.MaintainResult, say bool) (failed bool) {
	for _, j := range r.Items {
		for _, e := range j.Failures {
			failed = true
			if say {
				p.PrintError(j.Job+": "+e.Message, e.Hint)
			}
		}
	}
	return failed
}

func maintained(o *terminal.Page, r api.MaintainResult) {
	if r.Busy {
		o.Linef("another process looks after the memory; nothing was done")
		return
	}
	t := terminal.NewTable("JOB", "STATE", "WHAT", "NEXT")
	for _, j := range r.Items {
		next := ""
		if j.Next != nil {
			next = terminal.Moment(*j.Next)
		}
		what := j.Did
		if j.State == api.JobWaiting {
			what = j.Reason
		}
		t.Row(o.Style.Title(j.Job), jobState(o, j, r.DryRun), what, next)
	}
	t.Print(o)
}

func jobState(o *terminal.Page, j api.JobReport, dryRun bool) terminal.Styled {
	switch {
	case j.State == api.JobFailed:
		return o.Style.Bad(string(j.State))
	case j.State == api.JobDone && dryRun:
		return o.Style.Good("due")
	case j.State == api.JobDone:
		return o.Style.Good(string(j.State))
	}
	return o.Style.Aside(string(j.State))
}

func maintainedBriefly(o *terminal.Page, r api.MaintainResult) {
	for _, j := range r.Items {
		o.Linef("%s\t%s\t%s", j.Job, string(j.State), j.Did)
	}
}
