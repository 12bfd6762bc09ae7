package command

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

// Stopped is the cause for which the context of a run is cancelled when a
// signal came.
type Stopped struct{ Signal int }

// Error is not shown to people: ReportError prints that the run was stopped.
func (s Stopped) Error() string { return fmt.Sprintf("stopped by signal %d", s.Signal) }

// Is makes it match context.Canceled.
func (s Stopped) Is(target error) bool { return target == context.Canceled }

// Code is the exit code of a program that was stopped so, as shells give it to
// programs that the signal ended.
func (s Stopped) Code() int { return 128 + s.Signal }

// interrupted is the exit code where no signal is the cause: that of Ctrl-C.
const interrupted = 130

// reported is an error that has been printed already; it only carries an exit
// code.
type reported struct{ code int }

func (r reported) Error() string { return fmt.Sprintf("exit %d", r.code) }

var (
	// ErrNoMatch ends a command that found nothing and has said so.
	ErrNoMatch = reported{3}
	// ErrProblems ends a doctor that found errors and has listed them.
	ErrProblems = reported{1}
	// ErrFaults ends a lint that found fatal faults and has listed them.
	ErrFaults = reported{5}
	// ErrRefused ends a command that read its input but could not commit it, and
	// has printed why.
	ErrRefused = reported{6}
	// ErrConflicts ends what found conflicts and has listed them.
	ErrConflicts = reported{4}
	// ErrTooLong ends an embed that has said of some texts that they are.
	ErrTooLong = reported{5}
	// ErrUnread ends a command when nobody reads its output any more: quietly,
	// like SIGPIPE.
	ErrUnread = reported{141}
)

// ExitCode is the one place where outcomes become exit codes. They are
// documented in the help topic "exit-codes".
func ExitCode(ctx context.Context, err error) int {
	var r reported
	switch {
	case err == nil:
		return 0
	case errors.As(err, &r):
		return r.code
	case Interrupted(ctx, err):
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

// Interrupted reports whether err is what a signal did.
func Interrupted(ctx context.Context, err error) bool {
	return ctx.Err() != nil && errors.Is(err, context.Canceled)
}

// ReportError prints err on standard error, as JSON when JSON was asked for by
// a flag. Output that became JSON only because it is not a terminal leaves
// errors as text: standard error is read by a person.
func (p *Program) ReportError(ctx context.Context, err error) {
	var r reported
	if errors.As(err, &r) {
		return
	}
	e := kb.AsError(err)
	if Interrupted(ctx, err) {
		// The hint may name text that could not be saved.
		e = &kb.Error{Code: kb.Internal, Message: "stopped", Hint: HintOf(e), Details: e.Details}
	}
	if p.wantsJSON() {
		line, jsonErr := terminal.JSON(struct {
			Error Failure `json:"error"`
		}{FailureOf(e)}, false)
		if jsonErr == nil {
			fmt.Fprintf(p.Env.Stderr, "%s\n", line)
			return
		}
		// Details that do not marshal leave the text below.
	}
	p.PrintError(e.Error(), HintOf(e))
	if diff, ok := e.Details["diff"].(string); ok {
		page := terminal.Page{Style: terminal.Style{On: p.colors(p.Env.StderrTTY)}}
		page.Diff(diff)
		fmt.Fprint(p.Env.Stderr, page.String())
	}
}

// PrintError prints an error for people on standard error.
func (p *Program) PrintError(message, hint string) {
	style := terminal.Style{On: p.colors(p.Env.StderrTTY)}
	fmt.Fprintf(p.Env.Stderr, "%s %s\n", style.Bad("error:"), safetext.Line(message))
	for hint := range strings.Lines(hint) {
		fmt.Fprintf(p.Env.Stderr, "hint: %s\n", safetext.Line(strings.TrimSuffix(hint, "\n")))
	}
}

// wantsJSON reports whether a flag asks for JSON. A command line that could
// not be parsed to its end is asked as it was typed.
func (p *Program) wantsJSON() bool {
	if p.Flags.JSON.Asked || p.Flags.Format == string(FormatJSON) {
		return true
	}
	before := ""
	for _, arg := range p.Env.Args {
		if arg == "--json" || strings.HasPrefix(arg, "--json=") || arg == "--format=json" || before == "--format" && arg == "json" {
			return true
		}
		before = arg
	}
	return false
}

// GoesOn adds to the error of work that a signal stopped that it can be
// continued.
func GoesOn(ctx context.Context, err error, how string) error {
	if !Interrupted(ctx, err) {
		return err
	}
	return kb.Errorf(kb.Internal, "%w", err).WithHint("%s", how)
}

// FailureOf returns the JSON form of an error.
func FailureOf(e *kb.Error) Failure { return Failure{e.Code, e.Error(), HintOf(e), e.Details} }

// Failure is an error on every surface.
type Failure struct {
	Code    kb.Code        `json:"code"`
	Message string         `json:"message"`
	Hint    string         `json:"hint,omitempty"`
	Details map[string]any `json:"details,omitempty"`
}
