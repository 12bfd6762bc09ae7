package cli

import (
	"bytes"
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/cli/kt"
)

// Main runs one command and returns the exit code: see command.ExitCode. When ctx is
// cancelled it stops between two steps and returns the code of Stopped, if that
// is the cause, or 130.
func Main(ctx context.Context, env command.Env) int {
	collectGarbage(env)
	p := command.New(ctx, env)
	root := newRoot(p)
	if kt.Meant(env.Name) {
		root = kt.New(p)
	}
	root.SetArgs(negativesLast(env.Args))
	var (
		help    bytes.Buffer
		unknown error
	)
	root.SetOut(&help)
	root.SetHelpFunc(helpOrUnknown(root.HelpFunc(), func(err error) { unknown = err }))
	err := cmp.Or(root.ExecuteContext(ctx), unknown)
	if help.Len() > 0 {
		if shown := p.Show(help.Bytes()); err == nil {
			err = shown
		}
	}
	if shown := p.Finish(ctx); err == nil {
		err = shown
	}
	if err != nil {
		p.ReportError(ctx, err)
	}
	return command.ExitCode(ctx, err)
}

// negative is a number that reads like a flag.
var negative = regexp.MustCompile(`^-[0-9]`)

// negativesLast returns arguments with negative numbers after "--", so that they are values
// and no flags. One right after a flag may be its value, and stays.
func negativesLast(args []string) []string {
	var out, last []string
	taken := false // the argument before
	for i, arg := range args {
		switch {
		case arg == "--":
			return slices.Concat(out, []string{"--"}, last, args[i+1:])
		case negative.MatchString(arg) && i > 0 && (taken || !strings.HasPrefix(args[i-1], "-")):
			last, taken = append(last, arg), true
			continue
		default:
			out = append(out, arg)
		}
		taken = false
	}
	if len(last) == 0 {
		return args
	}
	return slices.Concat(out, []string{"--"}, last)
}
