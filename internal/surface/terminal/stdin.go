package terminal

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// MaxInput bounds the input for one document, in bytes. It is above every limit
// on documents, which have the better error.
const MaxInput = 64 << 20

// ReadAll reads to the end, or until ctx is done: a read of a pipe cannot be
// interrupted, so it is left behind when the process ends.
func ReadAll(ctx context.Context, r io.Reader) ([]byte, error) {
	return readUntilStopped(ctx, r, Limited)
}

// ReadLine reads one line, without its end, or until ctx is done.
func ReadLine(ctx context.Context, r io.Reader) (string, error) {
	line, err := readUntilStopped(ctx, r, func(r io.Reader) ([]byte, error) {
		line, err := bufio.NewReader(io.LimitReader(r, MaxInput)).ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) > 0 {
			err = nil
		}
		return line, err
	})
	return strings.TrimSpace(string(line)), err
}

// Lines reads line by line, this many ahead of the consumer. When lines is
// closed, failed holds the result of reading. When ctx is done during a read,
// the read is abandoned, as in ReadAll, and neither channel reports it.
func Lines(ctx context.Context, r io.Reader, ahead int) (lines <-chan string, failed <-chan error) {
	out, end := make(chan string, ahead), make(chan error, 1)
	go func() {
		defer close(out)
		s := bufio.NewScanner(r)
		s.Buffer(nil, MaxInput)
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
			end <- kb.Errorf(kb.Invalid, "a line is over %s", Size(MaxInput))
		case err != nil:
			end <- kb.Errorf(kb.Usage, "cannot read standard input: %w", err)
		default:
			end <- nil
		}
	}()
	return out, end
}

func readUntilStopped(ctx context.Context, r io.Reader, read func(io.Reader) ([]byte, error)) ([]byte, error) {
	type result struct {
		text []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := read(r)
		done <- result{text, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case got := <-done:
		if got.err != nil {
			return nil, kb.Errorf(kb.Usage, "cannot read standard input: %w", got.err)
		}
		return got.text, nil
	}
}

// Limited reads to the end, and fails when that is past MaxInput.
func Limited(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxInput+1))
	if err == nil && len(text) > MaxInput {
		return nil, kb.Errorf(kb.Invalid, "the text is over %s", Size(MaxInput))
	}
	return text, err
}

// Ready waits for a line and takes those that can be had at once with it, most
// of them together. more is false when there will be no others.
func Ready(ctx context.Context, lines <-chan string, most int) (texts []string, more bool) {
	select {
	case line, ok := <-lines:
		if !ok {
			return nil, false
		}
		texts = append(texts, line)
	case <-ctx.Done():
		return nil, false
	}
	for len(texts) < most {
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
