package write

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

type editOptions struct {
	command.Writing
	command.Input
	ref   string
	steps command.Flags
}

func newEdit(p *command.Program) *cobra.Command {
	var o editOptions
	cmd := &cobra.Command{
		Use:   "edit REF",
		Short: "Change parts of a page, or open it in an editor",
		Long: `Change parts of a page and leave every other byte as it is. The flags are one
change, made in the given order; either all of them happen or none. A TEXT of -
is read from --file or from standard input.

--section says where --append, --prepend, --replace-section, --insert-before,
--insert-after and --find act: it holds for those after it, or for all when it
is given once. Nested headings are written as "Outer > Inner", and the second of
a name as "Name#2". A REF such as "Page#Heading" or "Page#^block" names the
section or block for all of them.

Without any of these flags the page, or the part of it that REF names, opens in
the editor ($VISUAL or $EDITOR) and is saved when the editor ends, unless it was
changed by others meanwhile. Without REF, a person at a terminal picks the page
from a list.`,
		Example: `  cairn edit people/ada --append "Met Babbage in 1833."
  cairn edit people/ada --section "Open questions" --append "- Which engine?"
  cairn edit "people/ada#Open questions" --replace-section "None."
  cairn edit people/ada --find Byron --replace-with Lovelace --expect 2
  cairn edit people/ada --set born=1815-12-10 --set-list languages=en,fr --unset draft
  cairn edit people/ada --add-observation "[skill] writes programs #mathematics (1843)"
  cairn edit people/ada`,
		Args:              p.Picks(command.Need("REF")),
		ValidArgsFunction: p.Refs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if o.ref, err = p.RefOf(cmd.Context(), args); err != nil {
				return err
			}
			return runEdit(cmd, p, &o)
		},
	}
	o.steps.AddFlags(cmd.Flags())
	o.Input.AddFlags(cmd, "the text of -")
	o.Writing.AddFlags(cmd)
	cmd.Flags().SortFlags = false
	return cmd
}

func runEdit(cmd *cobra.Command, p *command.Program, o *editOptions) error {
	if o.steps.Empty() {
		if o.File != "" {
			return command.UsageError(cmd, "--file gives the text of -, but no flag has it")
		}
		return runEditor(cmd, p, o)
	}
	usage := func(format string, args ...any) error { return command.UsageError(cmd, format, args...) }
	list, err := o.steps.List(o.ref, usage, func(value string) (string, error) {
		if value != "-" {
			return value, nil
		}
		return o.dash(cmd.Context(), p, cmd)
	})
	if err != nil {
		return err
	}
	if o.File != "" && !o.Taken {
		return command.UsageError(cmd, "--file gives the text of -, but no flag has it")
	}
	return p.RunWrite(cmd, &o.Writing, func(a *memory.Session, w api.WriteOptions) (api.Written, error) {
		return change.EditPage(cmd.Context(), a, change.EditRequest{WriteOptions: w, Ref: o.ref, Edits: list})
	})
}

// dash reads the text for a flag with the value "-".
func (o *editOptions) dash(ctx context.Context, p *command.Program, cmd *cobra.Command) (string, error) {
	if o.Taken {
		return "", command.UsageError(cmd, "- can be given only once")
	}
	dash := "-"
	text, err := o.ReadText(ctx, p, cmd, &dash)
	o.Taken = true
	return string(text), err
}
