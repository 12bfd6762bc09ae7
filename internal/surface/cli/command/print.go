package command

import (
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

// Format is how records print.
type Format string

const (
	FormatHuman Format = "human" // for reading; may change from release to release
	FormatJSON  Format = "json"  // for programs; app's types
	FormatBrief Format = "brief" // a line per record, fields separated by tabs, the ref first
	formatLines Format = "lines" // human on a terminal, json for agents, else brief
)

var formats = []Format{FormatHuman, FormatJSON, FormatBrief, formatLines}

// Format returns how records print in this run: as asked for, else as
// configured, else by whether a person is looking.
func (p *Program) Format() (Format, error) {
	f := Format(p.Flags.Format)
	asked := f != "" || p.Env.Getenv("CAIRN_FORMAT") != "" // and not only set, which a person does for themselves
	if f == "" {
		name, err := p.Setting("format")
		if err != nil {
			return "", err
		}
		f = Format(name)
	}
	switch {
	case f != "" && f != formatLines && (asked || p.Env.StdoutTTY):
		return f, nil
	case p.Env.StdoutTTY, p.Flags.color == "always" && (f == "" || f == formatLines): // colours are for people
		return FormatHuman, nil
	case f == "":
		return FormatJSON, nil
	}
	name, err := p.Setting("actor")
	if err != nil {
		return "", err
	}
	// The commands that need the actor report a malformed name.
	if actor, err := kb.ParseActor(name); err == nil && actor.Kind == kb.Agent {
		return FormatJSON, nil
	}
	if f != formatLines {
		return f, nil
	}
	return FormatBrief, nil
}

// hintAtLines says how a pipe gets lines, to a person at a terminal who has not said what
// it gets.
func (p *Program) hintAtLines() {
	asked, err := p.Setting("format")
	if err == nil && asked == "" && p.Flags.Format == "" && !p.Env.StdoutTTY && p.Env.StdinTTY && p.Env.StderrTTY {
		p.Note("note: a pipe gets JSON (--json); --format lines prints lines, cairn config set format lines always")
	}
}

// style returns how this run draws: in colour on a terminal that wants it.
func (p *Program) style(f Format) terminal.Style {
	return terminal.Style{On: f == FormatHuman && p.colors(p.Env.StdoutTTY)}
}

// colors reports whether a stream gets colours.
func (p *Program) colors(tty bool) bool {
	switch {
	case p.Flags.noColor, p.Flags.color == "never":
		return false
	case p.Flags.color == "always":
		return true
	}
	return tty && p.Env.Getenv("NO_COLOR") == "" && p.Env.Getenv("TERM") != "dumb"
}

// Page returns an empty page as this run prints it: as wide as the terminal.
func (p *Program) Page(f Format) *terminal.Page {
	o := &terminal.Page{Style: p.style(f)}
	if f == FormatHuman {
		o.Width = window(p.Env).Columns
	}
	return o
}

// Streams are what other programs get of ours.
func Streams(p *Program) terminal.Streams {
	p.waiting.End()
	return terminal.Streams{In: p.Env.Stdin, Out: p.stdout, Err: p.stderr, Dir: p.Env.Dir, Lend: p.Env.Lend}
}

// Progress shows how far work is that begins now, on standard error.
func (p *Program) Progress() *terminal.Progress {
	opts := terminal.ProgressOptions{Quiet: p.Flags.Quiet, Now: p.Env.Now, Note: func(line string) { p.Note("%s", line) }}
	if p.Env.StderrTTY {
		opts.Out, opts.Hold = p.stderr, p.waiting.Hold
	}
	return terminal.NewProgress(opts)
}

// Record prints value: as JSON, or by the given functions. A nil brief prints
// what human prints.
func (p *Program) Record(value any, human func(*terminal.Page), brief func(*terminal.Page)) error {
	return p.recordTo(p.Show, value, human, brief)
}

func (p *Program) recordTo(print func([]byte) error, value any, human, brief func(*terminal.Page)) error {
	f, err := p.Format()
	if err != nil {
		return err
	}
	if f == FormatJSON {
		p.hintAtLines()
		return p.JSON(value)
	}
	out := p.Page(f)
	if f == FormatBrief && brief != nil {
		brief(out)
	} else {
		human(out)
	}
	return print(out.Bytes())
}

// Content prints text that was asked for as it is. On a terminal control
// sequences are taken out and the last line is ended; elsewhere each byte
// arrives as it was stored. With --json it prints value instead.
func (p *Program) Content(text string, value any, show func(*terminal.Page, string)) error {
	if p.Flags.Format == string(FormatJSON) {
		return p.JSON(value)
	}
	if !p.Env.StdoutTTY {
		_, err := io.WriteString(p.Env.Stdout, text) // a large page is not copied
		return unwritten(err)
	}
	out := p.Page(FormatHuman)
	show(out, text)
	if n := out.Len(); n > 0 && out.Bytes()[n-1] != '\n' {
		out.WriteByte('\n')
	}
	return p.Show(out.Bytes())
}

// Write prints bytes on standard output as they are.
func (p *Program) Write(text []byte) error {
	_, err := p.Env.Stdout.Write(text)
	return unwritten(err)
}

// unwritten explains why an answer could not be written.
func unwritten(err error) error {
	switch {
	case errors.Is(err, syscall.EPIPE):
		return ErrUnread
	case err != nil:
		return kb.Errorf(kb.Internal, "cannot write the output: %w", lost{err})
	}
	return nil
}

// lost is why an answer could not be written.
type lost struct{ error }

func (l lost) Unwrap() error { return l.error }

// Did is record for what a command has changed. It is short, and never paged;
// --quiet keeps it back.
func (p *Program) Did(value any, human, brief func(*terminal.Page)) error {
	f, err := p.Format()
	if err != nil || p.Silent(f) {
		return err
	}
	return Done(p.recordTo(p.Write, value, human, brief))
}

// Done wraps the error of an answer that could not be written, to report that
// the work itself is done.
func Done(err error) error {
	if !errors.As(err, new(lost)) {
		return err
	}
	return kb.AsError(err).WithHint("The command is done; only its answer is lost.")
}

// JSON prints a value as JSON, or the fields of it that were asked for.
func (p *Program) JSON(value any) error {
	if len(p.Flags.JSON.Fields) == 0 {
		out := stdout{p: p}
		if err := terminal.WriteJSON(&out, value, p.Env.StdoutTTY); err != nil && out.err == nil {
			return noJSON(err)
		}
		return out.err
	}
	text, err := terminal.JSON(value, false)
	if err == nil {
		text, err = terminal.Choose(text, p.Flags.JSON.Fields)
	}
	if err != nil {
		return noJSON(err)
	}
	return p.Write(append(text, '\n'))
}

func noJSON(err error) error {
	return kb.Errorf(kb.Internal, "cannot write the answer as JSON: %w", err)
}

// stdout is Program.Write as an io.Writer, with its error.
type stdout struct {
	p   *Program
	err error
}

func (o *stdout) Write(text []byte) (int, error) {
	if o.err = o.p.Write(text); o.err != nil {
		return 0, o.err
	}
	return len(text), nil
}

// Whole makes a list of everything there is.
func Whole[T any](items []T) api.List[T] {
	return Listed(api.List[T]{Items: items, Total: len(items)})
}

// Listed makes sure that a list without items is [] in JSON.
func Listed[T any](l api.List[T]) api.List[T] {
	if l.Items == nil {
		l.Items = []T{}
	}
	return l
}

// More says where a list goes on.
func More[T any](o *terminal.Page, l api.List[T], what string) {
	if l.Next != "" {
		o.Linef("%s", o.Style.Aside(fmt.Sprintf("%d of %s; the next with --offset %s", len(l.Items), terminal.Count(l.Total, what), l.Next)))
	}
}

// Optional is text with what goes before it, or nothing.
func Optional(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}
