package spaces

import (
	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

type embedOptions struct{ all, stale, again, stdin, query bool }

func newEmbed(p *command.Program) *cobra.Command {
	var o embedOptions
	cmd := &cobra.Command{
		Use:   "embed [REF...]",
		Short: "Embed pages for semantic search",
		Long: `Compute the embeddings of pages that have none, or that changed since, with the
active model. That is the built-in one, and nothing leaves the machine, unless
cairn model use chose another. Files that changed are read first. An interrupted
run keeps its results. Unchanged chunks of a page are not computed again. Text
that is too long to embed, of a page or a chunk, is listed in notes; keyword
search finds it.

Other commands embed new text at once where that is quick, and a query embeds
for a moment first; cairn serve does the rest in the background. To leave all of
it to this command: cairn config set embed off

With --stdin it is a tool for other programs: it uses the built-in model and
needs no memory. It reads one text a line and prints one JSON object a line, in
the same order, with "tokens" and "vector", which is of length one. A text that
is too long for the model has "error" and "max_tokens" instead; the exit code
is then 5.`,
		Example: "  cairn embed --in ~/notes\n  cairn embed --all --json\n  cairn embed people/ada --again\n  cairn embed --stdin --query < questions.txt",
		Args:    command.AtLeast(0, "REF"),
		RunE:    func(cmd *cobra.Command, args []string) error { return runEmbed(cmd, p, o, args) },

		ValidArgsFunction: p.Refs(-1),
	}
	f := cmd.Flags()
	f.BoolVarP(&o.all, "all", "a", false, "pages of all spaces")
	f.BoolVar(&o.stale, "stale", false, "only pages that have no embeddings, or changed since; this is the default")
	f.BoolVar(&o.again, "again", false, "embed every page again; the old vectors serve until then")
	f.BoolVar(&o.stdin, "stdin", false, "embed the lines of standard input instead of pages")
	f.BoolVar(&o.query, "query", false, "with --stdin: the lines are questions, not passages")
	return cmd
}

func runEmbed(cmd *cobra.Command, p *command.Program, o embedOptions, refs []string) error {
	switch {
	case o.stale && o.again:
		return command.UsageError(cmd, "--stale conflicts with --again")
	case o.stdin && (len(refs) > 0 || o.all || o.stale || o.again):
		return command.UsageError(cmd, "--stdin embeds no pages")
	case o.query && !o.stdin:
		return command.UsageError(cmd, "--query goes with --stdin")
	case o.all && len(refs) > 0:
		return command.UsageError(cmd, "--all is every page; %s is one", refs[0])
	case o.stdin:
		return embedLines(cmd.Context(), p, o.query)
	}
	return p.WithApp(cmd.Context(), command.Existing, func(a *memory.Session) error {
		r, err := p.EmbedPages(cmd.Context(), a, embedding.Request{All: o.all, Refs: refs, Again: o.again}, true)
		if err != nil {
			return command.GoesOn(cmd.Context(), err, "Computed embeddings are kept: the next cairn embed continues.")
		}
		return p.Did(r, func(out *terminal.Page) {
			out.Linef("embedded %s with %s: %s, %d more as they were; %s left (%d ms)",
				terminal.Count(r.Pages, "page"), r.Model, terminal.Count(r.Chunks, "chunk"), r.Reused, terminal.Count(r.Left, "page"), r.Millis)
			for _, n := range r.Notes {
				out.Linef("%s", out.Style.Aside("note: "+n))
			}
		}, func(out *terminal.Page) { out.Linef("%s\t%d\t%d", r.Model, r.Pages, r.Left) })
	})
}
