package read

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/cli/command"
	"github.com/cairn-kb/cairn/internal/terminal"
)

type linksOptions struct {
	command.Paging
	ref        string
	unresolved bool
}

func newLinks(p *command.Program) *cobra.Command {
	var o linksOptions
	cmd := &cobra.Command{
		Use:   "links [REF]",
		Short: "List the links from a page",
		Long: `List the links and relations from a page, in the order in which they stand in
it, with the page that each leads to. With --unresolved instead of a REF: the
links of the whole space that lead nowhere, or could lead to several pages.`,
		Example: `  cairn links people/ada
  cairn links people/ada --json
  cairn links --unresolved --limit 100`,
		Args:              command.Need("[REF]"),
		ValidArgsFunction: p.Refs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if (len(args) == 1) == o.unresolved {
				return command.UsageError(cmd, "%s needs either REF or --unresolved", cmd.CommandPath())
			}
			o.ref = strings.Join(args, "")
			return runLinks(cmd.Context(), p, o)
		},
	}
	cmd.Flags().BoolVar(&o.unresolved, "unresolved", false, "list the links of the space that lead nowhere")
	o.AddFlags(cmd, 50)
	return cmd
}

func runLinks(ctx context.Context, p *command.Program, o linksOptions) error {
	if err := o.Check(); err != nil {
		return err
	}
	return p.WithFresh(ctx, !o.unresolved, func(a *app.App) error {
		var (
			l   app.List[app.Link]
			err error
		)
		if o.unresolved {
			l, err = a.Links().Unresolved(ctx, o.Show, o.Skip)
		} else {
			l, err = a.Links().From(ctx, o.ref)
		}
		if err != nil {
			return err
		}
		if o.unresolved {
			return printLinks(p, l, holder)
		}
		return printLinks(p, l, target)
	})
}

func newBacklinks(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "backlinks REF",
		Short: "List the links to a page",
		Long:  `List the links and relations that lead to a page, with the page that each stands in.`,
		Example: `  cairn backlinks people/ada
  cairn backlinks people/ada --format brief`,
		Args:              command.Need("REF"),
		ValidArgsFunction: p.Refs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.WithFresh(cmd.Context(), true, func(a *app.App) error {
				l, err := a.Links().To(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				return printLinks(p, l, holder)
			})
		},
	}
}

// end is the end of a link that a list is about.
type end string

const (
	holder end = "FROM" // the page that holds the link
	target end = "TO"   // the page that it leads to
)

// ref names the page at an end of a link, "" when the link leads nowhere.
func (e end) ref(k app.Link) string {
	switch {
	case e == holder:
		return k.From
	case k.Page == nil:
		return ""
	}
	return k.Page.Ref
}

// printLinks prints links with the page at one of their ends.
func printLinks(p *command.Program, l app.List[app.Link], e end) error {
	l = command.Listed(l)
	return p.Record(l, func(o *terminal.Page) {
		t := terminal.NewTable("TYPE", string(e), "AS WRITTEN", "WHEN", "LINE", "").Paths(1, 2)
		for _, k := range l.Items {
			t.Row(k.Type, o.Style.Title(cmp.Or(e.ref(k), "-")), asRead(k), interval(k), k.Line, linkState(o, k))
		}
		t.Print(o)
		if len(l.Items) == 0 {
			o.Linef("no links")
		}
		command.More(o, l, "link")
	}, func(o *terminal.Page) {
		for _, k := range l.Items {
			o.Linef("%s\t%s\t%s\t%d", e.ref(k), k.Type, k.Written(), k.Line)
		}
	})
}

// asRead is what a reader of the page sees of a link: its text, with the part that
// it leads to, and for a target that is only an id the page's title.
func asRead(k app.Link) string {
	switch {
	case k.Text != "":
		part := k
		part.Target, part.Text = "", ""
		if anchor := strings.TrimPrefix(part.Written(), "!"); strings.HasPrefix(anchor, "#") {
			return embedded(k) + k.Text + " (" + anchor + ")"
		}
		return embedded(k) + k.Text
	case k.Page != nil && k.Written() == string(k.Page.ID):
		return k.Page.Title
	}
	return k.Written()
}

// embedded is the sign before what a page shows of another.
func embedded(k app.Link) string {
	if k.Kind == "embed" {
		return "!"
	}
	return ""
}

// interval shows when a relation holds, as documents write it.
func interval(k app.Link) string {
	if k.ValidFrom+k.ValidUntil == "" {
		return ""
	}
	return k.ValidFrom + ".." + k.ValidUntil
}

func linkState(o *terminal.Page, k app.Link) terminal.Styled {
	switch k.State {
	case "resolved":
		return ""
	case "ambiguous":
		return o.Style.Warn(fmt.Sprintf("ambiguous: %s", strings.Join(k.Candidates, ", ")))
	}
	return o.Style.Warn(k.State)
}
