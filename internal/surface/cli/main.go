package cli

import (
	"bytes"
	"cmp"
	"context"

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
	root.SetArgs(env.Args)
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
