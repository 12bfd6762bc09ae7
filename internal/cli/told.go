package cli

import (
	"context"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/terminal"
)

// tellSpace says what there is to say of a space that was added.
func tellSpace(p *program, s app.Space) {
	for _, n := range s.Notes {
		p.note("note: %s", n)
	}
	for _, w := range s.Warnings {
		p.note("warning: %s", w)
	}
}

// askAboutScan asks a person at a terminal whether credentials may be written
// into a space, when the policy that its directory brings says so. Without a
// yes the scan stays on; either answer is remembered.
func askAboutScan(ctx context.Context, p *program, s app.Space) error {
	if s.KeepScan == nil || !p.env.StdinTTY || !p.env.StderrTTY || p.flags.quiet || p.wantsJSON() {
		return nil
	}
	p.note("Let credentials be written into %s? [y/N]", s.Name)
	answer, err := terminal.ReadLine(ctx, p.env.Stdin)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	agreed := err == nil && yesAnswer(answer)
	if !agreed {
		p.note("note: the secret scan stays on for %s; cairn space add %s asks again", s.Name, s.Root)
	}
	return s.KeepScan(ctx, !agreed)
}
