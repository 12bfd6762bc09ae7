package read

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

func newTags(p *command.Program) *cobra.Command {
	var req read.TagsRequest
	var pages command.Paging
	sort := sortByPages
	cmd := &cobra.Command{
		Use:   "tags [REF]",
		Short: "List the tags of the space or of a page",
		Long: `List the tags of the space with the number of pages that have each, or those of
one page. The most used come first; --sort name lists them by name.`,
		Example: `  cairn tags
  cairn tags people/ada
  cairn tags --type decision --where status=open
  cairn tags --sort name`,
		Args:              command.Need("[REF]"),
		ValidArgsFunction: p.Refs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if sort == sortByCount {
				sort = sortByPages
			}
			if sort != sortByPages && sort != sortByName {
				return command.UsageError(cmd, "unknown order %q of tags: it is %s or %s", sort, sortByPages, sortByName)
			}
			req.Ref = strings.Join(args, "")
			if !cmd.Flags().Changed("limit") {
				pages.Show = math.MaxInt
			}
			if err := pages.Check(); err != nil {
				return err
			}
			return runTags(cmd.Context(), p, req, sort, pages)
		},
	}
	addWithin(cmd, &req.Within, "tags of pages")
	pages.AddFlags(cmd, 0)
	cmd.Flags().StringVar(&sort, "sort", sortByPages, "list them by `order`: pages or name")
	command.Complete(cmd, "sort", cobra.FixedCompletions([]string{sortByPages, sortByName}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// Orders of tags.
const (
	sortByPages = "pages" // most first
	sortByCount = "count" // the same, as other programs call it
	sortByName  = "name"
)

func runTags(ctx context.Context, p *command.Program, req read.TagsRequest, sort string, pages command.Paging) error {
	return p.WithFresh(ctx, req.All, func(a *memory.Session) error {
		l, err := read.Tags(ctx, a, req)
		if err != nil {
			return err
		}
		l = command.Listed(l)
		if sort == sortByName {
			slices.SortFunc(l.Items, func(a, b api.Count) int { return strings.Compare(a.Value, b.Value) })
		}
		from := min(pages.Skip, l.Total)
		if l.Items = l.Items[from:]; len(l.Items) > pages.Show {
			l.Items, l.Next = l.Items[:pages.Show], strconv.Itoa(from+pages.Show)
		}
		return p.Record(l, func(o *terminal.Page) {
			t := terminal.NewTable("TAG", "PAGES")
			for _, c := range l.Items {
				t.Row(o.Style.Title(c.Value), c.Count)
			}
			t.Print(o)
			if len(l.Items) == 0 {
				o.Linef("no tags")
			}
			command.More(o, l, "tag")
		}, func(o *terminal.Page) {
			for _, c := range l.Items {
				o.Linef("%s\t%d", c.Value, c.Count)
			}
		})
	})
}
