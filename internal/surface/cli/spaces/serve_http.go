package spaces

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/login"
	"github.com/cairn-kb/cairn/internal/surface/server"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

// opened is a memory that is open already.
type opened struct{ app *memory.Session }

func (o opened) Session(context.Context, bool) (*memory.Session, error) { return o.app, nil }

func serveHTTP(ctx context.Context, p serverOutput, a *memory.Session, s *server.Server, o serveOptions) error {
	if p.Env.HTTP == nil {
		return kb.Errorf(kb.Usage, "this build of cairn does not serve HTTP")
	}
	sets, err := o.Sets()
	if err != nil {
		return err
	}
	opts, err := p.Options()
	if err != nil {
		return err
	}
	// The token remains that of the open memory, even if a setting changes
	// later.
	if opts.DB, err = space.DatabasePath(opts.Place); err != nil {
		return err
	}
	host, err := space.MakeHost(ctx, opts.Place, login.Host, login.IsHost) // before the token: it is random then
	if err != nil {
		return err
	}
	if _, err := space.MakeToken(ctx, opts.Place, ""); err != nil {
		return err
	}
	if o.remote {
		p.Note("warning: other machines can reach the memory with the token, and nothing is encrypted on the way; use a proxy with TLS")
	}
	tickets, err := command.BesideMemory(opts.Place, command.TicketsDir)
	if err != nil {
		return err
	}
	var remove func() error // the note of the address
	err = p.Env.HTTP(ctx, command.HTTPSession{
		Memory: opened{a}, Address: o.listen, Remote: o.remote, Hosts: o.hosts, Public: o.public, Tokens: func() []space.Token { return space.ReadTokens(opts.Place) },
		WebHost: host, Tickets: tickets, Sets: sets, ReadOnly: o.ReadOnly, Setup: p.SetupPlace(), Grace: o.grace, Now: p.Env.Now, After: p.Env.After, Version: p.Env.Build.Version,
		Faults: func() []string {
			var out []string
			for _, part := range s.Faults() {
				out = append(out, string(part))
			}
			return out
		},
		Synced: a.Log.All,
		Ready: func(url string) {
			address := strings.TrimPrefix(url, "http://")
			var err error
			remove, err = writeAddress(ctx, opts.Place, address)
			if o.ready != nil {
				err = errors.Join(err, o.ready(address))
			} else {
				p.listens(url, opts)
			}
			if err != nil {
				p.requestFailed(err)
			}
		},
		Report: p.requestFailed, Log: p.log,
	})
	if remove != nil {
		err = errors.Join(err, remove())
	}
	return err
}

// requestFailed reports an internal error during a request.
func (p serverOutput) requestFailed(err error) {
	if p.log != nil {
		logFailure(p.log, slog.LevelError, "request", err)
		return
	}
	p.Note("warning: %s", kb.AsError(err).Error())
}

// listening says where a server is.
type listening struct {
	Event string `json:"event"`
	URL   string `json:"url"`
	API   string `json:"api"`
	MCP   string `json:"mcp"`
	Token string `json:"token_file"`
}

// listens prints where a server is.
func (p serverOutput) listens(url string, opts memory.Options) {
	f, err := p.Format()
	path, pathErr := space.TokenPath(opts.Place)
	switch err = errors.Join(err, pathErr); {
	case err != nil || p.Flags.Quiet:
	case f == command.FormatJSON:
		var line []byte
		if line, err = terminal.JSON(listening{"listening", url, url + "/api/v1", url + "/mcp", path}, false); err == nil {
			err = p.Write(append(line, '\n'))
		}
	default:
		out := p.Page(f)
		out.Linef("listening at %s; the token is in %s", url, path)
		err = p.Write(out.Bytes())
	}
	p.unprinted(err)
}

type tokenOptions struct {
	agent  string
	rotate bool
}

func newServeToken(p *command.Program) *cobra.Command {
	var o tokenOptions
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Print the token that clients of serve --http show",
		Long: `Print the token that clients of cairn serve --http must show. It is made when
the server first starts, and belongs to its owner: a client that sends it may
write as any actor, also as a person.

With --agent NAME it is the token of that agent, made when there is none yet.
Writes with it are the agent's, regardless of the client's claims.

With --rotate it is replaced: running servers refuse the old one from then on,
and end the streams that began with it.`,
		Example: "  cairn serve token\n  cairn serve token --agent claude-code\n  cairn serve token --rotate",
		Args:    command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("agent") && o.agent == "" {
				return command.UsageError(cmd, "--agent needs a name")
			}
			if err := p.PersonOnly("serve token", "see or make a token"); err != nil {
				return err
			}
			opts, err := p.Options()
			if err != nil {
				return err
			}
			token, err := o.token(cmd.Context(), opts.Place)
			if err != nil {
				return err
			}
			return command.Done(p.Content(token+"\n", struct {
				Token string `json:"token"`
				Agent string `json:"agent,omitempty"`
			}{token, o.agent}, command.PlainText))
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().StringVar(&o.agent, "agent", "", "the token of the agent of this `name`, which can be nobody else")
	cmd.Flags().BoolVar(&o.rotate, "rotate", false, "make another token, and refuse the old one from now on")
	command.Complete(cmd, "agent", cobra.NoFileCompletions)
	return cmd
}

func (o tokenOptions) token(ctx context.Context, place space.Place) (string, error) {
	switch {
	case o.rotate:
		if _, err := space.MakeHost(ctx, place, login.Host, login.IsHost); err != nil {
			return "", err
		}
		return space.RotateToken(ctx, place, o.agent)
	case o.agent != "":
		return space.MakeToken(ctx, place, o.agent)
	}
	return space.ReadToken(place, "")
}
