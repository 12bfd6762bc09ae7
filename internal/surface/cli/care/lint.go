package care

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/lintpages"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

type lintOptions struct {
	command.Paging
	api.LintRequest
	stdin bool
}

func newLint(p *command.Program) *cobra.Command {
	var o lintOptions
	cmd := &cobra.Command{
		Use:   "lint [REF...]",
		Short: "List problems of documents",
		Long: `List the faults of the documents in the space, or of single pages: drawers and
frontmatter that cannot be read, ids that are missing, repeated or not UUIDs,
required properties, values that the schemas do not allow, links to unknown ids,
conflict markers, credentials, and text that an editor would run when it opens
the file. Sources and index files are checked, too. The space's policy defines
which rules are fatal, and whether a write may break them: see docs/lint.md.

With --stdin a text is checked as if it were in the space, at --path.

Exits with 5 when a fault is fatal.`,
		Example: `  cairn lint
  cairn lint principles/small-functions --json
  cairn lint --stdin --path new.org < draft.org`,
		Args:              command.Need("[REF...]"),
		ValidArgsFunction: p.Refs(-1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Refs = args
			switch {
			case o.stdin && len(args) > 0:
				return command.UsageError(cmd, "--stdin does not go with pages")
			case o.Changed && o.Index, (o.Changed || o.Index) && (o.stdin || len(args) > 0):
				return command.UsageError(cmd, "--changed, --index, --stdin and pages exclude each other")
			case o.Path != "" && !o.stdin:
				return command.UsageError(cmd, "--path is for --stdin")
			}
			if o.stdin {
				text, err := terminal.ReadAll(cmd.Context(), p.Env.Stdin)
				if err != nil {
					return err
				}
				whole := string(text)
				o.Text = &whole
			}
			return runLint(cmd.Context(), p, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.stdin, "stdin", false, "look at standard input instead")
	f.BoolVar(&o.Changed, "changed", false, "only uncommitted files, in a guarded space")
	f.BoolVar(&o.Index, "index", false, "only the index files")
	f.StringVar(&o.Path, "path", "", "with --stdin: the `path` of the text")
	o.Paging.AddFlags(cmd, 200)
	return cmd
}

func runLint(ctx context.Context, p *command.Program, o lintOptions) error {
	if err := o.Paging.Check(); err != nil {
		return err
	}
	o.Limit, o.Offset = o.Show, o.Skip
	fatal := 0
	err := p.WithApp(ctx, command.Existing, func(a *memory.Session) error {
		found, err := lintpages.Lint(ctx, a, o.LintRequest, func() error {
			return p.Freshen(ctx, a, read.FreshenRequest{All: len(o.Refs) > 0})
		})
		if err != nil {
			return err
		}
		fatal = found.Fatal
		return p.Record(found, func(out *terminal.Page) {
			for _, f := range found.Items {
				severity := out.Style.Aside(f.Severity)
				if f.Severity == "fatal" {
					severity = out.Style.Bad(f.Severity)
				}
				out.Linef("%s: %s: %s (%s)", out.Style.Title(faultPlace(f)), severity, f.Message, f.Rule)
			}
			out.Linef("%s, %d fatal, %s", terminal.Count(found.Files, "document"), found.Fatal, terminal.Count(found.Warnings, "warning"))
			command.More(out, found.List, "fault")
		}, func(out *terminal.Page) {
			for _, f := range found.Items {
				out.Linef("%s\t%s\t%s\t%s", faultPlace(f), f.Severity, f.Rule, f.Message)
			}
		})
	})
	if err == nil && fatal > 0 {
		return command.ErrFaults
	}
	return err
}

func faultPlace(f api.Fault) string {
	if f.Line == 0 {
		return f.Path
	}
	return fmt.Sprintf("%s:%d", f.Path, f.Line)
}
