package cli

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/terminal"
)

// format is how records print.
type format string

const (
	formatHuman format = "human" // for reading; may change from release to release
	formatJSON  format = "json"  // for programs; app's types
	formatBrief format = "brief" // a line per record, fields parted by tabs, the ref first
)

var formats = []format{formatHuman, formatJSON, formatBrief}

// format returns how records print in this run: as asked for, else as
// configured, else by whether a person is looking.
func (p *program) format() (format, error) {
	if p.flags.format != "" {
		return format(p.flags.format), nil
	}
	name, err := p.setting("format")
	if err != nil {
		return "", err
	}
	switch {
	case name != "":
		return format(name), nil
	case p.env.StdoutTTY:
		return formatHuman, nil
	}
	return formatJSON, nil
}

// style returns how this run draws: in colour on a terminal that wants it.
func (p *program) style(f format) terminal.Style {
	return terminal.Style{On: f == formatHuman && p.env.StdoutTTY && !p.flags.noColor &&
		p.env.Getenv("NO_COLOR") == "" && p.env.Getenv("TERM") != "dumb"}
}

// page returns an empty page as this run prints it: as wide as the terminal.
func (p *program) page(f format) *terminal.Page {
	o := &terminal.Page{Style: p.style(f)}
	if f == formatHuman {
		o.Width = window(p.env).Columns
	}
	return o
}

// streams are what other programs get of ours.
func streams(p *program) terminal.Streams {
	return terminal.Streams{In: p.env.Stdin, Out: p.stdout, Err: p.stderr, Dir: p.env.Dir, Lend: p.env.Lend}
}

// progress shows how far work is that begins now, on standard error.
func (p *program) progress() *terminal.Progress {
	opts := terminal.ProgressOptions{Quiet: p.flags.quiet, Now: p.env.Now, Note: func(line string) { p.note("%s", line) }}
	if p.env.StderrTTY {
		opts.Out = p.env.Stderr
	}
	return terminal.NewProgress(opts)
}

// record prints value: as JSON, or by the given functions. A nil brief prints
// what human prints.
func (p *program) record(value any, human func(*terminal.Page), brief func(*terminal.Page)) error {
	return p.recordTo(p.paged.show(p), value, human, brief)
}

func (p *program) recordTo(print func([]byte) error, value any, human, brief func(*terminal.Page)) error {
	f, err := p.format()
	if err != nil {
		return err
	}
	if f == formatJSON {
		return p.json(value)
	}
	out := p.page(f)
	if f == formatBrief && brief != nil {
		brief(out)
	} else {
		human(out)
	}
	return print(out.Bytes())
}

// content prints text that was asked for as it is. On a terminal control
// sequences are taken out and the last line is ended; elsewhere each byte
// arrives as it was stored. With --json it prints value instead.
func (p *program) content(text []byte, value any, show func(*terminal.Page, string)) error {
	if p.flags.format == string(formatJSON) {
		return p.json(value)
	}
	if !p.env.StdoutTTY {
		return p.write(text)
	}
	out := p.page(formatHuman)
	show(out, string(text))
	if n := out.Len(); n > 0 && out.Bytes()[n-1] != '\n' {
		out.WriteByte('\n')
	}
	return p.paged.show(p)(out.Bytes())
}

func (p *program) write(text []byte) error {
	_, err := p.env.Stdout.Write(text)
	switch {
	case errors.Is(err, syscall.EPIPE):
		return errUnread
	case err != nil:
		return kb.Errorf(kb.Internal, "cannot write the output: %w", lost{err})
	}
	return nil
}

// lost is why an answer could not be written.
type lost struct{ error }

func (l lost) Unwrap() error { return l.error }

// did is record for what a command has changed. It is short, and never paged;
// --quiet keeps it back.
func (p *program) did(value any, human, brief func(*terminal.Page)) error {
	f, err := p.format()
	if err != nil || p.silent(f) {
		return err
	}
	return done(p.recordTo(p.write, value, human, brief))
}

// done says of the error of an answer that could not be written that what it
// tells of is done.
func done(err error) error {
	if !errors.As(err, new(lost)) {
		return err
	}
	return kb.AsError(err).WithHint("What was asked for is done; only the answer is lost.")
}

func (p *program) json(value any) error {
	text, err := terminal.JSON(value, p.env.StdoutTTY && len(p.flags.json.Fields) == 0)
	if err == nil && len(p.flags.json.Fields) > 0 {
		text, err = terminal.Choose(text, p.flags.json.Fields)
	}
	if err != nil {
		return kb.Errorf(kb.Internal, "cannot write the answer as JSON: %w", err)
	}
	return p.write(append(text, '\n'))
}

// whole makes a list of everything there is.
func whole[T any](items []T) app.List[T] {
	return listed(app.List[T]{Items: items, Total: len(items)})
}

// listed makes sure that a list without items is [] in JSON.
func listed[T any](l app.List[T]) app.List[T] {
	if l.Items == nil {
		l.Items = []T{}
	}
	return l
}

// more says where a list goes on.
func more[T any](o *terminal.Page, l app.List[T], what string) {
	if l.Next != "" {
		o.Linef("%s", o.Style.Aside(fmt.Sprintf("%d of %s; the next with --offset %s", len(l.Items), terminal.Count(l.Total, what), l.Next)))
	}
}
