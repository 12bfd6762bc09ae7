package cli

import (
	"context"
	"errors"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/operation"
)

type mcpOptions struct {
	toolsets []string
	readOnly bool
}

func (o *mcpOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&o.toolsets, "toolsets", []string{"core"}, "offer these `sets` of tools: core, more, all")
	f.BoolVar(&o.readOnly, "read-only", false, "offer only tools that change nothing")
	complete(cmd, "toolsets", cobra.FixedCompletions([]string{"core", "more", "all"}, cobra.ShellCompDirectiveNoFileComp))
}

// sets returns the sets that were asked for.
func (o *mcpOptions) sets() ([]operation.Set, error) {
	known := operation.Sets()
	var out []operation.Set
	for _, name := range o.toolsets {
		switch s := operation.Set(strings.TrimSpace(name)); {
		case s == "all":
			return known, nil
		case slices.Contains(known, s):
			out = append(out, s)
		default:
			return nil, kb.Errorf(kb.Usage, "there is no set of tools %q", name).WithHint("Sets are core, more and all.")
		}
	}
	return out, nil
}

func newMCP(p *program) *cobra.Command {
	var o mcpOptions
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve an agent over standard input and output (MCP)",
		Long: `Serve one client of the Model Context Protocol over standard input and output,
until the input ends. Clients start it themselves.

The tools work in the space of the client's directory: its first root, else the
directory in which it was started; --space names another. The memory is made by
the first write. What each tool takes is shown by: cairn tools-json`,
		Example: `  cairn mcp
  cairn mcp --toolsets all
  cairn mcp --read-only --space notes`,
		Args: need(),
		RunE: func(cmd *cobra.Command, _ []string) error { return runMCP(cmd.Context(), p, o) },
	}
	o.addFlags(cmd)
	return cmd
}

func runMCP(ctx context.Context, p *program, o mcpOptions) error {
	if p.env.MCP == nil {
		return kb.Errorf(kb.Usage, "this build of cairn does not serve MCP")
	}
	sets, err := o.sets()
	if err != nil {
		return err
	}
	return p.withMemory(ctx, func(m *app.Lazy, c app.Caller) error {
		err := p.env.MCP(ctx, MCPSession{
			Memory: m, Stdin: p.env.Stdin, Stdout: p.env.Stdout, Sets: sets, ReadOnly: o.readOnly,
			Dir: c.Dir, Space: c.Space, Skills: p.ownSkills(), Version: p.env.Build.Version,
			Told: p.setupPlace().Told,
		})
		switch {
		case stopped(ctx, err):
			return nil // clients end their servers with a signal
		case errors.Is(err, syscall.EPIPE):
			return errUnread
		}
		return err
	}, watching)
}

// withMemory gives do a memory that is opened when it is needed, and closes
// it. What is written meanwhile is embedded beside the work.
func (p *program) withMemory(ctx context.Context, do func(*app.Lazy, app.Caller) error, set ...func(*app.Options)) (err error) {
	opts, err := p.options()
	if err != nil {
		return err
	}
	for _, s := range set {
		s(&opts)
	}
	c := app.Caller{Dir: opts.Dir, Space: opts.Space, Actor: opts.Actor}
	beside := newEmbedder(p)
	opts.Written = beside.add
	m := app.NewLazy(opts)
	defer func() { err = errors.Join(err, m.Close()) }()
	if p.flags.in != "" {
		a, err := m.App(ctx, true)
		if err != nil {
			return err
		}
		s, err := a.Spaces().Attach(ctx, p.flags.in)
		if err != nil {
			return err
		}
		tellSpace(p, s)
		c.Space = s.Name
	}
	defer beside.start(ctx, m)()
	return do(m, c)
}
