package read

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

type queryOptions struct {
	searchOptions
	depth    string
	budget   int
	rank     string
	budgeted bool // it was given
	full     bool // print all text on a terminal
	limited  bool
}

func newQuery(p *command.Program) *cobra.Command {
	var o queryOptions
	cmd := &cobra.Command{
		Use:   "query [QUESTION...]",
		Short: "Answer a question with passages (keyword and semantic search)",
		Long: `Find the pages that answer a question, by keyword and semantic search, and fill
a token budget with the best of their passages: paragraphs, list items, rows of
tables. A page that fits is served whole. On a terminal each page shows its best
passage with two lines around it; --full prints all of the text, as do --budget
and --depth, and as programs get it.

The built-in model runs on your machine and nothing leaves it, unless you chose
another model with cairn model use. New pages are embedded on the fly for up to
two seconds; run cairn embed for the rest. The answer says how many pages are
not embedded yet. query takes the same filters as search. With --as-of, pages
that have changed since are embedded as they were at that time. See: cairn help
search-language

With --rank fields, which is what spaces of the preset guarded do, a page counts
by the fields that have a word of the question: title 100, tag, project and
status 50 each, summary 20, body 5. It prints a line for each page, ten of them,
and exits with 5 when files of the space could not be read. Without --rank, a
space with an unreadable policy is ranked by relevance, and exits with 5 too.`,
		Example: `  cairn query --in docs "how is a crash survived?"
  cairn query who knows Jensen --budget 800 --json
  cairn query "what did we decide on pricing" --type decision --depth summary`,
		Args: command.AtLeast(0, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.words = strings.Join(args, " ")
			if strings.TrimSpace(o.words) == "" && !o.filtered() {
				return command.UsageError(cmd, "%s needs QUESTION, or a filter", cmd.CommandPath())
			}
			if o.rank != "" && !slices.Contains(ranks, o.rank) {
				return command.UsageError(cmd, "--rank takes %s, not %q", strings.Join(ranks, " or "), o.rank)
			}
			other := ""
			cmd.Flags().Visit(func(f *pflag.Flag) {
				if cmd.LocalNonPersistentFlags().Lookup(f.Name) != nil && !slices.Contains(fieldFlags, f.Name) {
					other = f.Name
				}
			})
			switch {
			case o.rank == rankFields && other != "":
				return command.UsageError(cmd, "--%s does not go with --rank fields", other)
			case o.rank == "" && other != "":
				o.rank = rankOther
			}
			o.limited = cmd.Flags().Changed("limit")
			o.budgeted = cmd.Flags().Changed("budget") || cmd.Flags().Changed("token-budget")
			o.full = o.full || o.budgeted || cmd.Flags().Changed("depth") || !p.Env.StdoutTTY
			return runQuery(cmd.Context(), p, o)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	o.AddFlags(cmd, 10)
	o.addFilters(cmd)
	f := cmd.Flags()
	f.StringVar(&o.mode, "mode", "hybrid", "search by `mode`: hybrid (words and meaning), vector, fts, exact")
	o.addFusion(cmd)
	f.StringVar(&o.rank, "rank", "", "rank `by` relevance or fields; default: what the space's policy says, else relevance")
	command.Complete(cmd, "rank", cobra.FixedCompletions(ranks, cobra.ShellCompDirectiveNoFileComp))
	f.StringVar(&o.depth, "depth", "auto", "serve this much of each page: summary, section, full, auto")
	f.IntVar(&o.budget, "budget", 0, "serve at most `N` tokens of text (default: the setting token_budget, else 4000)")
	command.Alias(cmd, "token-budget", "budget")
	f.BoolVar(&o.full, "full", false, "print all of the text on a terminal, too")
	command.Complete(cmd, "depth", cobra.FixedCompletions([]string{"summary", "section", "full", "auto"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runQuery(ctx context.Context, p *command.Program, o queryOptions) error {
	if err := o.Check(); err != nil {
		return err
	}
	if o.rank == rankFields {
		return p.WithApp(ctx, command.Existing, func(a *memory.Session) error { return askFields(ctx, p, o, a) })
	}
	if o.budget < 1 && o.budgeted {
		return kb.Errorf(kb.Usage, "--budget %d would serve nothing", o.budget).WithHint("Titles alone: cairn search --mode hybrid")
	}
	search, err := o.toEmbed(p)
	if err != nil {
		return err
	}
	req := retrieve.QueryRequest{SearchRequest: search, Depth: api.Depth(o.depth), Budget: o.budget}
	return p.WithApp(ctx, command.Existing, func(a *memory.Session) error {
		var unknown error // how the space ranks
		if o.rank == "" && !o.all {
			var rank string
			if rank, unknown = space.Rank(ctx, a.Spaces); rank == rankFields {
				return askFields(ctx, p, o, a)
			}
		}
		bar := p.Progress()
		req.Progress = bar.Report
		r, err := read.Query(ctx, a, req)
		bar.Stop()
		if err != nil {
			return err
		}
		err = printAnswer(p, r, o.full)
		if unknown != nil && (err == nil || command.ExitCode(ctx, err) == command.ExitCode(ctx, command.ErrNoMatch)) {
			return unknown // nothing says that these are the pages, or that there are none
		}
		return err
	})
}

// printAnswer prints the answer to a question, or that there is none.
func printAnswer(p *command.Program, r api.QueryResult, full bool) error {
	hits := make([]api.Hit, len(r.Items))
	for i, h := range r.Items {
		hits[i] = h.Hit
	}
	return printHits(p, r, hits, r.SearchResult, func(o *terminal.Page) {
		left := 0 // lines that are not printed
		for _, h := range r.Items {
			at, lines := h.Hit, strings.Split(h.Text, "\n")
			if h.Stands != [2]int{} {
				at.Lines = h.Stands // of the text that follows
			}
			if !full {
				var from int
				if from, lines = around(h); from > 0 {
					at.Lines[0] = from
				}
				left += len(strings.Split(h.Text, "\n")) - len(lines)
			}
			printHit(p, o, at)
			o.Prose(2, lines, strings.EqualFold(path.Ext(h.Path), ".org"))
			if text := leftOut(h); text != "" && full {
				o.Textf(2, "%s", o.Style.Aside(text))
			}
			o.Linef("")
		}
		text := fmt.Sprintf("%s, %d of %d tokens", terminal.Count(len(r.Items), counted(r.SearchResult)), r.Spent, r.Budget)
		if left > 0 {
			text = fmt.Sprintf("%s; --full prints %s more", terminal.Count(len(r.Items), counted(r.SearchResult)), terminal.Count(left, "line"))
		}
		o.Linef("%s", o.Style.Aside(text+asked(r.SearchResult)))
	}, kb.Errorf(kb.NotFound, "nothing in %s answers that", strings.Join(r.Spaces, ", ")).
		WithHint("Ask in other words, or --all for all spaces. To note that it is missing: cairn gap log QUESTION"))
}

// Lines of a passage that a terminal shows, and lines around it.
const (
	maxPassage = 5
	beside     = 2
)

// around returns the lines of the best passage of a page with two around it, and the
// number of the first one, 0 where that is not known.
func around(h api.Served) (from int, lines []string) {
	parts := h.Parts
	if len(parts) == 0 {
		parts = [][2]int{h.Stands}
	}
	all := strings.Split(h.Text, "\n")
	at, part := parts[0][0], 0
	until := min(h.Lines[1], h.Lines[0]+maxPassage-1)
	for _, line := range all {
		if line == "…" && part+1 < len(parts) {
			part++
			at = parts[part][0]
			continue
		}
		if h.Stands != [2]int{} && at >= h.Lines[0]-beside && at <= until+beside {
			if from == 0 {
				from = at
			}
			lines = append(lines, line)
		}
		at++
	}
	if lines == nil {
		lines = all[:min(len(all), maxPassage+2*beside)]
	}
	return from, lines
}

// leftOut describes which part of a page was served, "" for all of it.
func leftOut(h api.Served) string {
	switch {
	case h.Depth == "" && h.LeftOut == 0:
		return "[no text]"
	case h.Depth == "":
		return fmt.Sprintf("[nothing of it fits the budget; the page has %d tokens]", h.LeftOut)
	case h.LeftOut > 0:
		return fmt.Sprintf("[%s; %d more tokens: cairn get %s]", h.Depth, h.LeftOut, safetext.Word(h.Ref))
	}
	return ""
}
