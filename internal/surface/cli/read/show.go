package read

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/brief"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

func newShow(p *command.Program) *cobra.Command {
	var links bool
	cmd := &cobra.Command{
		Use:   "show REF",
		Short: "Show a page with its state",
		Long: `Show the text of a page with its file, its status and the reason for it, the
pages that contradict it, and of a summary the pages that were compacted into
it. REF may be the form of other programs, as "ai-kb: Title (UUID)". With
--with-links also its relations and links, both ways. get prints the document as
it is stored.`,
		Example: `  cairn show pricing
  cairn show cn-7f3a --with-links
  cairn show clients:pricing --json`,
		Args:              command.Need("REF"),
		ValidArgsFunction: p.Refs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.WithApp(cmd.Context(), command.Synced, func(a *memory.Session) error {
				s, err := brief.Show(cmd.Context(), a, args[0], links)
				if err != nil {
					return err
				}
				for _, w := range s.Warnings {
					p.Note("note: %s", w.Text)
				}
				return p.Record(s, func(o *terminal.Page) { printShown(o, s) }, func(o *terminal.Page) {
					o.Linef("%s\t%s\t%s\t%s", s.Ref, s.Title, string(s.Status), s.StaleReason)
				})
			})
		},
	}
	cmd.Flags().BoolVar(&links, "with-links", false, "show its links, too, both ways")
	return cmd
}

func printShown(o *terminal.Page, s api.BriefPage) {
	o.Textf(0, "%s  %s", o.Style.Title(s.Title), o.Style.Aside(s.Ref+"  "+s.Short))
	state := string(s.Status)
	if s.StaleSince != "" {
		state += " since " + s.StaleSince
	}
	if s.StaleReason != "" {
		state += ": " + s.StaleReason
	}
	if s.Reviewed != "" {
		state += ", reviewed on " + s.Reviewed
	}
	if kb.IsActive(s.Status) {
		o.Textf(0, "%s", o.Style.Aside(state))
	} else {
		o.Textf(0, "%s", o.Style.Warn(state))
	}
	if s.File != "" {
		o.Textf(0, "%s", o.Style.Aside(s.File))
	}
	if s.CompactedInto != nil {
		o.Textf(0, "compacted into %s  %s", s.CompactedInto.Ref, o.Style.Aside(s.CompactedInto.Title))
	}
	for _, c := range s.Conflicts {
		o.Textf(0, "%s  %s  %s%s", o.Style.Bad("conflict"), c.Ref, o.Style.Aside(c.Title), command.Optional(": ", c.Description))
	}
	for _, m := range s.Members {
		o.Textf(0, "sums up %s  %s", m.Ref, o.Style.Aside(m.Title+", "+string(m.Status)))
	}
	if text := strings.TrimSpace(safetext.Text(s.Text)); text != "" {
		o.Linef("")
		o.WriteString(text + "\n")
	}
	if s.Links == nil {
		return
	}
	o.Linef("")
	t := terminal.NewTable("LINK", "TYPE", "PAGE", "WHEN", "CONTEXT").Extra(3, 4)
	for _, k := range s.Links.Out {
		to := terminal.Name{Full: k.Written()}
		if k.Page != nil {
			to = terminal.Name{Full: k.Page.Ref, Short: k.Page.Short}
		}
		t.Row("to", k.Type, to, whenHolds(k), k.Context)
	}
	for _, k := range s.Links.In {
		t.Row("from", k.Type, terminal.Name{Full: k.From, Short: k.FromShort}, whenHolds(k), k.Context)
	}
	t.Print(o)
	if len(s.Links.Out)+len(s.Links.In) == 0 {
		o.Linef("no links")
	}
}

// whenHolds is the time of a link as a page writes it.
func whenHolds(k api.Link) string {
	return kb.Interval{From: k.ValidFrom, Until: k.ValidUntil}.String()
}
