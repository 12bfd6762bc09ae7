package write

import (
	"cmp"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

type linkOptions struct {
	command.Writing
	api.LinkRequest
}

func newLink(p *command.Program) *cobra.Command {
	var o linkOptions
	cmd := &cobra.Command{
		Use:   "link FROM [TYPE] TO",
		Short: "Add a relation to a page",
		Long: `Add a line such as "- works_at [[Brex]] @2017-01.. (engineer)" to the page FROM.
Both pages must exist; a link to one that is yet to be written goes in as
[[Its Title]] with edit. Without a type it is related. Dates are years, months
or days. The type may as well be given as --relationship, and the dates as
--valid-from and --valid-until.`,
		Example: `  cairn link people/ada works_at companies/brex --since 2017-01
  cairn link projects/loom depends_on tools/yarn --context "for the tests"
  cairn link people/ada people/babbage
  cairn link people/ada knows "Charles Babbage" --dry-run`,
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("relationship") {
				return command.Need("FROM", "TO")(cmd, args)
			}
			return command.Need("FROM", "TYPE or TO", "[TO]")(cmd, args)
		},
		ValidArgsFunction: ends(p),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cmp.Or(command.OneOf(cmd, "since", "valid-from"), command.OneOf(cmd, "until", "valid-until")); err != nil {
				return err
			}
			o.From, o.To = args[0], args[len(args)-1]
			switch {
			case len(args) == 3:
				o.Type = args[1]
			case !cmd.Flags().Changed("relationship"):
				o.Type = ingest.Related
			}
			return p.RunWrite(cmd, &o.Writing, func(a *memory.Session, w api.WriteOptions) (api.Written, error) {
				o.WriteOptions = w
				return links.Add(cmd.Context(), a, o.LinkRequest)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Since, "since", "", "it holds since this `date`")
	f.StringVar(&o.Until, "until", "", "it held until this `date`")
	f.StringVar(&o.Context, "context", "", "a `remark`, written in parentheses")
	f.StringVar(&o.Type, "relationship", "", "the `type`, instead of the argument")
	f.StringVar(&o.Since, "valid-from", "", "as --since")
	f.StringVar(&o.Until, "valid-until", "", "as --until")
	o.AddFlags(cmd)
	return cmd
}

func newLinkClose(p *command.Program) *cobra.Command {
	var o linkOptions
	cmd := &cobra.Command{
		Use:   "link-close (ID | FROM TYPE TO)",
		Short: "End a relation that held until now",
		Long: `Write the end of the interval of the one relation from FROM to TO that still
holds. Of several alike it is the one with the ID that links --json lists; an
ended relation keeps its id. The line stays, as knowledge of the past; unlink
removes it.`,
		Example: `  cairn link-close people/ada works_at companies/brex --until 2026-03-01
  cairn link-close people/ada works_at companies/brex
  cairn link-close 4611686018427387 --until 2026-03`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && number(args[0]) > 0 {
				return nil
			}
			return command.Need("FROM", "TYPE", "TO")(cmd, args)
		},
		ValidArgsFunction: ends(p),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := command.OneOf(cmd, "until", "valid-until"); err != nil {
				return err
			}
			if len(args) == 1 {
				o.ID = number(args[0])
			} else {
				o.From, o.Type, o.To = args[0], args[1], args[2]
			}
			return p.RunWrite(cmd, &o.Writing, func(a *memory.Session, w api.WriteOptions) (api.Written, error) {
				o.WriteOptions = w
				return links.Close(cmd.Context(), a, o.LinkRequest)
			})
		},
	}
	cmd.Flags().StringVar(&o.Until, "until", "", "it held until this `date` (default: today)")
	cmd.Flags().StringVar(&o.Until, "valid-until", "", "as --until")
	o.AddFlags(cmd)
	return cmd
}

// number is the id that an argument says, 0 for none.
func number(arg string) int64 {
	n, err := strconv.ParseInt(arg, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func newUnlink(p *command.Program) *cobra.Command {
	var o linkOptions
	cmd := &cobra.Command{
		Use:   "unlink FROM [TYPE] TO",
		Short: "Remove a relation from a page",
		Long: `Remove the relation lines from FROM to TO, of one type or of all. Only lines of
relations go; links in running text stay. undo brings them back.`,
		Example: `  cairn unlink people/ada knows people/babbage
  cairn unlink people/ada people/babbage`,
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("relationship") {
				return command.Need("FROM", "TO")(cmd, args)
			}
			return command.Need("FROM", "TYPE or TO", "[TO]")(cmd, args)
		},
		ValidArgsFunction: ends(p),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.From, o.To = args[0], args[len(args)-1]
			if len(args) == 3 {
				o.Type = args[1]
			}
			return p.RunWrite(cmd, &o.Writing, func(a *memory.Session, w api.WriteOptions) (api.Written, error) {
				o.WriteOptions = w
				return links.Remove(cmd.Context(), a, o.LinkRequest)
			})
		},
	}
	cmd.Flags().StringVar(&o.Type, "relationship", "", "the `type`, instead of the argument")
	o.AddFlags(cmd)
	return cmd
}

// ends completes the first and the third argument of a relation as refs.
func ends(p *command.Program) command.Completer {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) != 0 && len(args) != 2 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return p.Refs(3)(cmd, args, typed)
	}
}
