package cli

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/cli/kt"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// Main runs one command and returns the exit code: see command.ExitCode. When ctx is
// cancelled it stops between two steps and returns the code of Stopped, if that
// is the cause, or 130.
func Main(ctx context.Context, env command.Env) int {
	stream := collectGarbage(env)
	p := command.New(ctx, env)
	root := newRoot(p)
	if kt.Meant(env.Name) {
		root = kt.New(p)
	}
	root.SetArgs(negativesLast(env.Args))
	check := root.PersistentPreRunE
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		if streams(cmd) {
			stream()
		}
		return check(cmd, args)
	}
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

// streams reports whether a command reads any number of documents, some at a time.
func streams(cmd *cobra.Command) bool {
	for ; cmd.HasParent(); cmd = cmd.Parent() {
		if cmd.Name() == "import" && !cmd.Parent().HasParent() {
			return true
		}
	}
	return false
}

// negative is a number that reads like a flag.
var negative = lazyregexp.New(`^-[0-9]+(\.[0-9]+)?$`)

// negativesLast returns arguments with negative numbers after "--", so that they are values
// and no flags. One right after a flag may be its value, and stays. The order of values is
// that of the command line: where flags and values follow a number, nothing changes, and the
// number is refused as a flag.
func negativesLast(args []string) []string {
	first := -1 // the first number that is no value of a flag
	for i, arg := range args {
		switch {
		case arg == "--":
			return args
		case negative().MatchString(arg) && i > 0 && !strings.HasPrefix(args[i-1], "-"):
			first = i
		}
		if first >= 0 {
			break
		}
	}
	if first < 0 {
		return args
	}
	rest := args[first:]
	flag := func(arg string) bool { return strings.HasPrefix(arg, "-") && !negative().MatchString(arg) }
	at := slices.IndexFunc(rest, flag)
	switch {
	case at < 0:
		return slices.Concat(args[:first], []string{"--"}, rest)
	case rest[at] == "--":
		return slices.Concat(args[:first], []string{"--"}, rest[:at], rest[at+1:])
	case slices.ContainsFunc(rest[:at], func(arg string) bool { return !negative().MatchString(arg) }):
		return args
	}
	// Numbers, then flags: what follows those may be their values, or values of the command.
	for i := at + 1; i < len(rest); i++ {
		if !flag(rest[i]) && !flag(rest[i-1]) {
			return args
		}
	}
	return slices.Concat(args[:first], rest[at:], []string{"--"}, rest[:at])
}
