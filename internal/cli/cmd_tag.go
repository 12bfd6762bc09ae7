package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/terminal"
)

func newTag(p *program) *cobra.Command {
	return tagCommand(p, &cobra.Command{
		Use:   "tag REF TAG...",
		Short: "Add tags to a page, or to many",
		Long: `Add tags to the page's metadata. Tags that it has already stay as they are. With
--where, all pages that meet its conditions are tagged: one write, which one
undo takes back. See: cairn help search-language`,
		Example: `  cairn tag people/ada mathematics pioneer
  cairn tag --where "path:people type:person" contact
  cairn tag people/ada '#pioneer' --dry-run`,
	}, func(tags []string, req *app.TagRequest) { req.Add = tags })
}

func newUntag(p *program) *cobra.Command {
	return tagCommand(p, &cobra.Command{
		Use:   "untag REF TAG...",
		Short: "Remove tags from a page, or from many",
		Long: `Remove tags from the page's metadata. A tag that stands in the text as #tag is
refused, with its line: edit the text to remove it.`,
		Example: `  cairn untag people/ada draft
  cairn untag --where "tag:draft after:2026-01-01" draft
  cairn untag people/ada draft --expected-version 4`,
	}, func(tags []string, req *app.TagRequest) { req.Remove = tags })
}

func tagCommand(p *program, cmd *cobra.Command, set func([]string, *app.TagRequest)) *cobra.Command {
	var (
		w  writing
		by where
	)
	cmd.Args = by.need(atLeast(1, "TAG"), atLeast(2, "REF and TAG"))
	cmd.ValidArgsFunction = p.refs(1)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ref, tags := by.args(args)
		return p.runWrite(cmd, &w, func(a *app.App, opts app.WriteOptions) (app.Written, error) {
			req := app.TagRequest{WriteOptions: opts, Ref: ref, Where: by.list()}
			set(tags, &req)
			return a.Tag(cmd.Context(), req)
		})
	}
	by.addFlags(cmd)
	w.addFlags(cmd)
	return cmd
}

func newTags(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "tags [REF]",
		Short: "List the tags of the space or of a page",
		Long:  `List the tags of the space with the number of pages that have each, or those of one page.`,
		Example: `  cairn tags
  cairn tags people/ada
  cairn tags --format brief | sort`,
		Args:              need("[REF]"),
		ValidArgsFunction: p.refs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runTags(cmd.Context(), p, strings.Join(args, ""))
		},
	}
}

func runTags(ctx context.Context, p *program, ref string) error {
	return p.withFresh(ctx, false, func(a *app.App) error {
		l, err := a.Tags(ctx, ref, false)
		if err != nil {
			return err
		}
		l = listed(l)
		return p.record(l, func(o *terminal.Page) {
			t := terminal.NewTable("TAG", "PAGES")
			for _, c := range l.Items {
				t.Row(o.Style.Title(c.Value), c.Count)
			}
			t.Print(o)
			if len(l.Items) == 0 {
				o.Linef("no tags")
			}
			more(o, l, "tag")
		}, func(o *terminal.Page) {
			for _, c := range l.Items {
				o.Linef("%s\t%d", c.Value, c.Count)
			}
		})
	})
}
