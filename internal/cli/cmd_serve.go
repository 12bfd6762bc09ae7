package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/server"
)

func newServe(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Keep the memory up to date while others work",
		Long: `Watch the directories of all spaces and read what changes in them as it changes,
and make pages searchable by meaning in the background, until it is stopped with
Ctrl-C or SIGTERM. Nothing needs it: every other command works beside it and
without it. No note is written to.

What happens is printed as it happens, with --json one object a line; what fails
is said on standard error and tried again.`,
		Example: "  cairn serve\n  cairn serve --json >> serve.log",
		Args:    need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if p.flags.space != "" {
				return usageError(cmd, "serve looks after all spaces; --space %s says otherwise", p.flags.space)
			}
			if _, err := p.format(); err != nil {
				return err
			}
			return p.withApp(cmd.Context(), create, func(a *app.App) error {
				server.Run(cmd.Context(), a, server.Options{After: p.env.After, Report: p.serverEvent})
				return nil
			})
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
}

// serverEvent prints what a server did. It goes on when nobody reads along.
func (p *program) serverEvent(e server.Event) {
	f, err := p.format()
	switch {
	case err != nil:
	case e.Kind == server.Failed:
		p.serverFault(e, f)
	case p.flags.quiet:
	case f == formatJSON:
		var line []byte
		if line, err = marshal(e, false); err == nil {
			err = p.write(append(line, '\n'))
		}
	default:
		out := &page{style: p.style(f)}
		eventLine(out, e)
		err = p.write(out.Bytes())
	}
	if err != nil {
		p.note("warning: %s", kb.AsError(err).Error())
	}
}

// eventLine prints an event that is no failure.
func eventLine(out *page, e server.Event) {
	switch e.Kind {
	case server.Watching:
		out.linef("%s: %s%s", e.Space, modes[string(e.Mode)], optional(": ", e.Reason))
	case server.Synced:
		reportLines(out, *e.Sync)
	case server.Embedded:
		out.linef("embedded %d pages; %d left", e.Embed.Pages, e.Embed.Left)
	case server.Mended:
		out.linef("%s%s works again", string(e.Part), optional(" ", e.Space))
	}
}

// modes say how a directory is watched.
var modes = map[string]string{
	"events":  "watched",
	"polling": "looked at every few seconds",
	"missing": "not there, looked for every few seconds",
}

// serverFault says what failed. --quiet does not silence it: nothing else
// tells that the memory falls behind.
func (p *program) serverFault(e server.Event, f format) {
	err := kb.AsError(e.Err)
	if f == formatJSON {
		line, jsonErr := marshal(struct {
			server.Event
			Error errorJSON `json:"error"`
		}{e, errorJSON{err.Code, err.Error(), err.Hint, err.Details}}, false)
		if jsonErr == nil {
			fmt.Fprintf(p.env.Stderr, "%s\n", line)
			return
		}
		// Details that do not marshal leave the text below.
	}
	fmt.Fprintf(p.env.Stderr, "warning: %s%s: %s%s\n", e.Part, cleanLine(optional(" ", e.Space)),
		cleanLine(err.Error()), cleanLine(optional(" ", err.Hint)))
}

// optional is text with what goes before it, or nothing.
func optional(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}
