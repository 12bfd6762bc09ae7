package write

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

type rawOptions struct {
	command.Writing
	overwrite bool
	version   string
	asOf      string
}

func newRaw(p *command.Program) *cobra.Command {
	var o rawOptions
	cmd := &cobra.Command{
		Use:   "raw REF [SOURCE] [FILE]",
		Short: "Store data of other programs for a page",
		Long: `List the data that other programs gave for a page, print what one of them gave,
or store it: one JSON value of up to 1 MiB from FILE, or from standard input
when FILE is -. It is stored unchanged, in .raw next to the page's file, and is
part of the page's versions. Earlier data of a source is replaced only with
--overwrite.`,
		Example: `  cairn raw people/ada
  cairn raw people/ada crustdata | jq .followers
  curl -s https://example.org/ada.json | cairn raw people/ada crustdata -
  cairn raw people/ada crustdata ada.json --overwrite --expected-version 3`,
		Args:              command.Need("REF", "[SOURCE]", "[FILE]"),
		ValidArgsFunction: p.Refs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 3 {
				return runRawStore(cmd, p, &o, args)
			}
			return runRaw(cmd, p, &o, args)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.overwrite, "overwrite", false, "replace what the source gave before")
	f.StringVar(&o.version, "version", "", "print the data of this `version` of the page")
	f.StringVar(&o.asOf, "as-of", "", "print the data as it was at this `date`")
	o.Writing.AddFlags(cmd)
	return cmd
}

// runRawStore stores what a source gave.
func runRawStore(cmd *cobra.Command, p *command.Program, o *rawOptions, args []string) error {
	if o.version != "" || o.asOf != "" {
		return command.UsageError(cmd, "data is stored in the newest version: leave out --version and --as-of")
	}
	in := command.Input{File: args[2]}
	data, err := in.ReadText(cmd.Context(), p, cmd, nil)
	if err != nil {
		return err
	}
	return p.RunWrite(cmd, &o.Writing, func(a *memory.Session, w api.WriteOptions) (api.Written, error) {
		return change.StoreSource(cmd.Context(), a, change.StoreRequest{
			WriteOptions: w, Ref: args[0], Source: args[1], Data: data, Overwrite: o.overwrite,
		})
	})
}

// runRaw lists sources, or prints what one gave.
func runRaw(cmd *cobra.Command, p *command.Program, o *rawOptions, args []string) error {
	for _, name := range []string{"overwrite", "expected-version", "dry-run", "message", "diff", "wait", "allow-secret", "rewrite-timeline"} {
		if cmd.Flags().Changed(name) {
			return command.UsageError(cmd, "--%s is for storing: name a FILE, or - for standard input", name)
		}
	}
	req := read.SourcesRequest{Ref: args[0], Source: strings.Join(args[1:], ""), AsOf: o.asOf}
	if o.version != "" {
		var err error
		if req.Version, err = command.ParseVersion(o.version); err != nil {
			return err
		}
	}
	return p.WithApp(cmd.Context(), command.Synced, func(a *memory.Session) error { return showRaw(cmd.Context(), p, a, req) })
}

func showRaw(ctx context.Context, p *command.Program, a *memory.Session, req read.SourcesRequest) error {
	s, err := read.ReadSources(ctx, a, req)
	if err != nil {
		return err
	}
	for _, w := range s.Warnings {
		p.Note("note: %s", w.Text)
	}
	if req.Source != "" {
		data := append(append(json.RawMessage{}, s.Items[0].Data...), '\n')
		return p.Content(string(data), s, command.PlainText)
	}
	return p.Record(s, func(out *terminal.Page) {
		t := terminal.NewTable("SOURCE", "FETCHED", "BYTES")
		for _, x := range s.Items {
			t.Row(x.Source, x.Fetched, terminal.Size(int64(x.Bytes)))
		}
		t.Print(out)
		if len(s.Items) == 0 {
			out.Linef("no data for %s", s.Ref)
		}
	}, func(out *terminal.Page) {
		for _, x := range s.Items {
			out.Linef("%s\t%s\t%d", x.Source, x.Fetched, x.Bytes)
		}
	})
}
