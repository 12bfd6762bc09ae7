package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/kb"
)

// maxInput bounds what is read for one document, in bytes. It is above
// every limit on documents, whose error is the better one.
const maxInput = 64 << 20

// input is where a command's text comes from: an argument, --file, or
// standard input.
type input struct {
	file string
	read bool // standard input can be read once only
}

func (in *input) addFlags(cmd *cobra.Command, what string) {
	cmd.Flags().StringVarP(&in.file, "file", "F", "", "read "+what+" from this `file`, or from standard input when it is -")
}

// text returns the text: of the argument unless it is "-" or missing, else of
// --file, else of standard input. It never waits for a person at a terminal
// who did not ask for that with "-".
func (in *input) text(ctx context.Context, p *program, cmd *cobra.Command, arg *string) ([]byte, error) {
	switch {
	case arg != nil && *arg != "-" && in.file != "":
		return nil, usageError(cmd, "the text comes twice: as an argument and with --file")
	case arg != nil && *arg != "-":
		return []byte(*arg), nil
	case in.file != "" && in.file != "-":
		return in.readFile(p)
	case arg == nil && in.file == "" && p.env.StdinTTY:
		return nil, usageError(cmd, "there is no text: give it as an argument, with --file, or on standard input")
	case in.read:
		return nil, usageError(cmd, "standard input can give its text only once")
	}
	in.read = true
	return readStdin(ctx, p)
}

func (in *input) readFile(p *program) ([]byte, error) {
	path := in.file
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.env.Dir, path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, kb.Errorf(kb.Usage, "cannot read %s: %w", in.file, err)
	}
	text, err := limited(f)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, kb.Errorf(kb.Usage, "cannot read %s: %w", in.file, err)
	}
	return text, nil
}

// readStdin reads to the end, or until ctx is done: a read of a pipe cannot be
// interrupted, so it is left behind when the process ends.
func readStdin(ctx context.Context, p *program) ([]byte, error) {
	return readUntilStopped(ctx, p, limited)
}

// readLine reads one line of standard input, or until ctx is done.
func readLine(ctx context.Context, p *program) (string, error) {
	line, err := readUntilStopped(ctx, p, func(r io.Reader) ([]byte, error) {
		line, err := bufio.NewReader(io.LimitReader(r, maxInput)).ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) > 0 {
			err = nil
		}
		return line, err
	})
	return strings.TrimSpace(string(line)), err
}

// lines reads standard input line by line, this many ahead of who takes them.
// When lines is closed, failed holds how reading ended. When ctx is done while
// a read is under way, that is left behind, as in readStdin, and neither tells.
func (p *program) lines(ctx context.Context, ahead int) (lines <-chan string, failed <-chan error) {
	out, end := make(chan string, ahead), make(chan error, 1)
	go func() {
		defer close(out)
		s := bufio.NewScanner(p.env.Stdin)
		s.Buffer(nil, maxInput)
		for s.Scan() {
			select {
			case out <- s.Text():
			case <-ctx.Done():
				end <- ctx.Err()
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

func readUntilStopped(ctx context.Context, p *program, read func(io.Reader) ([]byte, error)) ([]byte, error) {
	type result struct {
		text []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := read(p.env.Stdin)
		done <- result{text, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case r := <-done:
		if r.err != nil {
			return nil, kb.Errorf(kb.Usage, "cannot read standard input: %w", r.err)
		}
		return r.text, nil
	}
}

func limited(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err == nil && len(text) > maxInput {
		return nil, kb.Errorf(kb.Invalid, "the text is over %s", size(maxInput))
	}
	return text, err
}
