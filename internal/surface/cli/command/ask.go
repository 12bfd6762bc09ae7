package command

import (
	"context"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

// TellSpace says what there is to say of a space that was added.
func TellSpace(p *Program, s api.Space) {
	for _, n := range s.Notes {
		p.Note("note: %s", n)
	}
	for _, w := range s.Warnings {
		p.Note("warning: %s", w)
	}
}

// Asks reports whether there is a person to ask.
func (p *Program) Asks() bool {
	return p.Env.StdinTTY && p.Env.StderrTTY && !p.Flags.Quiet && !p.wantsJSON()
}

// Ask asks a person, and returns the answer.
func (p *Program) Ask(ctx context.Context, question string) (string, error) {
	p.Note("%s", question)
	answer, err := terminal.ReadLine(ctx, p.Env.Stdin)
	return strings.TrimSpace(answer), err
}

// AskAboutScan asks a person at a terminal whether credentials may be written
// into a space, when the policy that its directory brings says so. Without a
// yes the scan stays on; either answer is remembered.
func AskAboutScan(ctx context.Context, p *Program, s api.Space) error {
	if s.KeepScan == nil || !p.Asks() {
		return nil
	}
	answer, err := p.Ask(ctx, "Let credentials be written into "+s.Name+"? [y/N]")
	if ctx.Err() != nil {
		return ctx.Err()
	}
	agreed := err == nil && YesAnswer(answer)
	if !agreed {
		p.Note("note: the secret scan stays on for %s; cairn space add %s asks again", s.Name, s.Root)
	}
	return s.KeepScan(ctx, !agreed)
}

// YesAnswer reports whether a person agreed.
func YesAnswer(answer string) bool {
	answer = strings.ToLower(answer)
	return answer == "y" || answer == "yes"
}
