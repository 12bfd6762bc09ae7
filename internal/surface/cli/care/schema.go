package care

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/knowledge/conformity"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

func newSchema(p *command.Program) *cobra.Command {
	return command.Group(&cobra.Command{
		Use:   "schema",
		Short: "Hold pages to the schemas of their types",
		Long: `A schema is a page of type schema. Its metadata defines the contents of pages of
a type:

  type: schema
  entity: person
  schema:
    name: string, full name
    born?: integer
    works_at?: Company, employer
    skill?(array): string
    status?(enum): [active, left]
  settings:
    validation: warn

A field is the observation [name] of a page, the relation of that name, or a
property. One with ? may be missing; a type that is not built in is that of
another page. A page can have a schema of its own under schema, or name one.`,
	}, command.Lists[api.PageConformity](p, newSchemaValidate(p)), newSchemaInfer(p), newSchemaDiff(p))
}

func newSchemaValidate(p *command.Program) *cobra.Command {
	var (
		paging command.Paging
		req    conformity.Request
	)
	cmd := &cobra.Command{
		Use:   "validate [REF]",
		Short: "List pages that do not keep to their schema",
		Long: `List the pages in the space that do not match their schema, or validate one
page; given a schema, validate the pages that it applies to. Problems are
warnings, or errors if the schema has "validation: strict".

Exits with 0 for any findings.`,
		Example: `  cairn schema validate
  cairn schema validate people/ada --json
  cairn schema validate --type person --valid`,
		Args:              command.Need("[REF]"),
		ValidArgsFunction: p.Refs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Ref = strings.Join(args, "")
			if err := paging.Check(); err != nil {
				return err
			}
			req.Limit, req.Offset = paging.Show, paging.Skip
			return runValidate(cmd.Context(), p, req)
		},
	}
	f := cmd.Flags()
	f.StringVar(&req.Type, "type", "", "only pages of this `type`")
	f.BoolVar(&req.Every, "valid", false, "list pages without problems as well")
	paging.AddFlags(cmd, 50)
	return cmd
}

func runValidate(ctx context.Context, p *command.Program, req conformity.Request) error {
	return p.WithFresh(ctx, req.Ref != "", func(a *memory.Session) error {
		c, err := conformity.Validate(ctx, a, req)
		if err != nil {
			return err
		}
		for _, f := range c.Faults {
			p.Note("warning: %s: %s %s", f.Ref, f.Key, f.Problem)
		}
		return p.Record(c, func(out *terminal.Page) {
			for _, n := range c.Items {
				showConformity(out, n)
			}
			out.Linef("%s", conformityTally(c))
			command.More(out, c.List, "page")
		}, func(out *terminal.Page) {
			for _, n := range c.Items {
				for _, f := range n.Fields {
					if f.Problem != "" {
						out.Linef("%s\t%s\t%s\t%s", n.Ref, severity(n), f.Name, f.Problem)
					}
				}
				if n.Valid {
					out.Linef("%s\tvalid", n.Ref)
				}
			}
		})
	})
}

func showConformity(out *terminal.Page, n api.PageConformity) {
	if n.Valid {
		out.Linef("%s: valid", out.Style.Title(n.Ref))
		return
	}
	out.Linef("%s", out.Style.Title(n.Ref))
	for _, f := range n.Fields {
		if f.Problem != "" {
			out.Linef("    %s: %s", severity(n), f.Problem)
		}
	}
}

func severity(n api.PageConformity) string {
	if n.Mode == "strict" {
		return "error"
	}
	return "warning"
}

func conformityTally(c api.Conformity) string {
	if c.Pages == 0 {
		return "no schema applies to any page"
	}
	out := fmt.Sprintf("%d of %s valid", c.Valid, terminal.Count(c.Pages, "page"))
	if c.Errors > 0 {
		out += ", " + terminal.Count(c.Errors, "error")
	}
	if c.Warnings > 0 {
		out += ", " + terminal.Count(c.Warnings, "warning")
	}
	return out
}

func newSchemaInfer(p *command.Program) *cobra.Command {
	var (
		writing command.Writing
		req     conformity.InferRequest
	)
	cmd := &cobra.Command{
		Use:   "infer TYPE",
		Short: "Make a schema of what pages of a type hold",
		Long: `Count the observations and relations of the pages of a type, and print the
schema that they keep to already: what 95 percent of them have is required, what
a quarter have is optional, and what most have several times is an array.

--save writes it to schemas/TYPE.md.`,
		Example: `  cairn schema infer person
  cairn schema infer person --above 0.5
  cairn schema infer meeting --save --dry-run`,
		Args: command.Need("TYPE"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			req.Type = args[0]
			if req.WriteOptions, err = writing.Options(cmd); err != nil {
				return err
			}
			return runInfer(cmd.Context(), p, req)
		},
	}
	f := cmd.Flags()
	f.Float64Var(&req.Above, "above", conformity.DefaultShare, "`share` of the pages from which a field is in the schema, 0 to 1")
	f.BoolVar(&req.Save, "save", false, "write the schema as a page")
	writing.AddFlags(cmd)
	return cmd
}

func runInfer(ctx context.Context, p *command.Program, req conformity.InferRequest) error {
	return p.WithFresh(ctx, false, func(a *memory.Session) error {
		s, err := conformity.Infer(ctx, a, req)
		if err != nil {
			return err
		}
		print := func(out *terminal.Page) {
			for _, u := range s.Fields {
				out.Linef("# %s", useLine(u))
			}
			for line := range strings.Lines(s.Schema) {
				out.Linef("%s", strings.TrimSuffix(line, "\n"))
			}
			if s.Written != nil && len(s.Written.Pages) > 0 {
				out.Linef("# %s %s", s.Written.Pages[0].Change, s.Written.Pages[0].Ref)
			}
		}
		return p.Record(s, print, print)
	})
}

// useLine reports how many pages have a field.
func useLine(u api.FieldUse) string {
	line := fmt.Sprintf("%s: %s in %s, %.0f %%", u.Name, u.Source, terminal.Count(u.Pages, "page"), 100*u.Share)
	if u.Source == "" {
		line = u.Name + ": in no page"
	}
	if u.Array {
		line += ", several"
	}
	return line
}

func newSchemaDiff(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "diff TYPE",
		Short: "Show where pages of a type and their schema have come apart",
		Long: `List the fields that a quarter of the pages have and the schema does not name
(+), those of the schema that fewer than a tenth have (-), and those with one
value on one side and several on the other (~).`,
		Example: `  cairn schema diff person
  cairn schema diff meeting --json`,
		Args: command.Need("TYPE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return p.WithFresh(ctx, false, func(a *memory.Session) error {
				d, err := conformity.Diff(ctx, a, args[0])
				if err != nil {
					return err
				}
				print := func(out *terminal.Page) { showDrift(out, d) }
				return p.Record(d, print, print)
			})
		},
	}
}

func showDrift(out *terminal.Page, d api.SchemaDrift) {
	for _, u := range d.New {
		out.Linef("+ %s", useLine(u))
	}
	for _, u := range d.Unused {
		out.Linef("- %s", useLine(u))
	}
	for _, c := range d.Cardinality {
		declared := "one in the schema"
		if c.Declared {
			declared = "several in the schema"
		}
		out.Linef("~ %s; %s", useLine(c.FieldUse), declared)
	}
	if len(d.New)+len(d.Unused)+len(d.Cardinality) == 0 {
		out.Linef("%s fits %s", d.Schema, terminal.Count(d.Pages, "page"))
	}
}
