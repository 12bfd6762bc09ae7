package spaces

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"net/url"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

type webOptions struct {
	print    bool
	readOnly bool
	listen   string
	public   string
}

func newWeb(p *command.Program) *cobra.Command {
	var o webOptions
	cmd := &cobra.Command{
		Use:   "web [REF]",
		Short: "Read the memory in a browser",
		Long: `Open the web UI in your browser, at a page if one is named. If cairn serve
--http runs for this memory, its web UI is opened; otherwise this command serves
it until it is stopped with Ctrl-C. While the memory has no space, it shows the
notes in the working directory and what adding them would do; nothing happens
before you agree.

The link signs you in as the actor of this command. It works once and for one
minute. It reaches the browser through a file that only you can read; --print
prints it instead. A new token (cairn serve token --rotate) ends every session;
the host name of the web UI stays.`,
		Example: "  cairn web\n  cairn web people/ada\n  cairn web --print",
		Args:    command.Need("[REF]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := p.PersonOnly("web", "sign in to the web UI"); err != nil {
				return err
			}
			at := "/"
			if len(args) > 0 {
				at = command.PageAt(args[0])
			}
			return runWeb(cmd.Context(), p, o, at)
		},
		ValidArgsFunction: p.Refs(1),
	}
	f := cmd.Flags()
	f.BoolVar(&o.print, "print", false, "print the link; open no browser")
	f.BoolVar(&o.readOnly, "read-only", false, "when this command serves, offer only what changes nothing")
	f.StringVar(&o.listen, "listen", defaultListen, "when this command serves, the `address` to listen at; port 0 takes a free one")
	f.StringVar(&o.public, "public-url", "", "make the link for the `address` by which a proxy is reached")
	command.Complete(cmd, "listen", cobra.NoFileCompletions)
	command.Complete(cmd, "public-url", cobra.NoFileCompletions)
	return cmd
}

func runWeb(ctx context.Context, p *command.Program, o webOptions, at string) error {
	opts, err := p.Options()
	if err != nil {
		return err
	}
	if opts.DB, err = space.DatabasePath(opts.Place); err != nil {
		return err
	}
	enter := func(address string) error {
		link, err := p.WebLink(ctx, opts, address, o.public, at)
		if err != nil {
			return err
		}
		if o.print || p.Env.Browse == nil {
			return p.Content(link+"\n", struct {
				URL string `json:"url"`
			}{link}, command.PlainText)
		}
		if err := p.OpenWeb(ctx, opts.Place, link); err != nil {
			return err
		}
		p.Note("opened the web UI in your browser; cairn web --print prints a link instead")
		return nil
	}
	if at == "/" && !o.readOnly {
		if at, err = beginning(ctx, p); err != nil {
			return err
		}
	}
	if address, err := p.WebAddress(ctx, opts.Place); err != nil || address != "" {
		if err != nil {
			return err
		}
		return enter(address)
	}
	serve := serveOptions{http: true, listen: o.listen, grace: defaultGrace, public: o.public, ready: enter}
	serve.ReadOnly = o.readOnly
	return p.WithApp(ctx, command.Create, func(a *memory.Session) error { return runServe(ctx, p, a, serve) }, command.Watching)
}

// beginning is where the web UI begins: while the memory has no space, with the notes in the
// working directory.
func beginning(ctx context.Context, p *command.Program) (string, error) {
	var all []api.Space
	err := p.WithApp(ctx, command.Existing, func(a *memory.Session) (err error) {
		all, err = a.Spaces.List(ctx)
		return err
	})
	switch {
	case err == nil && len(all) > 0:
		return "/", nil
	case err != nil && !space.NothingYet(err) && kb.AsError(err).Reason != kb.NoDatabase:
		return "", err
	}
	if p.Env.Dir == "" || p.Env.Dir == p.Env.Home || filepath.Dir(p.Env.Dir) == p.Env.Dir {
		return "/start", nil // all of a home is seldom meant
	}
	return "/start?" + url.Values{"dir": {p.Env.Dir}}.Encode(), nil
}

// writeAddress notes the address of this server. remove takes the note back unless
// another server has replaced it.
func writeAddress(ctx context.Context, o space.Place, address string) (remove func() error, _ error) {
	path, err := command.BesideMemory(o, command.AddressFile)
	if err != nil {
		return nil, err
	}
	note := address + "\n" + rand.Text() + "\n"
	remove = func() error {
		d, err := fsys.OpenDir(filepath.Dir(path))
		if err == nil {
			// The server was stopped, and this is part of its end.
			err = fsys.RemoveDurable(context.WithoutCancel(ctx), d, filepath.Base(path), fsys.Unchanged([]byte(note)))
			err = errors.Join(err, d.Close())
		}
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fsys.ErrChanged) {
			return nil
		}
		return err
	}
	return remove, command.WritePrivate(ctx, path, note)
}
