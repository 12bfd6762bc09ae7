package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/terminal"
)

// Stopped is the cause for which the context of a run is cancelled when a
// signal came.
type Stopped struct{ Signal int }

func (s Stopped) Error() string { return fmt.Sprintf("stopped by signal %d", s.Signal) }

// Is makes it a cancelled context for whoever asks.
func (s Stopped) Is(target error) bool { return target == context.Canceled }

// Code is the exit code of a program that was stopped so, as shells give it to
// programs that the signal ended.
func (s Stopped) Code() int { return 128 + s.Signal }

// interrupted is the exit code where no signal is the cause: that of Ctrl-C.
const interrupted = 130

// reported is an error whose whole story has been printed already; it only
// carries an exit code.
type reported struct{ code int }

func (r reported) Error() string { return fmt.Sprintf("exit %d", r.code) }

var (
	// errNoMatch ends a command that found nothing and has said so.
	errNoMatch = reported{3}
	// errProblems ends a doctor that found errors and has listed them.
	errProblems = reported{1}
	// errExists ends a capture that wrote nothing, since a page has the title.
	errExists = reported{4}
	// errTooLong ends an embed that has said of some texts that they are.
	errTooLong = reported{5}
	// errUnread ends a command whose output nobody reads any more, as SIGPIPE
	// does elsewhere, and as quietly.
	errUnread = reported{141}
)

// exitCode is the one place where outcomes become exit codes. They are
// documented in the help topic "exit-codes".
func exitCode(ctx context.Context, err error) int {
	var r reported
	switch {
	case err == nil:
		return 0
	case errors.As(err, &r):
		return r.code
	case stopped(ctx, err):
		if by := (Stopped{}); errors.As(context.Cause(ctx), &by) {
			return by.Code()
		}
		return interrupted
	}
	switch kb.CodeOf(err) {
	case kb.Usage, kb.Ambiguous:
		// An ambiguous ref is a command to be typed again, more exactly.
		// It must not look like "no such page" to a script that then puts one.
		return 2
	case kb.NotFound:
		return 3
	case kb.Conflict:
		return 4
	case kb.Invalid:
		return 5
	case kb.Refused, kb.Secret:
		return 6
	case kb.Damaged:
		return 7
	}
	return 1
}

// stopped reports whether err is what a signal did.
func stopped(ctx context.Context, err error) bool {
	return ctx.Err() != nil && errors.Is(err, context.Canceled)
}

// reportError prints err on standard error, as JSON when JSON was asked for
// by a flag. Output that became JSON only because it is not a terminal leaves
// errors as text: standard error is for whoever reads along.
func (p *program) reportError(ctx context.Context, err error) {
	var r reported
	if errors.As(err, &r) {
		return
	}
	e := kb.AsError(err)
	if stopped(ctx, err) {
		// What is left, such as a text that could not be saved, is in the hint.
		e = &kb.Error{Code: kb.Internal, Message: "stopped", Hint: hintOf(e), Details: e.Details}
	}
	if p.wantsJSON() {
		line, jsonErr := terminal.JSON(struct {
			Error errorJSON `json:"error"`
		}{errorJSON{e.Code, e.Error(), hintOf(e), e.Details}}, false)
		if jsonErr == nil {
			fmt.Fprintf(p.env.Stderr, "%s\n", line)
			return
		}
		// Details that do not marshal leave the text below.
	}
	p.printError(e.Error(), hintOf(e))
}

// printError prints an error for people on standard error.
func (p *program) printError(message, hint string) {
	fmt.Fprintf(p.env.Stderr, "error: %s\n", cleanLine(message))
	for hint := range strings.Lines(hint) {
		fmt.Fprintf(p.env.Stderr, "hint: %s\n", cleanLine(strings.TrimSuffix(hint, "\n")))
	}
}

// wantsJSON reports whether a flag asks for JSON. A command line that could
// not be parsed to its end is asked as it was typed.
func (p *program) wantsJSON() bool {
	if p.flags.json.Asked || p.flags.format == string(formatJSON) {
		return true
	}
	before := ""
	for _, arg := range p.env.Args {
		if arg == "--json" || strings.HasPrefix(arg, "--json=") || arg == "--format=json" || before == "--format" && arg == "json" {
			return true
		}
		before = arg
	}
	return false
}

// goesOn says of work that a signal stopped that it was not in vain.
func goesOn(ctx context.Context, err error, how string) error {
	if !stopped(ctx, err) {
		return err
	}
	return kb.Errorf(kb.Internal, "%w", err).WithHint("%s", how)
}

// errorJSON is an error on every surface.
type errorJSON struct {
	Code    kb.Code        `json:"code"`
	Message string         `json:"message"`
	Hint    string         `json:"hint,omitempty"`
	Details map[string]any `json:"details,omitempty"`
}
