package read

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cairn-kb/cairn/internal/surface/cli/command"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

type searchOptions struct {
	command.Paging
	words                               string
	all, noSync, noEmbed                bool
	types, tags, statuses, paths, where []string
	titles, wings                       []string
	permalinks, inTitle, categories     []string
	items                               []string
	after, before                       string
	mode, fusion, asOf                  string
	explain, exactTotal, exhaustive     bool
	facets                              bool
	minSimilarity                       float64
	similarity                          *pflag.Flag
}

func newSearch(p *command.Program) *cobra.Command {
	var o searchOptions
	cmd := &cobra.Command{
		Use:   "search [WORDS...]",
		Short: "Find pages by their words",
		Long: `Find pages that hold all the words, best first, with the lines that match.

Words match in any inflection, case and accent. "Quoted words" match exactly;
OR, NOT or -word, parentheses and prefix* work as one expects; and filters such
as type:person, tag:idea, path:projects, after:"last week" narrow the search.
Where few pages hold all the words, pages with any of them follow, and the
answer reports it. Without words it lists the pages. See: cairn help
search-language

cairn checks the directory for changed files first; --no-sync skips that. Where
meaning counts, new pages are embedded on the fly for up to two seconds;
--no-embed skips that.

--as-of searches the memory as it was at a time: it finds pages deleted since,
and no later ones. It rebuilds the index of that time, which takes about as long
as a first sync.`,
		Example: `  cairn search --in ~/notes "atomic rename"
  cairn search write path type:decision
  cairn search '"exact phrase" OR near* -draft' --after 2026-01-01
  cairn search --all --tag meeting budget --json
  cairn search budget --as-of 2026-03-01
  cairn search budget --facets`,
		Args: command.AtLeast(0, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.words = strings.Join(args, " ")
			if o.facets {
				return runFacets(cmd.Context(), p, o)
			}
			return runSearch(cmd.Context(), p, o, cmd.Flags().Changed("limit"))
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	o.AddFlags(cmd, 10)
	o.addFilters(cmd)
	cmd.Flags().StringVar(&o.mode, "mode", "", "search by `mode`: fts (words), vector (meaning), hybrid (both), exact (names), title, permalink; default: the space's, else fts")
	o.addFusion(cmd)
	cmd.Flags().BoolVar(&o.facets, "facets", false, "instead of pages, count how many of them are in each space, and of each type, status, tag and month")
	cmd.Flags().BoolVar(&o.exactTotal, "exact-total", false, "count all pages with the words, beyond the first 1,000 as well")
	return cmd
}

// addFusion adds what concerns searching by meaning.
func (o *searchOptions) addFusion(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.fusion, "fusion", "", "how keyword and semantic results are combined: weighted, rrf, set-union, mean; default: the setting fusion, else weighted")
	cmd.Flags().Float64Var(&o.minSimilarity, "min-similarity", 0, "drop semantic-only hits below this similarity, from 0 to 1; default: the setting min_similarity")
	o.similarity = cmd.Flags().Lookup("min-similarity")
	cmd.Flags().BoolVar(&o.noEmbed, "no-embed", false, "do not embed pages first")
	cmd.Flags().BoolVar(&o.explain, "explain", false, "show the ranking of each hit")
	command.Complete(cmd, "mode", cobra.FixedCompletions([]string{"fts", "vector", "hybrid", "exact", "title", "permalink"}, cobra.ShellCompDirectiveNoFileComp))
	command.Complete(cmd, "fusion", cobra.FixedCompletions([]string{"weighted", "rrf", "set-union", "mean"}, cobra.ShellCompDirectiveNoFileComp))
}

// addFilters adds the flags that narrow a search.
func (o *searchOptions) addFilters(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVarP(&o.all, "all", "a", false, "search all spaces")
	f.StringArrayVarP(&o.types, "type", "t", nil, "only pages of this `type`; again for another")
	f.StringArrayVarP(&o.tags, "tag", "T", nil, "only pages with this `tag`; again for another that they must have too")
	f.StringArrayVar(&o.statuses, "status", nil, "only pages in this `status`; again for another")
	f.StringArrayVar(&o.paths, "path", nil, "only pages below this `path`, or that match it as a glob; again for another")
	f.StringArrayVar(&o.wings, "wing", nil, "only pages in this `wing`; again for another")
	f.StringArrayVar(&o.titles, "title", nil, "only pages with these `words` in the title")
	f.StringArrayVar(&o.inTitle, "in-title", nil, "only pages with this `text` somewhere in the title; again for another")
	f.StringArrayVar(&o.permalinks, "permalink", nil, "only the page of this `permalink`, or all that match it as a pattern with *; again for another")
	f.StringArrayVar(&o.categories, "category", nil, "only pages with an observation of this `category`; again for another")
	f.StringArrayVar(&o.items, "item", nil, "find this `kind` of items: entity (pages), observation, relation; again for another")
	f.StringArrayVarP(&o.where, "where", "w", nil, "only pages "+command.WhereHelp)
	f.StringVar(&o.after, "after", "", "only pages of this `date` or later")
	f.StringVar(&o.before, "before", "", "only pages of an earlier `date`")
	f.StringVar(&o.asOf, "as-of", "", "search the memory as it was at this `time`")
	f.BoolVar(&o.noSync, "no-sync", false, "do not look for changed files first")
	command.Complete(cmd, "item", cobra.FixedCompletions([]string{"entity", "observation", "relation"}, cobra.ShellCompDirectiveNoFileComp))
	command.Complete(cmd, "status", cobra.FixedCompletions(command.Statuses(), cobra.ShellCompDirectiveNoFileComp))
}

func (o *searchOptions) filtered() bool {
	return len(o.types)+len(o.tags)+len(o.statuses)+len(o.paths)+len(o.titles)+len(o.wings)+len(o.permalinks)+len(o.inTitle)+len(o.categories)+len(o.items)+len(o.where) > 0 || o.after+o.before != ""
}

// least is the similarity that was asked for, nil for none.
func (o *searchOptions) least() *float64 {
	if o.similarity == nil || !o.similarity.Changed {
		return nil
	}
	return &o.minSimilarity
}

// request returns the options of the search itself.
func (o *searchOptions) request() retrieve.SearchRequest {
	return retrieve.SearchRequest{
		Query: o.words, All: o.all, Limit: o.Show, Offset: o.Skip, Sync: !o.noSync, AsOf: o.asOf,
		Narrow: retrieve.Narrow{
			Types: o.types, Tags: o.tags, Statuses: o.statuses, Paths: o.paths, Titles: o.titles, Wings: o.wings, Where: o.where, After: o.after, Before: o.before,
			Permalinks: o.permalinks, InTitle: o.inTitle, Categories: o.categories, Items: o.items,
		},
		Mode: api.Mode(o.mode), Fusion: retrieve.Fusion(o.fusion), MinSimilarity: o.least(), Explain: o.explain, ExactTotal: o.exactTotal, Exhaustive: o.exhaustive,
	}
}

// toEmbed is the request of a search that may embed pages first.
func (o *searchOptions) toEmbed(p *command.Program) (retrieve.SearchRequest, error) {
	on, err := p.Embeds()
	req := o.request()
	if on && !o.noEmbed {
		req.Embed = p.EmbedAtOnce()
	}
	return req, err
}

func runSearch(ctx context.Context, p *command.Program, o searchOptions, limited bool) error {
	if !limited {
		if err := o.defaultLimit(p); err != nil {
			return err
		}
	}
	if err := o.Check(); err != nil {
		return err
	}
	req, err := o.toEmbed(p)
	if err != nil {
		return err
	}
	return p.WithApp(ctx, command.Existing, func(a *memory.Session) error {
		bar := p.Progress()
		req.Progress = bar.Report
		found, err := read.Search(ctx, a, req)
		bar.Stop()
		if err != nil {
			return err
		}
		return printFound(p, found)
	})
}

func runFacets(ctx context.Context, p *command.Program, o searchOptions) error {
	return p.WithApp(ctx, command.Existing, func(a *memory.Session) error {
		found, err := read.Facets(ctx, a, o.request())
		if err != nil {
			return err
		}
		rows := func(row func(facet string, c api.Count)) {
			for _, f := range []struct {
				name   string
				counts []api.Count
			}{{"space", found.Space}, {"type", found.Type}, {"status", found.Status}, {"tag", found.Tag}, {"month", found.Month}} {
				for _, c := range f.counts {
					row(f.name, c)
				}
			}
		}
		return p.Record(found, func(o *terminal.Page) {
			t := terminal.NewTable("FACET", "VALUE", "PAGES")
			rows(func(facet string, c api.Count) { t.Row(facet, c.Value, c.Count) })
			t.Print(o)
			if found.Pages == 0 {
				o.Linef("no pages")
			}
		}, func(o *terminal.Page) {
			rows(func(facet string, c api.Count) { o.Linef("%s\t%s\t%d", facet, c.Value, c.Count) })
		})
	})
}

// longQuery is the length in bytes above which a message shows only the
// beginning of a query.
const longQuery = 200

func shown(query string) string {
	if len(query) <= longQuery {
		return query
	}
	return strings.ToValidUTF8(query[:longQuery], "") + "…"
}

// quoted is a question as an argument that can be pasted into a shell, or a
// name for one where that would take more than quotes.
func quoted(question string) string {
	if question == "" || len(question) > longQuery || strings.ContainsAny(question, "\"'`$\\!\n") {
		return "QUESTION"
	}
	return `"` + question + `"`
}

// defaultLimit takes the limit from the configuration.
func (o *searchOptions) defaultLimit(p *command.Program) error {
	text, err := p.Setting("limit")
	if err != nil {
		return err
	}
	o.Show, err = strconv.Atoi(text)
	return err
}

// printFound prints hits, or that there are none, which has an exit code of its
// own.
func printFound(p *command.Program, r api.SearchResult) error {
	r.List = command.Listed(r.List)
	return printHits(p, r, r.Items, r, func(o *terminal.Page) {
		for _, h := range r.Items {
			printHit(p, o, h)
			if h.Snippet != "" {
				o.Textf(2, "%s", o.Style.Marked(h.Snippet, h.Marks))
			}
			o.Linef("")
		}
		o.Textf(0, "%s", o.Style.Aside(tally(r)))
		for _, line := range r.Completeness.Statement() {
			o.Textf(0, "%s", o.Style.Aside(line))
		}
	}, kb.Errorf(kb.NotFound, "no page matches %s in %s", shown(r.Query), strings.Join(r.Spaces, ", ")).
		WithHint("search matches words only; by meaning: cairn query %s\nOr try a prefix such as word*, or --all for all spaces: cairn help search-language", quoted(r.Query)))
}

// printHits prints an answer of these hits, with its notes. None of them is the
// error nothing, which as JSON is an answer all the same.
func printHits(p *command.Program, value any, hits []api.Hit, r api.SearchResult, human func(*terminal.Page), nothing error) error {
	f, err := p.Format()
	if err != nil {
		return err
	}
	if len(hits) == 0 {
		if f == command.FormatJSON {
			if err := p.JSON(value); err != nil {
				return err
			}
			return command.ErrNoMatch
		}
		noteAnswer(p, r)
		if r.Total > 0 {
			return kb.Errorf(kb.NotFound, "no more results: %s in all", terminal.Count(r.Total, counted(r)))
		}
		return nothing
	}
	if f == command.FormatBrief {
		noteAnswer(p, r) // lines of records are for programs: print nothing else
	}
	return p.Record(value, func(o *terminal.Page) {
		human(o)
		for _, n := range r.Notes {
			o.Linef("%s", o.Style.Aside("note: "+n))
		}
	}, func(o *terminal.Page) {
		for _, h := range hits {
			o.Linef("%s\t%s:%d\t%s\t%s\t%s", h.Ref, pathOf(p, h.Page), h.Lines[0], h.Title, cmp.Or(strings.Join(standing(h), " "), string(kb.Active)), h.Gist)
		}
	})
}

// counted is what a total counts.
func counted(r api.SearchResult) string {
	if slices.ContainsFunc(r.Items, func(h api.Hit) bool { return h.Item != nil }) {
		return "item"
	}
	return "page"
}

// noteAnswer prints limitations of an answer on standard error, unless the
// answer itself contains them.
func noteAnswer(p *command.Program, r api.SearchResult) {
	for _, n := range r.Notes {
		p.Note("note: %s", n)
	}
}

// printHit prints what a hit is, and why it was found where that was asked for.
func printHit(p *command.Program, o *terminal.Page, h api.Hit) {
	if s := standing(h); len(s) > 0 {
		o.Textf(0, "%s  %s", o.Style.Title(h.Title), o.Style.Warn(strings.Join(s, " ")))
	} else {
		o.Textf(0, "%s", o.Style.Title(h.Title))
	}
	after := strings.Join(strings.Fields(fmt.Sprintf(":%d %s %s", h.Lines[0], h.Date, h.Space)), "  ")
	path := terminal.CutPath(safetext.Line(pathOf(p, h.Page)), o.Width-2-len(after))
	o.Linef("  %s", o.Style.Link(o.Style.Aside(path+after), h.File))
	if lines := command.EndedLines(h.Ended); lines != "" {
		o.Linef("  %s", o.Style.Aside(lines))
	}
	if s := h.Said; s != nil {
		at := ""
		if s.At != nil {
			at = ", " + terminal.Moment(*s.At)
		}
		o.Textf(2, "%s", o.Style.Aside(fmt.Sprintf("turn %d by %s%s", s.Turn, s.By, at)))
		if s.Resume != "" {
			o.Linef("  %s", o.Style.Aside("again: "+safetext.Line(s.Resume)))
		}
	}
	for _, line := range command.Hit(h.Why) {
		o.Linef("  %s", o.Style.Aside(line))
	}
}

// standing marks a hit that is not active, contested or behind its timeline, and names
// the page that a compacted one is summed up in.
func standing(h api.Hit) (out []string) {
	if !kb.IsActive(h.Status) {
		out = append(out, string(h.Status))
	}
	switch {
	case h.CompactedInto != "":
		out = append(out, "into", h.CompactedInto)
	case h.SupersededBy != "":
		out = append(out, "superseded by", h.SupersededBy)
	}
	if h.Contested && h.Status != kb.Contested {
		out = append(out, "contested")
	}
	if h.Stale && h.Status != kb.Stale {
		out = append(out, "stale")
	}
	return out
}

// tally says how many pages or lines there are and how they were found.
func tally(r api.SearchResult) string {
	text := terminal.Count(r.Total, counted(r))
	if r.AtLeast {
		text = fmt.Sprintf("%d+ %ss", r.Total, counted(r))
	}
	if len(r.Items) < r.Total || r.AtLeast {
		text = fmt.Sprintf("%d of %s", len(r.Items), text)
	}
	switch {
	case r.Relaxed && r.AllWords == 0:
		text += fmt.Sprintf("; no %s has all the words: showing partial matches", counted(r))
	case r.Relaxed && r.AllWords == 1:
		text += "; one has all the words, the others match in part"
	case r.Relaxed:
		text += fmt.Sprintf("; %d have all the words, the others match in part", r.AllWords)
	}
	text += asked(r)
	if r.Next != "" {
		text += "; more with --offset " + r.Next
	}
	return text
}

// asked describes how well an answer fits, where that is in doubt and no note
// reports it, and the date for which it holds.
func asked(r api.SearchResult) (text string) {
	if r.Match == retrieve.MatchWeak {
		text = "; match: " + r.Match
	}
	if r.AsOf != nil {
		text += "; as of " + r.AsOf.Format(time.RFC3339)
	}
	return text
}

// pathOf names a page's file as a person here can open it: relative to the
// working directory when inside it, else as the space has it.
func pathOf(p *command.Program, pg api.Page) string {
	if pg.File == "" {
		return pg.Path
	}
	if rel, err := filepath.Rel(p.Env.Dir, pg.File); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return pg.Path
}
