package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

// Picks checks the arguments of a command that begin with REF. Without any, a person at a
// terminal picks the page instead.
func (p *Program) Picks(all cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 && p.picks() {
			return nil
		}
		return all(cmd, args)
	}
}

// picks reports whether there is a person who can choose from a list. An agent in a
// terminal has nobody to press keys.
func (p *Program) picks() bool {
	if !p.Asks() || p.Env.Getenv("TERM") == "dumb" {
		return false
	}
	name, err := p.Setting("actor")
	if err != nil {
		return false
	}
	actor, err := kb.ParseActor(name)
	return err == nil && actor.Kind == kb.Human
}

// pickPreview is how many lines of a page the list shows at most.
const pickPreview = 100

// RefOf returns the first argument, or the ref of the page that a person picks instead.
func (p *Program) RefOf(ctx context.Context, args []string) (ref string, err error) {
	if len(args) > 0 {
		return args[0], nil
	}
	err = p.WithFresh(ctx, false, func(a *memory.Session) error {
		pages, err := retrieve.Pages(ctx, a, retrieve.ListRequest{Sort: "updated"})
		if err != nil {
			return err
		}
		if len(pages.Items) == 0 {
			return kb.Errorf(kb.NotFound, "there are no pages to pick from")
		}
		lines := make([]string, len(pages.Items))
		for i, pg := range pages.Items {
			if lines[i] = pg.Slug; pg.Title != "" && pg.Title != pg.Slug {
				lines[i] = pg.Title + "  " + pg.Slug
			}
		}
		p.waiting.End()
		n, err := terminal.Pick(ctx, terminal.PickRequest{
			In: p.Env.Stdin, Out: p.stderr, Environ: p.environ(),
			Style: terminal.Style{On: p.colors(p.Env.StderrTTY)}, Items: lines,
			Preview: func(item int) string {
				got, err := read.Get(ctx, a, read.GetRequest{Ref: pages.Items[item].Ref, From: 1, To: pickPreview, Unread: true})
				if err != nil {
					return err.Error()
				}
				return got.Text
			},
		})
		switch {
		case err != nil:
			return err
		case n < 0:
			return kb.Errorf(kb.NotFound, "no page was picked")
		}
		ref = pages.Items[n].Ref
		return nil
	})
	return ref, err
}

// environ returns the variables that say what the terminal can show.
func (p *Program) environ() (out []string) {
	for _, name := range []string{"TERM", "COLORTERM", "TERM_PROGRAM", "NO_COLOR", "TMUX", "STY", "SSH_TTY", "WT_SESSION"} {
		if value := p.Env.Getenv(name); value != "" {
			out = append(out, name+"="+value)
		}
	}
	return out
}
