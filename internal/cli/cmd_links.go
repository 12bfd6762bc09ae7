package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/app"
)

type linksOptions struct {
	paging
	ref        string
	unresolved bool
}

func newLinks(p *program) *cobra.Command {
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
		Args:              need("[REF]"),
		ValidArgsFunction: p.refs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if (len(args) == 1) == o.unresolved {
				return usageError(cmd, "%s needs either REF or --unresolved", cmd.CommandPath())
			}
			o.ref = strings.Join(args, "")
			return runLinks(cmd.Context(), p, o)
		},
	}
	cmd.Flags().BoolVar(&o.unresolved, "unresolved", false, "list the links of the space that lead nowhere")
	o.addFlags(cmd, 50)
	return cmd
}

func runLinks(ctx context.Context, p *program, o linksOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	return p.withApp(ctx, synced, func(a *app.App) error {
		var (
			l   app.List[app.Link]
			err error
		)
		if o.unresolved {
			l, err = a.Unresolved(ctx, o.limit, o.offset)
		} else {
			l, err = a.Links(ctx, o.ref)
		}
		if err != nil {
			return err
		}
		if o.unresolved {
			return p.links(l, "FROM")
		}
		return p.links(l, "TO")
	})
}

func newBacklinks(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "backlinks REF",
		Short: "List the links to a page",
		Long:  `List the links and relations that lead to a page, with the page that each stands in.`,
		Example: `  cairn backlinks people/ada
  cairn backlinks people/ada --format brief`,
		Args:              need("REF"),
		ValidArgsFunction: p.refs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withApp(cmd.Context(), synced, func(a *app.App) error {
				l, err := a.Backlinks(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				return p.links(l, "FROM")
			})
		},
	}
}

// links prints links with the page at the other end under the heading other.
func (p *program) links(l app.List[app.Link], other string) error {
	l = listed(l)
	return p.record(l, func(o *page) {
		t := newTable("TYPE", other, "AS WRITTEN", "WHEN", "LINE", "")
		for _, k := range l.Items {
			t.row(k.Type, otherEnd(o, k), k.Target, interval(k), k.Line, linkState(o, k))
		}
		t.print(o)
		if len(l.Items) == 0 {
			o.linef("no links")
		}
		more(o, l, "link")
	}, func(o *page) {
		for _, k := range l.Items {
			ref := ""
			if k.Page != nil {
				ref = k.Page.Ref
			}
			o.linef("%s\t%s\t%s\t%d", ref, k.Type, k.Target, k.Line)
		}
	})
}

func otherEnd(o *page, k app.Link) styled {
	if k.Page == nil {
		return o.style.aside("-")
	}
	return o.style.title(k.Page.Slug)
}

// interval shows when a relation holds, as documents write it.
func interval(k app.Link) string {
	if k.ValidFrom+k.ValidUntil == "" {
		return ""
	}
	return k.ValidFrom + ".." + k.ValidUntil
}

func linkState(o *page, k app.Link) styled {
	switch k.State {
	case "resolved":
		return ""
	case "ambiguous":
		return o.style.warn(fmt.Sprintf("ambiguous: %s", strings.Join(k.Candidates, ", ")))
	}
	return o.style.warn(k.State)
}
