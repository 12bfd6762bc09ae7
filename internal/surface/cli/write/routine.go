package write

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/calendar/routine"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

func newRoutine(p *command.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "routine",
		Short: "List recurring work and its due times",
		Long: `List the routines of the space, defined by [[routine]] in its policy: when each
was done last, and when it is due. cairn lists due routines; an agent or a
person does the work, and records it with cairn routine done.`,
		Example: "  cairn routine\n  cairn routine due",
		Args:    command.Need(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return listRoutines(cmd, p, false) },
	}
	cmd.AddCommand(
		&cobra.Command{
			Use: "due", Short: "List the routines that are due",
			Long:    "List the routines that are due and were not done since.",
			Example: "  cairn routine due --format brief",
			Args:    command.Need(),
			RunE:    func(cmd *cobra.Command, _ []string) error { return listRoutines(cmd, p, true) },
		},
		&cobra.Command{
			Use: "show NAME", Short: "Show when a routine is due, and its pages",
			Long: `Show a routine: when it was done last, when it is due, the page of its rules and
its dossier. cairn get prints these.`,
			Example: "  cairn routine show evening",
			Args:    command.Need("NAME"),
			RunE: func(cmd *cobra.Command, args []string) error {
				return p.WithFresh(cmd.Context(), false, func(a *memory.Session) error {
					r, err := routine.FindCurrent(cmd.Context(), a, args[0])
					if err != nil {
						return err
					}
					show := func(o *terminal.Page) { showRoutine(o, r) }
					return p.Record(r, show, show)
				})
			},
		},
		newRoutineDone(p),
	)
	return cmd
}

func newRoutineDone(p *command.Program) *cobra.Command {
	var o command.Writing
	cmd := &cobra.Command{
		Use:   "done NAME [TEXT]",
		Short: "Note that a routine was done",
		Long: `Note that a routine was done now, with a line of TEXT on what came of it: under
the heading "Last run" of its dossier. Where it has none, last_run in the
metadata of its page says when, and the history of the page says TEXT.`,
		Example: "  cairn routine done evening \"Two tasks moved to tomorrow.\"",
		Args:    command.Need("NAME", "[TEXT]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			req := routine.DoneRequest{Name: args[0]}
			if len(args) > 1 {
				req.Text = args[1]
			}
			return p.RunWrite(cmd, &o, func(a *memory.Session, w api.WriteOptions) (api.Written, error) {
				req.WriteOptions = w
				return routine.DoneCurrent(cmd.Context(), a, req)
			})
		},
	}
	o.AddFlags(cmd)
	return cmd
}

func listRoutines(cmd *cobra.Command, p *command.Program, due bool) error {
	return p.WithFresh(cmd.Context(), false, func(a *memory.Session) error {
		all, err := routine.ListCurrent(cmd.Context(), a)
		if err != nil {
			return err
		}
		out := api.List[api.Routine]{Items: []api.Routine{}}
		for _, r := range all {
			if r.Due || r.Problem != "" || !due {
				out.Items = append(out.Items, r)
			}
		}
		out.Total = len(out.Items)
		return p.Record(out, func(o *terminal.Page) {
			t := terminal.NewTable("ROUTINE", "STATE", "LAST", "NEXT", "PAGE")
			for _, r := range out.Items {
				t.Row(r.Name, stateOf(r), moment(r.Last), moment(r.Next), r.Page)
			}
			t.Print(o)
			if len(out.Items) == 0 {
				o.Linef("nothing is due")
			}
		}, func(o *terminal.Page) {
			for _, r := range out.Items {
				o.Linef("%s\t%s\t%s", r.Name, stateOf(r), r.Page)
			}
		})
	})
}

func stateOf(r api.Routine) string {
	switch {
	case r.Problem != "":
		return r.Problem
	case r.Due:
		return "due"
	}
	return "waits"
}

func moment(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.Local().Format("2006-01-02 15:04")
}

func showRoutine(o *terminal.Page, r api.Routine) {
	o.Linef("%s: %s", r.Name, stateOf(r))
	for _, line := range [][2]string{
		{"flow", r.Flow}, {"last run", moment(r.Last)}, {"due since", moment(r.Since)}, {"next", moment(r.Next)},
		{"rules", r.Page}, {"dossier", r.Dossier},
	} {
		if line[1] != "" {
			o.Linef("%-10s %s", line[0], line[1])
		}
	}
}
