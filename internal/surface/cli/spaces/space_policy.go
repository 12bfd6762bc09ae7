package spaces

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/calendar/presets"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

func newSpacePolicy(p *command.Program) *cobra.Command {
	var (
		req space.RewriteRequest
		in  command.Input
	)
	cmd := &cobra.Command{
		Use:   "policy [NAME] [FILE|-]",
		Short: "Print or replace the policy of a space",
		Long: `Print the policy of a space as it is stored, or replace it with a file or
standard input. A policy that is not valid is refused, with the line. In a
directory the policy is .cairn/space.toml; otherwise it is kept in the database.
docs/formats.md describes the keys.`,
		Example: `  cairn space policy notes
  cairn space policy notes new.toml --dry-run
  cairn space policy notes - < new.toml`,
		Args:              command.Need("[NAME]", "[FILE|-]"),
		ValidArgsFunction: p.Spaces,
		RunE: func(cmd *cobra.Command, args []string) error {
			if n := len(args); n == 2 || n == 1 && args[0] == "-" {
				in.File, args = args[n-1], args[:n-1]
			}
			if len(args) == 1 {
				req.Name = args[0]
			}
			if in.File == "" {
				if req.DryRun {
					return command.UsageError(cmd, "--dry-run needs a policy to compare with: FILE or -")
				}
				return printPolicy(cmd.Context(), p, req.Name)
			}
			text, err := in.ReadText(cmd.Context(), p, cmd, nil)
			if err != nil {
				return err
			}
			req.Text = text
			return p.WithApp(cmd.Context(), command.Existing, func(a *memory.Session) error { return rewrite(cmd.Context(), p, a, req) })
		},
	}
	cmd.Flags().BoolVar(&req.DryRun, "dry-run", false, "print what would change as a diff; write nothing")
	return cmd
}

func printPolicy(ctx context.Context, p *command.Program, name string) error {
	return p.WithApp(ctx, command.Existing, func(a *memory.Session) error {
		s, err := spaceNamed(ctx, a, name)
		if err != nil {
			return err
		}
		return p.Content(s.Policy, s, command.PlainText)
	})
}

// spaceNamed is the space of a name, or the current one.
func spaceNamed(ctx context.Context, a *memory.Session, name string) (api.Space, error) {
	if name == "" {
		return a.Spaces.DescribeCurrent(ctx)
	}
	return a.Spaces.Show(ctx, name)
}

// rewrite replaces a policy and prints what changed.
func rewrite(ctx context.Context, p *command.Program, a *memory.Session, req space.RewriteRequest) error {
	s, err := presets.Rewrite(ctx, a, req)
	if err != nil {
		return err
	}
	return showRewritten(p, s)
}

func showRewritten(p *command.Program, s api.RewrittenPolicy) error {
	if s.Diff == "" {
		p.Note("no change to the policy of %s", s.Name)
	}
	s.Policy = "" // the diff shows what changed of it
	return p.Did(s, func(o *terminal.Page) {
		command.PlainText(o, s.Diff)
		laidOut(o, s.Pages)
	}, func(o *terminal.Page) { spaceBrief(o, s.Space) })
}

// laidOut prints what becomes of the pages of a preset.
func laidOut(o *terminal.Page, pages []api.LaidOut) {
	for _, l := range pages {
		says := map[string]string{
			"missing":  "made, since it was missing",
			"replaced": "replaced by the preset's newer text",
			"changed":  "the preset has a newer text; yours stays",
		}[l.State]
		o.Linef("%s: %s", o.Style.Title(l.Path), says)
		command.PlainText(o, l.Diff)
	}
}

func newSpaceEdit(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "edit [NAME]",
		Short: "Edit the policy of a space in your editor",
		Long: `Open the policy of a space, or of the current one, in your editor (the setting
editor, VISUAL or EDITOR), and store what you save. A policy that is not valid
is refused, with the line; your text is kept in a file that the error names, and
cairn space policy NAME FILE takes it when it is mended.`,
		Example:           "  cairn space edit notes",
		Args:              command.Need("[NAME]"),
		ValidArgsFunction: p.Spaces,
		RunE: func(cmd *cobra.Command, args []string) error {
			name := ""
			if len(args) == 1 {
				name = args[0]
			}
			return p.WithApp(cmd.Context(), command.Existing, func(a *memory.Session) error {
				return editPolicy(cmd, p, a, name)
			})
		},
	}
}

func editPolicy(cmd *cobra.Command, p *command.Program, a *memory.Session, name string) (err error) {
	ctx := cmd.Context()
	if err := p.PersonOnly("space edit "+name, "change the policy of a space"); err != nil {
		return err
	}
	s, err := spaceNamed(ctx, a, name)
	if err != nil {
		return err
	}
	editor, err := command.EditorOf(cmd, p, "no editor: VISUAL and EDITOR are not set")
	if err != nil {
		return err
	}
	old := []byte(s.Policy)
	c, err := terminal.NewCopy(ctx, p.Env.TempDir, "space.toml", old)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	text, err := command.Edited(ctx, p, c, editor, old)
	if err != nil {
		return err
	}
	if bytes.Equal(text, old) {
		p.Note("no change to the policy of %s", s.Name)
		return c.Remove(ctx)
	}
	done, err := presets.Rewrite(ctx, a, space.RewriteRequest{Name: s.Name, Text: text, Was: old})
	if err != nil {
		return command.KeptCopy(c, err)
	}
	return errors.Join(showRewritten(p, done), c.Remove(ctx))
}

func newSpaceUpgrade(p *command.Program) *cobra.Command {
	req := space.RewriteRequest{Upgrade: true}
	cmd := &cobra.Command{
		Use:   "upgrade [NAME]",
		Short: "Add what the preset of a space has and its policy lacks",
		Long: `Add to the policy of a space, or of the current one, the keys that its preset
has by now and the policy does not say: presets get new rules, and a space keeps
the policy that it was made with. What the policy says stays. At a terminal the
diff is shown first, and you are asked.

Of the pages that the preset brings, missing ones are made. One that is still as
it was made is replaced where the preset has a newer text; of one that was
changed since, the newer text is shown as a diff.`,
		Example: `  cairn space upgrade --dry-run
  cairn space upgrade memory`,
		Args:              command.Need("[NAME]"),
		ValidArgsFunction: p.Spaces,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				req.Name = args[0]
			}
			if err := p.PersonOnly("space upgrade "+req.Name, "change the policy of a space"); err != nil {
				return err
			}
			return p.WithApp(cmd.Context(), command.Existing, func(a *memory.Session) error { return upgrade(cmd.Context(), p, a, req) })
		},
	}
	cmd.Flags().BoolVar(&req.DryRun, "dry-run", false, "print what would change as a diff; write nothing")
	return cmd
}

func upgrade(ctx context.Context, p *command.Program, a *memory.Session, req space.RewriteRequest) error {
	if !req.DryRun && p.Asks() {
		plan := req
		plan.DryRun = true
		would, err := presets.Rewrite(ctx, a, plan)
		if err != nil {
			return err
		}
		if would.Diff == "" && !slices.ContainsFunc(would.Pages, func(l api.LaidOut) bool { return l.State != "changed" }) {
			return showRewritten(p, would)
		}
		var text strings.Builder
		text.WriteString(would.Diff)
		for _, l := range would.Pages {
			fmt.Fprintf(&text, "%s: %s\n%s", l.Path, l.State, l.Diff)
		}
		answer, err := p.Ask(ctx, text.String()+"Bring "+would.Name+" up to date with its preset? [y/N]")
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || !command.YesAnswer(answer) {
			p.Note("nothing was changed")
			return nil
		}
	}
	return rewrite(ctx, p, a, req)
}
