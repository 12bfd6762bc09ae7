package read

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

type listOptions struct {
	command.Paging
	retrieve.ListRequest
	columns []string
	reverse bool
}

func newList(p *command.Program) *cobra.Command {
	var o listOptions
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List pages by type, tag, status, path and date",
		Long: `List the pages of the space, those that meet all the flags. For what the date of
a page is see: cairn help dates`,
		Example: `  cairn list --type person --sort slug
  cairn list --tag idea --status active
  cairn list --path projects --after "2 weeks ago" --format brief
  cairn list --orphans --type person
  cairn list --path papers --columns title,author,year --sort year --reverse
  cairn list --all --limit 1000 --json`,
		Args: command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error { return runList(cmd.Context(), p, o) },
	}
	addWithin(cmd, &o.Within, "pages")
	cmd.Flags().BoolVar(&o.Orphans, "orphans", false, "only pages to which no other page links")
	cmd.Flags().StringVar(&o.Sort, "sort", "updated", "`order`: updated, slug, title or created; with --columns also a property")
	cmd.Flags().BoolVar(&o.reverse, "reverse", false, "with --columns: the last of the order first")
	cmd.Flags().StringSliceVar(&o.columns, "columns", nil, "show these `properties` of each page, such as title,author,year")
	o.AddFlags(cmd, 50)
	command.Complete(cmd, "sort", cobra.FixedCompletions([]string{"slug", "title", "updated", "created"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// addWithin adds the flags that select the pages of a list of results.
func addWithin(cmd *cobra.Command, w *retrieve.Within, what string) {
	addPages(cmd, w, what)
	f := cmd.Flags()
	f.StringVar(&w.After, "after", "", "only "+what+" of this `date` or later")
	f.StringVar(&w.Before, "before", "", "only "+what+" of an earlier `date`")
}

// addPages adds the flags of addWithin that do not concern dates.
func addPages(cmd *cobra.Command, w *retrieve.Within, what string) {
	f := cmd.Flags()
	f.StringArrayVarP(&w.Types, "type", "t", nil, "only "+what+" of this `type`; again for another")
	f.StringArrayVarP(&w.Tags, "tag", "T", nil, "only "+what+" with this `tag`; again for another that they must have too")
	f.StringArrayVar(&w.Statuses, "status", nil, "only "+what+" in this `status`; again for another")
	f.StringArrayVar(&w.Paths, "path", nil, "only "+what+" below this `path`, or that match it as a glob; again for another")
	f.StringArrayVar(&w.Wings, "wing", nil, "only "+what+" in this `wing`; again for another")
	f.StringArrayVarP(&w.Where, "where", "w", nil, "only "+what+" "+command.WhereHelp)
	f.BoolVarP(&w.All, "all", "a", false, "list all spaces")
	command.Complete(cmd, "status", cobra.FixedCompletions(command.Statuses(), cobra.ShellCompDirectiveNoFileComp))
}

func runList(ctx context.Context, p *command.Program, o listOptions) error {
	if err := o.Check(); err != nil {
		return err
	}
	o.Limit, o.Offset = o.Show, o.Skip
	return p.WithFresh(ctx, o.All, func(a *memory.Session) error {
		if len(o.columns) > 0 {
			rows, err := retrieve.Rows(ctx, a, retrieve.RowsRequest{ListRequest: o.ListRequest, Columns: o.columns, Reverse: o.reverse})
			if err != nil {
				return err
			}
			return printRows(p, command.Listed(rows.List), o)
		}
		pages, err := retrieve.Pages(ctx, a, o.ListRequest)
		if err != nil {
			return err
		}
		return printPages(p, command.Listed(pages), o)
	})
}

func printPages(p *command.Program, l api.List[api.Page], asked listOptions) error {
	return p.Record(l, func(o *terminal.Page) {
		when := map[string]string{"updated": "UPDATED", "created": "CREATED"}[asked.Sort]
		t := terminal.NewTable("TITLE", "PAGE", "TYPE", "STATUS", "DATE", when).Extra(2, 4, 5).Usual(3, string(kb.Active))
		for _, pg := range l.Items {
			sorted := ""
			switch {
			case asked.Sort == "updated":
				sorted = terminal.Moment(pg.UpdatedAt)
			case asked.Sort == "created" && pg.CreatedAt != nil:
				sorted = terminal.Moment(*pg.CreatedAt)
			}
			t.Row(o.Style.Title(pg.Title), command.Name(pg, asked.All), pg.Type, status(o, pg.Status), pg.Date, sorted)
		}
		t.Print(o)
		if len(l.Items) == 0 {
			o.Linef("no pages")
		}
		command.More(o, l, "page")
	}, func(o *terminal.Page) {
		for _, pg := range l.Items {
			if kb.IsActive(pg.Status) {
				o.Linef("%s\t%s", pg.Ref, pg.Title)
				continue
			}
			o.Linef("%s\t%s\t%s", pg.Ref, pg.Title, string(pg.Status))
		}
	})
}

// printRows prints a page a line: its ref, and the values of the columns.
func printRows(p *command.Program, l api.List[api.PageRow], asked listOptions) error {
	value := func(r api.PageRow, column string) string {
		if v := r.Columns[column]; v != "" || !strings.EqualFold(column, "title") {
			return v
		}
		return r.Title
	}
	return p.Record(l, func(o *terminal.Page) {
		head := []string{"PAGE"}
		for _, c := range asked.columns {
			head = append(head, strings.ToUpper(c))
		}
		t := terminal.NewTable(head...)
		for _, r := range l.Items {
			cells := []any{command.Name(r.Page, asked.All)}
			for _, c := range asked.columns {
				cells = append(cells, value(r, c))
			}
			t.Row(cells...)
		}
		t.Print(o)
		if len(l.Items) == 0 {
			o.Linef("no pages")
		}
		command.More(o, l, "page")
	}, func(o *terminal.Page) {
		for _, r := range l.Items {
			line := []any{r.Ref}
			for _, c := range asked.columns {
				line = append(line, value(r, c))
			}
			o.Linef("%s"+strings.Repeat("\t%s", len(asked.columns)), line...)
		}
	})
}

// status shows a page's status; active is omitted.
func status(o *terminal.Page, s kb.Status) terminal.Styled {
	switch {
	case kb.IsActive(s):
		return o.Style.Aside(string(s))
	case s == kb.Contested:
		return o.Style.Bad(string(s))
	}
	return o.Style.Warn(string(s))
}

func newLs(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "ls [DIR]",
		Short: "List a directory of the space",
		Long: `List the directories, pages and other files in a directory of the space, or at
its top. The number after a directory counts the pages below it.`,
		Example: `  cairn ls
  cairn ls projects/2026
  cairn ls --in ~/notes --format brief`,
		Args:              command.Need("[DIR]"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := ""
			if len(args) == 1 {
				dir = args[0]
			}
			return runLs(cmd.Context(), p, dir)
		},
	}
}

func runLs(ctx context.Context, p *command.Program, dir string) error {
	return p.WithFresh(ctx, false, func(a *memory.Session) error {
		l, err := read.Dir(ctx, a, read.DirRequest{Path: dir, Files: true})
		if err != nil {
			return err
		}
		l = command.Listed(l)
		return p.Record(l, func(o *terminal.Page) {
			t := terminal.NewTable("NAME", "TITLE", "DATE").Paths(0).Extra(2)
			for _, d := range l.Items {
				if d.File {
					t.Row(d.Name, o.Style.Aside(terminal.Size(d.Bytes)), "")
				} else if d.Page == nil {
					t.Row(o.Style.Title(d.Name), o.Style.Aside(terminal.Count(*d.Pages, "page")), "")
				} else {
					t.Row(d.Name, d.Page.Title, d.Page.Date)
				}
			}
			t.Print(o)
			if len(l.Items) == 0 {
				o.Linef("no pages")
			}
		}, func(o *terminal.Page) {
			for _, d := range l.Items {
				if d.File {
					o.Linef("%s", d.Path)
				} else if d.Page == nil {
					o.Linef("%s/\t%d", d.Path, *d.Pages)
				} else {
					o.Linef("%s\t%s", d.Page.Ref, d.Page.Title)
				}
			}
		})
	})
}
