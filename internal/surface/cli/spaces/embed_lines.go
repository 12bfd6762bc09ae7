package spaces

import (
	"context"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

// embedBatch is how many lines are embedded together at most. Fewer are when no
// more input is available, so that an interactive writer gets an answer to each
// line.
const embedBatch = 64

// embedLines answers each line of standard input with its vector.
func embedLines(ctx context.Context, p *command.Program, query bool) error {
	e, err := embedding.NewTextEmbedder(p.Place())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lines, failed := terminal.Lines(ctx, p.Env.Stdin, embedBatch)
	tooLong := false
	for more := true; more; {
		var texts []string
		if texts, more = terminal.Ready(ctx, lines, embedBatch); len(texts) == 0 {
			break
		}
		answers, err := e.Embed(ctx, texts, query)
		if err != nil {
			return err
		}
		var out []byte
		for _, a := range answers {
			line, err := terminal.JSON(a, false)
			if err != nil {
				return kb.Errorf(kb.Internal, "cannot write the answer as JSON: %w", err)
			}
			out = append(append(out, line...), '\n')
			tooLong = tooLong || a.Error != ""
		}
		if err := p.Write(out); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := <-failed; err != nil {
		return err
	}
	if tooLong {
		return command.ErrTooLong
	}
	return nil
}
