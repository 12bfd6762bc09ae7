package write

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

type ingestOptions struct {
	command.Writing
	kind, ref, date string
	pages           string
	force           bool
}

func newIngest(p *command.Program) *cobra.Command {
	var o ingestOptions
	cmd := &cobra.Command{
		Use:   "ingest [FILE|-]",
		Short: "Store a source, and write the pages made from it",
		Long: `Keep a meeting, an article or any other text as a page in sources/, with its
bytes as they came. Without --pages that is all; the answer lists the pages that
the text mentions, with version, summary and lines, so that an agent can write a
plan of what becomes of them.

--pages carries out such a plan, a JSON file: for each page its slug, then
content, or compiled_truth, timeline_append and frontmatter; expected_version,
assertions, links, timeline_entries, tags. All of it is one write, which cairn
undo takes back; a stale version changes nothing. Without FILE it carries out a
plan that has no source, such as that of cairn sessions distil.

A new truth that says nothing new is left out: one that shares more than 85 % of
its words with the old one, or is nearer than .95 in meaning. --force writes it.
Entries, links, assertions and tags are always added, once. The same source with
the same plan does nothing but note where the source is now.`,
		Example: `  cairn ingest meeting.md --type meeting --date 2026-11-24
  cairn ingest meeting.md --type meeting --pages plan.json --dry-run
  cairn ingest --pages plan.json`,
		Args: command.Need("[FILE|-]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 1:
				return runIngest(cmd, p, &o, args[0])
			case o.pages == "":
				return command.UsageError(cmd, "%s needs FILE|-, or --pages", cmd.CommandPath())
			case o.kind != "" || o.ref != "" || o.date != "":
				return command.UsageError(cmd, "--type, --ref and --date describe a source: give FILE|-")
			}
			return runIngest(cmd, p, &o, "")
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.kind, "type", "t", "", "the `type` of the source: "+strings.Join(ingest.Types(), ", "))
	f.StringVar(&o.ref, "ref", "", "cite the source as this `text`, such as meeting/123 or its address")
	f.StringVar(&o.date, "date", "", "the `day` that the source is of (default today)")
	f.StringVar(&o.pages, "pages", "", "carry out the plan in this `file`")
	f.BoolVar(&o.force, "force", false, "also write truths without news, and repeated plans")
	o.Writing.AddFlags(cmd)
	if err := f.MarkHidden("expected-version"); err != nil { // each page of a plan has its own
		panic(err)
	}
	command.Complete(cmd, "type", cobra.FixedCompletions(ingest.Types(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runIngest(cmd *cobra.Command, p *command.Program, o *ingestOptions, name string) error {
	opts, err := o.Options(cmd)
	if err != nil {
		return err
	}
	if opts.Expected != nil {
		return command.UsageError(cmd, "each page of a plan has its own expected_version")
	}
	req := ingest.Request{WriteOptions: opts, Force: o.force}
	if name != "" {
		req.Source = &ingest.Source{Type: o.kind, Ref: o.ref, Date: o.date}
		in := command.Input{File: name}
		if req.Source.Text, err = in.ReadText(cmd.Context(), p, cmd, nil); err != nil {
			return err
		}
		if name != "-" {
			req.Source.Name = filepath.Base(name)
		}
	}
	if o.pages != "" {
		text, err := os.ReadFile(p.Place().Absolute(o.pages))
		if err != nil {
			return kb.Errorf(kb.Usage, "cannot read %s: %w", o.pages, err)
		}
		if req.Pages, err = ingest.ReadPlan(text); err != nil {
			return err
		}
	}
	access := command.Create
	if opts.DryRun {
		access = command.Existing
	}
	return p.WithApp(cmd.Context(), access, func(a *memory.Session) error {
		r, err := ingest.Ingest(cmd.Context(), a, req)
		if err != nil {
			return err
		}
		if err := printIngested(p, r); err != nil {
			return err
		}
		return p.EmbedWritten(cmd.Context(), a, r.Written, o.Wait)
	})
}

// printIngested prints what became of a source.
func printIngested(p *command.Program, r ingest.Answer) error {
	f, err := p.Format()
	if err != nil {
		return err
	}
	if f == command.FormatJSON {
		return command.Done(p.JSON(r))
	}
	if r.Source != nil && r.Source.Refreshed {
		p.Note("ingested before: %s; nothing was written", r.Source.Ref)
	} else if err := p.Written(r.Written); err != nil {
		return err
	}
	for _, l := range r.Left {
		p.Note("left out: the truth of %s says nothing new (%s, %.2f); --force writes it", l.Slug, strings.ReplaceAll(l.Reason, "_", " "), max(l.Words, l.Meaning))
	}
	if r.There > 0 {
		p.Note("there already: %d entries, links and assertions", r.There)
	}
	if len(r.Known) == 0 {
		return nil
	}
	return p.Did(r, func(out *terminal.Page) {
		out.Linef("mentions:")
		for _, k := range r.Known {
			out.Linef("  %s (version %d)  %s", k.Ref, k.Version, k.Summary)
		}
	}, func(out *terminal.Page) {
		for _, k := range r.Known {
			out.Linef("%s\t%d", k.Ref, k.Version)
		}
	})
}
