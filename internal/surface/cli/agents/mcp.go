package agents

import (
	"context"
	"errors"
	"github.com/cairn-kb/cairn/internal/memory"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

func newMCP(p *command.Program) *cobra.Command {
	var o command.Toolsets
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
		Args: command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error { return runMCP(cmd.Context(), p, o) },
	}
	o.AddFlags(cmd)
	return cmd
}

func runMCP(ctx context.Context, p *command.Program, o command.Toolsets) error {
	if p.Env.MCP == nil {
		return kb.Errorf(kb.Usage, "this build of cairn does not serve MCP")
	}
	sets, err := o.Sets()
	if err != nil {
		return err
	}
	return withMemory(ctx, p, true, func(m *memory.Lazy, c memory.Caller) error {
		agent := ""
		if p.Flags.Actor != "" {
			if agent = c.Actor.Name; c.Actor.Kind != kb.Agent || agent == "" {
				return kb.Errorf(kb.Usage, "invalid --actor %q: an MCP client is an agent", p.Flags.Actor).
					WithHint("Write the name of the agent: --actor agent:NAME. Without the flag it is the name that the client gives itself.")
			}
		}
		return ended(ctx, p.Env.MCP(ctx, command.MCPSession{
			Memory: m, Stdin: p.Env.Stdin, Stdout: p.Env.Stdout, Sets: sets, ReadOnly: o.ReadOnly,
			Dir: c.Dir, Space: c.Space, Agent: agent, Skills: p.SetupPlace().OwnSkills(), Version: p.Env.Build.Version,
			HasInstructions: p.SetupPlace().HasInstructions,
		}))
	}, command.Watching, o.Keep)
}

// ended returns the error of a command that served a client over the standard streams.
func ended(ctx context.Context, err error) error {
	switch {
	case command.Interrupted(ctx, err):
		return nil // clients end their servers with a signal
	case errors.Is(err, syscall.EPIPE):
		return command.ErrUnread
	}
	return err
}

// withMemory gives do a memory that is opened on first use, and closes it.
// Pages written meanwhile are embedded in the background; with backlog also those
// that others wrote, while nobody asks.
func withMemory(ctx context.Context, p *command.Program, backlog bool, do func(*memory.Lazy, memory.Caller) error, set ...func(*memory.Options)) (err error) {
	opts, err := p.Options()
	if err != nil {
		return err
	}
	for _, s := range set {
		s(&opts)
	}
	c := memory.Caller{Dir: opts.Dir, Space: opts.Space, Actor: opts.Actor}
	beside := newEmbedder(p, backlog)
	opts.OnWritten = beside.add
	m := memory.NewLazy(opts)
	defer func() { err = errors.Join(err, m.Close()) }()
	if p.Flags.In != "" {
		a, err := m.Session(ctx, true)
		if err != nil {
			return err
		}
		s, err := a.Spaces.Attach(ctx, p.Flags.In)
		if err != nil {
			return err
		}
		command.TellSpace(p, s)
		c.Space = s.Name
	}
	defer beside.start(ctx, m)()
	return do(m, c)
}
