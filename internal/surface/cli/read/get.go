package read

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

type getOptions struct {
	ref, version, asOf, section, lines string
}

func newGet(p *command.Program) *cobra.Command {
	var o getOptions
	cmd := &cobra.Command{
		Use:   "get REF",
		Short: "Print a page",
		Long: `Print a page's document as it is stored, byte for byte; or one section, some
lines, an older version, or the page as it was at a date.

A REF is a slug, a path, an exact title, an alias, an id, or space:slug. See:
cairn help refs. Without REF, a person at a terminal picks the page from a list.`,
		Example: `  cairn get people/ada
  cairn get people/ada --section "Open questions"
  cairn get people/ada --version 3
  cairn get "Ada Lovelace" --as-of "last month" --json`,
		Args:              p.Picks(command.Need("REF")),
		ValidArgsFunction: p.Refs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if o.ref, err = p.RefOf(cmd.Context(), args); err != nil {
				return err
			}
			return runGet(cmd.Context(), p, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.version, "version", "", "print this `version`")
	f.StringVar(&o.asOf, "as-of", "", "print the page as it was at this `date`")
	f.StringVar(&o.section, "section", "", "print the section under this `heading`; nested as Outer > Inner, the second of a name as Name#2")
	f.StringVarP(&o.lines, "lines", "L", "", "print these `lines`, such as 10:20, 10: or :20")
	return cmd
}

func runGet(ctx context.Context, p *command.Program, o getOptions) error {
	req := read.GetRequest{Ref: o.ref, AsOf: o.asOf, Section: o.section}
	var err error
	if o.version != "" {
		if req.Version, err = command.ParseVersion(o.version); err != nil {
			return err
		}
	}
	if o.lines != "" {
		if req.From, req.To, err = command.LineRange(o.lines); err != nil {
			return err
		}
	}
	return p.WithApp(ctx, command.Synced, func(a *memory.Session) error { return command.ShowPage(ctx, p, a, req) })
}
