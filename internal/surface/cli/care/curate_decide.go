package care

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/knowledge/curate"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

func newCurateMerge(p *command.Program) *cobra.Command {
	return newDecision(p, "merge", "Merge {0} into {1}", &cobra.Command{
		Use:   "merge PAGE INTO",
		Short: "Make a page a part of another one",
		Long: `Append the text of a page to another one, under its title, in one write, which
undo takes back. Links to the page lead to the other from then on, which gets
its timeline, assertions, tags, projects and names, too. The page stays with its
metadata, as superseded, and leads to the other: its id is still found, here and
in other programs. With --pointers, lines "ai-kb: Title (UUID)" in files
elsewhere are changed, too; an undo leaves those as they are.

At a terminal the diff is shown first, and you are asked. Agents are refused.`,
		Example: `  cairn curate merge format-go-with-gofmt use-gofmt --dry-run
  cairn curate merge format-go-with-gofmt use-gofmt
  cairn curate merge format-go-with-gofmt use-gofmt --pointers ~/code`,
		Args:              command.Need("PAGE", "INTO"),
		ValidArgsFunction: p.Refs(2),
	})
}

func newCurateSplit(p *command.Program) *cobra.Command {
	return newDecision(p, "split", "Split {0}", &cobra.Command{
		Use:   "split PAGE --section HEADING",
		Short: "Make a page of a section of another one",
		Long: `Make a page of a section, in one write, which undo takes back. The heading
stays, with a link to the new page under it, so that links to the section still
lead there. The page has the metadata of the other one, but for id, aliases and
summary, and is in the same directory.

At a terminal the diff is shown first, and you are asked. Agents are refused.`,
		Example: `  cairn curate split go-style --section Naming --dry-run
  cairn curate split go-style --section Naming --title "How to name things in Go" --summary "Names in Go are short."`,
		Args:              command.Need("PAGE"),
		ValidArgsFunction: p.Refs(1),
	})
}

func newCurateSupersede(p *command.Program) *cobra.Command {
	return newDecision(p, "supersede", "Let {1} take the place of {0}", &cobra.Command{
		Use:   "supersede OLD NEW",
		Short: "Have a page take the place of another one",
		Long: `Mark a page as superseded, and relate the one that takes its place to it, in
one write, which undo takes back. Links to the old page lead to the new one from
then on. The old page keeps its text and its id.

At a terminal the diff is shown first, and you are asked. Agents are refused.`,
		Example:           `  cairn curate supersede indent-with-tabs indent-with-spaces --reason "The team agreed on it."`,
		Args:              command.Need("OLD", "NEW"),
		ValidArgsFunction: p.Refs(2),
	})
}

func newCurateStamp(p *command.Program) *cobra.Command {
	return newDecision(p, "stamp", "", &cobra.Command{
		Use:   "stamp PAGE...",
		Short: "Note that you looked at pages",
		Long: `Set last_curated of pages to today, in one write: cairn curate lists them last.
The day of their last change stays as it is. Agents are refused.`,
		Example:           `  cairn curate stamp use-gofmt small-functions`,
		Args:              command.Need("PAGE..."),
		ValidArgsFunction: p.Refs(-1),
	})
}

// newDecision completes a command that does what a person decided. Question asks at a
// terminal whether it is to be done; "" does not.
func newDecision(p *command.Program, do api.CurationVerb, question string, cmd *cobra.Command) *cobra.Command {
	var (
		o   command.Writing
		yes bool
		d   = api.CurationDecision{Do: do}
	)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		d.Refs = args
		return p.RunWrite(cmd, &o, func(a *memory.Session, w api.WriteOptions) (api.Written, error) {
			d.WriteOptions = w
			if question == "" || yes || w.DryRun || !p.Asks() {
				return curate.Decide(cmd.Context(), a, d)
			}
			plan := d
			plan.DryRun = true
			would, err := curate.Decide(cmd.Context(), a, plan)
			if err != nil {
				return would, err
			}
			var text strings.Builder
			d.Seen = map[string]int{}
			for _, pg := range would.Pages {
				text.WriteString(pg.Diff)
				d.Seen[pg.Space+":"+pg.Path] = pg.Version
			}
			for _, file := range would.Pointers {
				fmt.Fprintf(&text, "would change pointers in %s\n", safetext.Line(file))
			}
			ask := strings.NewReplacer("{0}", args[0], "{1}", args[len(args)-1]).Replace(question)
			answer, err := p.Ask(cmd.Context(), fmt.Sprintf("%s%s? [y/N]", text.String(), ask))
			if cmd.Context().Err() != nil {
				return api.Written{}, cmd.Context().Err()
			}
			if err != nil || !command.YesAnswer(answer) {
				return api.Written{}, nil
			}
			return curate.Decide(cmd.Context(), a, d)
		})
	}
	switch do {
	case "split":
		cmd.Flags().StringVar(&d.Section, "section", "", "`heading` of the section")
		cmd.Flags().StringVar(&d.Title, "title", "", "`title` of the new page; left out: the heading")
		cmd.Flags().StringVar(&d.Summary, "summary", "", "what the new page is about, in a `line`")
	case "supersede":
		cmd.Flags().StringVar(&d.Reason, "reason", "", "the `reason`, on the line of the relation")
	}
	if do == "merge" || do == "supersede" {
		cmd.Flags().StringVar(&d.Pointers, "pointers", "", "have lines \"ai-kb: Title (UUID)\" in the files of this `directory` name the second page, too")
	}
	if question != "" {
		cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	}
	o.AddFlags(cmd)
	return cmd
}
