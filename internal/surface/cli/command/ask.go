package command

import (
	"context"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

// TellSpace prints notices about a space that was added.
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

// AskToAccept prints the effects of the policy that the directory of a space
// brought, and asks a person at a terminal to accept it. Without a yes the
// pages are indexed, and the policy has no effect.
func AskToAccept(ctx context.Context, p *Program, s *api.Space) error {
	if len(s.Waiting) == 0 {
		return nil
	}
	p.Note("The directory of %s brought parts that act. Accepted, they would:", s.Name)
	for _, part := range s.Waiting {
		p.Note("  %-12s %s", part.Name, part.Does)
	}
	if s.Accept == nil || !p.Asks() {
		p.Note("note: its pages can be searched; these parts do nothing until a person accepts them: cairn space add %s --accept", safetext.Word(s.Root))
		return nil
	}
	answer, err := p.Ask(ctx, "Accept this? [y/N]")
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil || !YesAnswer(answer) {
		p.Note("note: nothing was accepted; cairn space add %s asks again", safetext.Word(s.Root))
		return nil
	}
	if err := s.Accept(ctx); err != nil {
		return err
	}
	s.Waiting = nil
	return nil
}

// YesAnswer reports whether a person agreed.
func YesAnswer(answer string) bool {
	answer = strings.ToLower(answer)
	return answer == "y" || answer == "yes"
}
