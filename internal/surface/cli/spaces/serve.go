package spaces

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/server"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

// defaultGrace is how long requests may continue after the server is asked to
// stop. Supervisors wait longer before they kill: systemd 90 s, launchd 20 s.
const defaultGrace = 10 * time.Second

// defaultListen is on the loopback interface, which no other machine reaches.
// The port is "cairn" on a telephone's keys, and assigned to nobody.
const defaultListen = "127.0.0.1:22476"

type serveOptions struct {
	command.Toolsets
	http   bool
	listen string
	remote bool
	hosts  []string
	public string
	grace  time.Duration
	log    logOptions
	ready  func(address string) error // of cairn web: called when it listens; its own output is all there is then

	install, uninstall, dryRun bool
}

func (o *serveOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.http, "http", false, "serve programs and agents over HTTP, too")
	f.StringVar(&o.listen, "listen", defaultListen, "with --http, the `address` to listen at; port 0 takes a free one")
	f.BoolVar(&o.remote, "allow-remote", false, "with --http, allow an address that other machines reach")
	f.StringSliceVar(&o.hosts, "allow-host", nil, "with --http, also answer to this `name`, in addition to addresses and localhost")
	f.StringVar(&o.public, "public-url", "", "with --http, the `address` by which a proxy with TLS makes the web UI reachable")
	f.DurationVar(&o.grace, "grace", defaultGrace, "with --http, time for running requests to finish on shutdown")
	f.BoolVar(&o.install, "install", false, "write a service that runs this when you log in, with the other flags given")
	f.BoolVar(&o.uninstall, "uninstall", false, "remove that service")
	f.BoolVar(&o.dryRun, "dry-run", false, "with --install and --uninstall, only show the effects")
	o.log.addFlags(cmd)
	o.Toolsets.AddFlags(cmd)
	f.Lookup("toolsets").Usage = "with --http, offer these `sets` of tools over MCP: core, more, capture, context, review, notes, memory, all"
	f.Lookup("read-only").Usage = "with --http, offer only what changes nothing"
	command.Complete(cmd, "listen", cobra.NoFileCompletions)
	command.Complete(cmd, "allow-host", cobra.NoFileCompletions)
	command.Complete(cmd, "public-url", cobra.NoFileCompletions)
	command.Complete(cmd, "grace", cobra.NoFileCompletions)
}

// httpFlags are those that only mean something with --http.
var httpFlags = []string{"listen", "allow-remote", "allow-host", "public-url", "grace", "toolsets", "read-only"}

// check refuses flags that cannot be meant.
func (o *serveOptions) check(cmd *cobra.Command, p *command.Program) error {
	if o.grace < 0 {
		return command.UsageError(cmd, "--grace cannot be negative")
	}
	if o.install && o.uninstall {
		return command.UsageError(cmd, "--install conflicts with --uninstall")
	}
	if o.dryRun && !o.install && !o.uninstall {
		return command.UsageError(cmd, "--dry-run is for --install and --uninstall")
	}
	for _, name := range httpFlags {
		if !o.http && cmd.Flags().Changed(name) {
			return command.UsageError(cmd, "--%s is for --http", name)
		}
	}
	if err := o.log.check(cmd); err != nil {
		return err
	}
	_, err := p.Format()
	return err
}

func newServe(p *command.Program) *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Keep the memory up to date while others work, and serve it over HTTP",
		Long: `Watch the directories of all spaces and read what changes in them as it changes,
embed pages in the background, and run the jobs of cairn maintain when they are
due, until it is stopped with Ctrl-C or SIGTERM. It is optional: every other
command works with and without it. It changes pages only where the policy of a
space asks for it: it begins the page of a day, week or month, regenerates
generated parts, marks and summarises stale pages, and moves or deletes expired
ones. In a guarded space it commits edits and pushes, if the policy asks for it.

With --http it serves, too: the tools as JSON at /api/v1, a stream of changes,
MCP at /mcp, and the web UI, which cairn web opens. Clients send a token, which
is in a file next to the memory that only you can read. On shutdown it finishes
running requests.

With --install it writes a service of systemd or launchd that does this when you
log in, and prints the commands that start it. --uninstall removes it.

Events are printed as they happen, with --json one object a line; errors are
reported on stderr and retried. --log-level logs there, too, with debug also
each request: its route and its outcome, never its content.`,
		Example: `  cairn serve
  cairn serve --json >> serve.log
  cairn serve --http
  cairn serve --http --install --dry-run
  curl -H "Authorization: Bearer $(cairn serve token)" http://127.0.0.1:22476/api/v1/status`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && o.http {
				return command.UsageError(cmd, "%s takes no arguments, but has %q; the address to listen at is --listen ADDRESS", cmd.CommandPath(), args[0])
			}
			return command.Need()(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(cmd, p); err != nil {
				return err
			}
			if o.install || o.uninstall {
				return runService(cmd, p, o)
			}
			return p.WithApp(cmd.Context(), command.Create, func(a *memory.Session) error { return runServe(cmd.Context(), p, a, o) }, command.Watching, o.Keep)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	o.addFlags(cmd)
	cmd.AddCommand(newServeToken(p))
	return cmd
}

func runServe(ctx context.Context, p *command.Program, a *memory.Session, o serveOptions) error {
	embeds, err := p.Embeds()
	if err != nil {
		return err
	}
	text, err := p.Setting("sync_delay")
	if err != nil {
		return err
	}
	delay, err := time.ParseDuration(text)
	if err != nil {
		return err
	}
	if p.Env.Grace != nil {
		p.Env.Grace(o.grace + 5*time.Second) // the last answers leave after the grace
	}
	out := serverOutput{p, o.log.logger(p), o.ready != nil}
	s := server.New(a, server.Options{Embed: embeds, Quiet: delay, After: p.Env.After, Report: out.event})
	if !o.http {
		s.Run(ctx)
		return nil
	}
	watching, stop := context.WithCancel(ctx)
	var work sync.WaitGroup
	work.Go(func() { s.Run(watching) })
	defer work.Wait()
	defer stop()
	return serveHTTP(ctx, out, a, s, o)
}

// serverOutput is what a server prints of what it does.
type serverOutput struct {
	*command.Program
	log   *slog.Logger // nil for none
	quiet bool         // print failures only
}

// event prints what a server did. It goes on when nobody reads along.
func (p serverOutput) event(e server.Event) {
	if p.log != nil {
		logEvent(p.log, e)
	}
	f, err := p.Format()
	switch {
	case err != nil:
	case e.Kind == server.Failed && p.logs(slog.LevelWarn): // said there
	case e.Kind == server.Failed:
		p.fault(e, f)
	case p.Flags.Quiet, p.quiet:
	case f == command.FormatJSON:
		var line []byte
		if line, err = terminal.JSON(e, false); err == nil {
			err = p.Write(append(line, '\n'))
		}
	default:
		out := p.Page(f)
		eventLine(out, e)
		err = p.Write(out.Bytes())
	}
	p.unprinted(err)
}

// unprinted reports that a server could not print its events. If standard error
// fails too, the report is lost.
func (p serverOutput) unprinted(err error) {
	if err != nil && !errors.Is(err, command.ErrUnread) {
		p.Note("warning: %s", kb.AsError(err).Error())
	}
}

// eventLine prints an event that is not a failure.
func eventLine(out *terminal.Page, e server.Event) {
	switch e.Kind {
	case server.Watching:
		out.Linef("%s: %s%s", e.Space, modes[string(e.Mode)], command.Optional(": ", e.Reason))
	case server.Synced:
		reportLines(out, *e.Sync)
	case server.Embedded:
		out.Linef("embedded %s; %d left", terminal.Count(e.Embed.Pages, "page"), e.Embed.Left)
		for _, n := range e.Embed.Notes {
			out.Linef("%s", out.Style.Aside("note: "+n))
		}
	case server.Maintained:
		out.Linef("%s: done%s", e.Job, command.Optional(", ", e.Maintain.Did))
	case server.Mended:
		out.Linef("%s%s works again", string(e.Part), command.Optional(" ", e.Space+e.Job))
	}
}

// modes say how a directory is watched.
var modes = map[string]string{
	"events":  "watched",
	"polling": "looked at every few seconds",
	"missing": "not there, looked for every few seconds",
}

// fault prints a failure. --quiet does not silence it: nothing else reports
// that the memory falls behind.
func (p serverOutput) fault(e server.Event, f command.Format) {
	err := kb.AsError(e.Err)
	if f == command.FormatJSON {
		line, jsonErr := terminal.JSON(struct {
			server.Event
			Error command.Failure `json:"error"`
		}{e, command.FailureOf(err)}, false)
		if jsonErr == nil {
			fmt.Fprintf(p.Env.Stderr, "%s\n", line)
			return
		}
		// Details that do not marshal leave the text below.
	}
	fmt.Fprintf(p.Env.Stderr, "warning: %s%s: %s%s\n", e.Part, safetext.Line(command.Optional(" ", e.Space+e.Job)),
		safetext.Line(err.Error()), safetext.Line(command.Optional(" ", command.HintOf(err))))
}
