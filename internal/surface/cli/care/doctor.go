package care

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/setup"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
)

type doctorOptions struct{ deep, fix, dryRun, yes bool }

func newDoctor(p *command.Program) *cobra.Command {
	var o doctorOptions
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the memory, list remedies, and make safe repairs",
		Long: `Check the database, the spaces, their files and links, and the clients that are
set up, and list problems and remedies. Exits with 1 when something is an error;
warnings do not count. A missing memory is a warning; when --db names one, it is
an error. Clients are not started: cairn setup --check does that.

The remotes of guarded spaces are asked whether they answer, and once more
without key or password whether they are readable by anyone, which is an error.
--deep also looks for credentials in all versions of their files, and has
org-roam, where it is installed, make its database of Org files.

With --fix it repairs everything that needs no decision: permissions, settings,
and rows that are derived from documents. No document is touched. The plan is
shown first, and asked about on a terminal; elsewhere say --yes.`,
		Example: "  cairn doctor\n  cairn doctor --deep --json\n  cairn doctor --fix --dry-run\n  cairn doctor --fix --yes",
		Args:    command.Need(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), p, o) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.deep, "deep", false, "also read all that the memory holds, as db validate does")
	f.BoolVar(&o.fix, "fix", false, "make safe repairs, after showing the plan")
	f.BoolVarP(&o.dryRun, "dry-run", "n", false, "with --fix: only show the plan")
	f.BoolVarP(&o.yes, "yes", "y", false, "with --fix: do not ask")
	return cmd
}

func runDoctor(ctx context.Context, p *command.Program, o doctorOptions) error {
	if (o.dryRun || o.yes) && !o.fix {
		return kb.Errorf(kb.Usage, "--dry-run and --yes are about --fix").WithHint("Doctor alone changes nothing.")
	}
	err := p.WithApp(ctx, command.Existing, func(a *memory.Session) error {
		var more []doctor.Check
		if !o.fix { // they have no repairs
			more = machineChecks(p)
		}
		all, err := doctor.Doctor(ctx, a, o.deep, more...)
		if err != nil {
			return err
		}
		if !o.fix {
			return command.ReportChecks(p, all)
		}
		plan := doctor.Fixable(all)
		if o.dryRun || len(plan) == 0 {
			return p.Record(command.Whole(plan), func(o *terminal.Page) { showPlan(o, plan) }, briefPlan(plan))
		}
		if err := agree(ctx, p, o.yes, plan); err != nil {
			return err
		}
		done, err := doctor.Mend(ctx, a, plan)
		if err != nil {
			return err
		}
		return printMended(p, done)
	})
	if err != nil && kb.AsError(err).Reason == kb.NoDatabase && p.Flags.DB == "" && !o.fix {
		found, failed := doctor.WithoutMemory(ctx, machineChecks(p))
		if failed != nil {
			return failed
		}
		return command.ReportChecks(p, append(withoutMemory(err), found...))
	}
	return err
}

// machineChecks are the checks of the machine, which cairn doctor adds to those of the
// memory.
func machineChecks(p *command.Program) []doctor.Check {
	clients := func(check func(context.Context, setup.Place) []api.Check) func(context.Context, *doctor.Look) ([]api.Check, error) {
		return func(ctx context.Context, _ *doctor.Look) ([]api.Check, error) { return check(ctx, p.SetupPlace()), nil }
	}
	return []doctor.Check{
		{Name: "org-roam", Asked: doctor.Daily, Memory: checkRoam,
			Passes: "with `--deep`: org-roam can make its database of the Org files", Repair: "no"},
		{Name: "timer", Asked: doctor.Daily, Passes: "it runs this program, where `maintain --install` wrote one", Repair: "no: `cairn maintain --install`",
			Memory: func(ctx context.Context, _ *doctor.Look) ([]api.Check, error) { return checkTimer(ctx, p), nil }},
		{Name: "clients", Asked: doctor.Daily | doctor.NoMemory, Memory: clients(checkClients),
			Passes: "each client that is set up can start cairn", Repair: "no: `cairn setup`"},
		{Name: "skills", Asked: doctor.Daily | doctor.NoMemory, Memory: clients(checkSkills),
			Passes: "clients have the skills of this version", Repair: "no: `cairn setup`"},
		{Name: "graphviz", Asked: doctor.Daily | doctor.NoMemory, Memory: checkGraphviz,
			Passes: "always; it reports whether `dot` is installed", Repair: "no"},
	}
}

func showPlan(o *terminal.Page, plan []api.Check) {
	if len(plan) == 0 {
		o.Linef("%s", o.Style.Good("nothing to mend that could be mended without you"))
	}
	for _, c := range plan {
		o.Linef("%s: %s", o.Style.Title(c.Name), c.Reason)
		for _, item := range c.Items {
			o.Linef("    %s", item)
		}
		o.Linef("    %s", "to do: "+c.Fix)
	}
}

func briefPlan(plan []api.Check) func(*terminal.Page) {
	return func(o *terminal.Page) {
		for _, c := range plan {
			o.Linef("%s\t%s", c.Name, c.Fix)
		}
	}
}

// agree shows the plan and asks for a yes, unless it was given.
func agree(ctx context.Context, p *command.Program, yes bool, plan []api.Check) error {
	if yes {
		return nil
	}
	if !p.Env.StdinTTY || p.Flags.Quiet {
		return kb.Errorf(kb.Usage, "there is nobody to ask whether to mend %s", terminal.Count(len(plan), "thing")).
			WithHint("Nothing was changed. See the plan with --fix --dry-run, and agree with --fix --yes.")
	}
	for _, c := range plan {
		p.Note("%s: %s\n    to do: %s", c.Name, c.Reason, c.Fix)
	}
	p.Note("Do this? [y/N]")
	answer, err := terminal.ReadLine(ctx, p.Env.Stdin)
	if err != nil {
		return err
	}
	if command.YesAnswer(answer) {
		return nil
	}
	return kb.Errorf(kb.Usage, "not agreed").WithHint("Nothing was changed.")
}

// printMended reports the repairs, and fails when one of them failed.
func printMended(p *command.Program, done []doctor.Mended) error {
	err := p.Did(command.Whole(done), func(o *terminal.Page) {
		for _, m := range done {
			if m.Error == "" {
				o.Linef("%s  %s: %s", o.Style.Good("mended"), o.Style.Title(m.Name), m.Fix)
				continue
			}
			o.Linef("%s  %s: %s", o.Style.Bad("failed"), o.Style.Title(m.Name), m.Error)
			o.Linef("    %s", o.Style.Aside(m.Hint))
		}
	}, func(o *terminal.Page) {
		for _, m := range done {
			o.Linef("%s\t%s\t%s", m.Name, m.Fix, m.Error)
		}
	})
	if err != nil {
		return err
	}
	for _, m := range done {
		if m.Error != "" {
			return command.ErrProblems
		}
	}
	return nil
}
