package write

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/calendar/tables"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

func newTable(p *command.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "table [NAME]",
		Short: "Show the tables that the space names on its pages",
		Long: `Show the tables on pages that [[table]] in the policy of the space names, such
as the managed tasks of an agent, or one of them. They are read from their pages
each time. Lines that cannot be read are listed below; they stay as they are.`,
		Example: "  cairn table\n  cairn table managed-tasks",
		Args:    command.Need("[NAME]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.WithFresh(cmd.Context(), false, func(a *memory.Session) error {
				all, err := tables.Tables{Session: a}.List(cmd.Context(), strings.Join(args, ""))
				if err != nil {
					return err
				}
				out := api.List[api.Table]{Items: all, Total: len(all)}
				return p.Record(out, func(o *terminal.Page) { showTables(o, all) }, func(o *terminal.Page) {
					for _, t := range all {
						for _, r := range t.Items {
							o.Linef("%s\t%s\t%s:%d", t.Name, r.Key, t.Page, r.Line)
						}
						for _, f := range t.Problems {
							o.Linef("%s\t%s\t%s:%d", t.Name, f.Text, t.Page, f.Line)
						}
					}
				})
			})
		},
	}
	cmd.AddCommand(newTableSet(p), newTableRemove(p))
	return cmd
}

func showTables(o *terminal.Page, all []api.Table) {
	if len(all) == 0 {
		o.Linef("the policy of the space names no tables")
	}
	for i, found := range all {
		if i > 0 {
			o.Linef("")
		}
		o.Linef("%s (%s)", found.Name, found.Page)
		if len(found.Items) > 0 {
			heads := make([]string, len(found.Columns))
			for i, c := range found.Columns {
				heads[i] = strings.ToUpper(c)
			}
			t := terminal.NewTable(heads...)
			for _, r := range found.Items {
				cells := make([]any, len(found.Columns))
				for i, c := range found.Columns {
					cells[i] = r.Values[c]
				}
				t.Row(cells...)
			}
			t.Print(o)
		} else {
			o.Linef("no rows")
		}
		for _, f := range found.Problems {
			o.Linef("%s:%d: %s", found.Page, f.Line, f.Text)
		}
	}
}

func newTableSet(p *command.Program) *cobra.Command {
	var o command.Writing
	cmd := &cobra.Command{
		Use:   "set NAME ROW COLUMN=TEXT...",
		Short: "Change a row of a table, or add it",
		Long: `Change cells of the row with the key ROW, or add it after the others. Nothing
else on the page changes.`,
		Example: "  cairn table set managed-tasks \"Check mail\" When=\"every day at 10\"",
		Args:    command.Need("NAME", "ROW", "COLUMN=TEXT..."),
		RunE: func(cmd *cobra.Command, args []string) error {
			req := tables.Request{Table: args[0], Key: args[1], Values: map[string]string{}}
			for _, a := range args[2:] {
				column, text, ok := strings.Cut(a, "=")
				if !ok {
					return kb.Errorf(kb.Usage, "%q names no column", a).WithHint("Write it as COLUMN=TEXT.")
				}
				req.Values[column] = text
			}
			return p.RunWrite(cmd, &o, func(a *memory.Session, w api.WriteOptions) (api.Written, error) {
				req.WriteOptions = w
				return tables.Tables{Session: a}.Set(cmd.Context(), req)
			})
		},
	}
	o.AddFlags(cmd)
	return cmd
}

func newTableRemove(p *command.Program) *cobra.Command {
	var o command.Writing
	cmd := &cobra.Command{
		Use:     "rm NAME ROW",
		Short:   "Remove a row of a table",
		Long:    "Remove the row with the key ROW. Nothing else on the page changes.",
		Example: "  cairn table rm managed-tasks \"Check mail\"",
		Args:    command.Need("NAME", "ROW"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.RunWrite(cmd, &o, func(a *memory.Session, w api.WriteOptions) (api.Written, error) {
				return tables.Tables{Session: a}.Remove(cmd.Context(), tables.Request{WriteOptions: w, Table: args[0], Key: args[1]})
			})
		},
	}
	o.AddFlags(cmd)
	return cmd
}
