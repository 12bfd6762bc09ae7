package cli

import (
	"context"
	"errors"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/config"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/server"
	"github.com/cairn-kb/cairn/internal/terminal"
)

// opened is a memory that is open already.
type opened struct{ app *app.App }

func (o opened) App(context.Context, bool) (*app.App, error) { return o.app, nil }

func (p *program) serveHTTP(ctx context.Context, a *app.App, s *server.Server, o serveOptions) error {
	if p.env.HTTP == nil {
		return kb.Errorf(kb.Usage, "this build of cairn does not serve HTTP")
	}
	sets, err := o.sets()
	if err != nil {
		return err
	}
	opts, err := p.options()
	if err != nil {
		return err
	}
	// The token stays that of the memory that is open, whatever a setting that
	// is changed later says.
	if opts.DB, err = config.DatabasePath(opts.Place); err != nil {
		return err
	}
	if _, err := config.MakeToken(ctx, opts.Place, ""); err != nil {
		return err
	}
	if o.remote {
		p.note("warning: other machines can reach the memory with the token, and nothing is encrypted on the way; use a proxy with TLS")
	}
	return p.env.HTTP(ctx, HTTPSession{
		Memory: opened{a}, Address: o.listen, Remote: o.remote, Hosts: o.hosts, Tokens: func() []config.Token { return config.ReadTokens(opts.Place) },
		Sets: sets, ReadOnly: o.readOnly, Skills: p.ownSkills(), Grace: o.grace, Now: p.env.Now, After: p.env.After, Version: p.env.Build.Version,
		Faults: func() []string {
			var out []string
			for _, part := range s.Faults() {
				out = append(out, string(part))
			}
			return out
		},
		Ready:  func(url string) { serverOutput{p}.listens(url, opts) },
		Report: serverOutput{p}.requestFailed, Log: p.log,
	})
}

// requestFailed says what went wrong inside while a request was answered.
func (p serverOutput) requestFailed(err error) {
	if p.log != nil {
		logFailure(p.log, slog.LevelError, "request", err)
		return
	}
	p.note("warning: %s", kb.AsError(err).Error())
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
func (p serverOutput) listens(url string, opts app.Options) {
	f, err := p.format()
	path, pathErr := config.TokenPath(opts.Place)
	switch err = errors.Join(err, pathErr); {
	case err != nil || p.flags.quiet:
	case f == formatJSON:
		var line []byte
		if line, err = terminal.JSON(listening{"listening", url, url + "/api/v1", url + "/mcp", path}, false); err == nil {
			err = p.write(append(line, '\n'))
		}
	default:
		out := p.page(f)
		out.Linef("listening at %s; the token is in %s", url, path)
		err = p.write(out.Bytes())
	}
	p.unprinted(err)
}

type tokenOptions struct {
	agent  string
	rotate bool
}

func newServeToken(p *program) *cobra.Command {
	var o tokenOptions
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Print the token that clients of serve --http show",
		Long: `Print the token that clients of cairn serve --http must show. It is made when
the server first starts, and is its owner's: who shows it may write as anybody,
also as a person.

With --agent NAME it is the token of that agent, made when there is none yet.
What is written with it is the agent's, whatever the client says.

With --rotate another one takes its place: servers that run refuse the old one
from then on, and end the streams that began with it.`,
		Example: "  cairn serve token\n  cairn serve token --agent claude-code\n  cairn serve token --rotate",
		Args:    need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("agent") && o.agent == "" {
				return usageError(cmd, "--agent needs a name")
			}
			opts, err := p.options()
			if err != nil {
				return err
			}
			token, err := o.token(cmd.Context(), opts.Place)
			if err != nil {
				return err
			}
			return done(p.content([]byte(token+"\n"), struct {
				Token string `json:"token"`
				Agent string `json:"agent,omitempty"`
			}{token, o.agent}, plainText))
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().StringVar(&o.agent, "agent", "", "the token of the agent of this `name`, which can be nobody else")
	cmd.Flags().BoolVar(&o.rotate, "rotate", false, "make another token, and refuse the old one from now on")
	complete(cmd, "agent", cobra.NoFileCompletions)
	return cmd
}

func (o tokenOptions) token(ctx context.Context, place config.Place) (string, error) {
	switch {
	case o.rotate:
		return config.RotateToken(ctx, place, o.agent)
	case o.agent != "":
		return config.MakeToken(ctx, place, o.agent)
	}
	return config.ReadToken(place, "")
}
