package read

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

type tasksOptions struct {
	command.Paging
	retrieve.TasksRequest
}

func newTasks(p *command.Program) *cobra.Command {
	var o tasksOptions
	cmd := &cobra.Command{
		Use:   "tasks",
		Short: "List tasks, those due first",
		Long: `List the tasks of the space: checkboxes, Org headings with a TODO keyword, and
list items that begin with TODO, DOING, NOW, LATER, WAITING or DONE, as in
Logseq. Dates are read from SCHEDULED, DEADLINE and CLOSED, from the signs of
the Obsidian plugin Tasks (due 📅, scheduled ⏳, start 🛫, done ✅, created ➕)
and from fields such as [due:: 2026-11-22]. Other flags narrow the list by page.`,
		Example: `  cairn tasks --open
  cairn tasks --open --due "this week"
  cairn tasks --done --path journals --json`,
		Args: command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error { return runTasks(cmd.Context(), p, o) },
	}
	cmd.Flags().BoolVar(&o.Open, "open", false, "only tasks that are open")
	cmd.Flags().BoolVar(&o.Done, "done", false, "only tasks that are done or cancelled")
	cmd.Flags().StringVar(&o.AsOf, "as-of", "", "the memory as it was at this `time` or date")
	cmd.Flags().StringVar(&o.Due, "due", "", "only tasks due by this `date`, overdue ones included")
	addWithin(cmd, &o.Within, "tasks in pages")
	o.AddFlags(cmd, 50)
	return cmd
}

func runTasks(ctx context.Context, p *command.Program, o tasksOptions) error {
	if err := o.Check(); err != nil {
		return err
	}
	o.Limit, o.Offset = o.Show, o.Skip
	return p.WithFresh(ctx, o.All, func(a *memory.Session) error {
		l, err := retrieve.Tasks(ctx, a, o.TasksRequest)
		if err != nil {
			return err
		}
		l = command.Listed(l)
		return p.Record(l, func(out *terminal.Page) {
			t := terminal.NewTable("STATE", "DUE", "SCHEDULED", "TASK", "PAGE").Extra(1, 2).Paths(4)
			for _, k := range l.Items {
				t.Row(out.Style.Title(k.State), k.Due, k.Scheduled, k.Text, fmt.Sprintf("%s:%d", k.Path, k.Line))
			}
			t.Print(out)
			if len(l.Items) == 0 {
				out.Linef("no tasks")
			}
			command.More(out, l, "task")
		}, func(out *terminal.Page) {
			for _, k := range l.Items {
				out.Linef("%s\t%d\t%s\t%s\t%s", k.Page, k.Line, k.State, k.Due, k.Text)
			}
		})
	})
}
