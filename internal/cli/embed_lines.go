package cli

import (
	"bufio"
	"context"
	"errors"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/kb"
)

// embedBatch is how many lines are embedded together at most. Fewer are, when
// no more can be read at once: who writes a line and waits gets its answer.
const embedBatch = 64

// embedLines answers each line of standard input with its vector.
func (p *program) embedLines(ctx context.Context, query bool) error {
	e, err := app.NewTextEmbedder(p.place())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lines, failed := p.lines(ctx)
	tooLong := false
	for more := true; more; {
		var texts []string
		if texts, more = ready(ctx, lines); len(texts) == 0 {
			break
		}
		answers, err := e.Embed(ctx, texts, query)
		if err != nil {
			return err
		}
		var out []byte
		for _, a := range answers {
			line, err := marshal(a, false)
			if err != nil {
				return kb.Errorf(kb.Internal, "cannot write the answer as JSON: %w", err)
			}
			out = append(append(out, line...), '\n')
			tooLong = tooLong || a.Error != ""
		}
		if err := p.write(out); err != nil {
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
		return errTooLong
	}
	return nil
}

// lines reads standard input line by line. When lines is closed without ctx
// being done, failed holds how reading ended. A read of a pipe cannot be
// interrupted: when ctx is done it is left behind until the process ends, as
// in readStdin.
func (p *program) lines(ctx context.Context) (lines <-chan string, failed <-chan error) {
	out, end := make(chan string, embedBatch), make(chan error, 1)
	go func() {
		defer close(out)
		s := bufio.NewScanner(p.env.Stdin)
		s.Buffer(nil, maxInput)
		for s.Scan() {
			select {
			case out <- s.Text():
			case <-ctx.Done():
				return
			}
		}
		switch err := s.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			end <- kb.Errorf(kb.Invalid, "a line is over %s", size(maxInput))
		case err != nil:
			end <- kb.Errorf(kb.Usage, "cannot read standard input: %w", err)
		default:
			end <- nil
		}
	}()
	return out, end
}

// ready waits for a line and takes those that can be had at once with it. more
// is false when there will be no others.
func ready(ctx context.Context, lines <-chan string) (texts []string, more bool) {
	select {
	case line, ok := <-lines:
		if !ok {
			return nil, false
		}
		texts = append(texts, line)
	case <-ctx.Done():
		return nil, false
	}
	for len(texts) < embedBatch {
		select {
		case line, ok := <-lines:
			if !ok {
				return texts, false
			}
			texts = append(texts, line)
		default:
			return texts, true
		}
	}
	return texts, true
}
