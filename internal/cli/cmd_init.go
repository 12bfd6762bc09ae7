package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/config"
	"github.com/cairn-kb/cairn/internal/terminal"
)

// memoryInfo is what init answers.
type memoryInfo struct {
	Database string `json:"database"`
	Created  bool   `json:"created"`
}

func newInit(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "init",
		Short: "Make the memory",
		Long: `Create the memory's database, readable by you alone. An existing memory stays
as it is. You rarely need this: any command that writes creates the memory.`,
		Example: "  cairn init\n  cairn init --db ~/work/memory.db",
		Args:    need(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return runInit(cmd.Context(), p) },
	}
}

func runInit(ctx context.Context, p *program) error {
	path, err := config.DatabasePath(p.place())
	if err != nil {
		return err
	}
	there, err := app.MemoryExists(ctx, p.place())
	if err != nil {
		return err
	}
	info := memoryInfo{Database: path, Created: !there}
	return p.withApp(ctx, create, func(*app.App) error {
		return p.did(info, func(o *terminal.Page) {
			verb := "there is a memory at"
			if info.Created {
				verb = "made a memory at"
			}
			o.Linef("%s %s", verb, o.Style.Title(path))
			o.Linef("%s", o.Style.Aside("next: cairn space add DIR"))
		}, func(o *terminal.Page) { o.Linef("%s", path) })
	})
}

// reportChecks prints checks, and fails when one of them found an error.
func reportChecks(p *program, all []app.Check) error {
	err := p.record(whole(all), func(o *terminal.Page) { checks(o, all) }, func(o *terminal.Page) {
		for _, c := range all {
			o.Linef("%s\t%s\t%s", c.Name, c.State, c.Reason)
		}
	})
	if err != nil {
		return err
	}
	for _, c := range all {
		if c.State == "error" {
			return errProblems
		}
	}
	return nil
}

func checks(o *terminal.Page, all []app.Check) {
	for _, c := range all {
		state := o.Style.Good(c.State)
		switch c.State {
		case "warning":
			state = o.Style.Warn(c.State)
		case "error":
			state = o.Style.Bad(c.State)
		}
		o.Textf(0, "%s  %s: %s", state, o.Style.Title(c.Name), c.Reason)
		for _, item := range c.Items {
			o.Textf(4, "%s", item)
		}
		if c.Remedy != "" {
			o.Textf(4, "%s", o.Style.Aside(c.Remedy))
		}
	}
}

func newDB(p *program) *cobra.Command {
	return group(&cobra.Command{
		Use:   "db",
		Short: "The database: where it is, copies, checks, contents",
		Long: `Print where the memory's database is or everything that it holds, copy it,
restore a copy, make it small, and check it.`,
	}, newDBPath(p), newDBBackup(p), newDBRestore(p), newDBCompact(p), newDBPrune(p), newDBValidate(p), newDBDump(p))
}

func newDBPath(p *program) *cobra.Command {
	return &cobra.Command{
		Use:     "path",
		Short:   "Print the path of the database",
		Long:    `Print the path of the database that commands here use, whether or not it exists.`,
		Example: "  cairn db path\n  ls -l \"$(cairn db path)\"",
		Args:    need(),
		RunE: func(*cobra.Command, []string) error {
			path, err := config.DatabasePath(p.place())
			if err != nil {
				return err
			}
			return p.content([]byte(path+"\n"), struct {
				Database string `json:"database"`
			}{path}, plainText)
		},
	}
}

// plainText shows content without colours.
func plainText(o *terminal.Page, s string) { o.WriteString(cleanText(s)) }

func newDBDump(p *program) *cobra.Command {
	var receipt bool
	cmd := &cobra.Command{
		Use:   "dump",
		Short: "Print everything in the memory as lines of JSON",
		Long: `Print every page with its links, tags, observations and timeline in a fixed
order, a JSON value on each line. Two memories that hold the same knowledge
print the same, and have the same receipt: the number of pages and the SHA-256
of what is printed. Times of files are left out: when a page was updated stands
there only if its document says it.`,
		Example: `  cairn db dump > memory.jsonl
  cairn db dump --receipt
  diff <(cairn db dump --db a.db) <(cairn db dump --db b.db)`,
		Args: need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withApp(cmd.Context(), existing, func(a *app.App) error {
				if !receipt {
					_, err := a.Upkeep().Dump(cmd.Context(), dumpWriter{p})
					return err
				}
				r, err := a.Upkeep().Dump(cmd.Context(), io.Discard)
				if err != nil {
					return err
				}
				text := fmt.Sprintf("%s  %s", r.SHA256, terminal.Count(r.Pages, "page"))
				return p.record(r, func(o *terminal.Page) { o.Linef("%s", text) }, func(o *terminal.Page) { o.Linef("%s", text) })
			})
		},
	}
	cmd.Flags().BoolVar(&receipt, "receipt", false, "print the receipt alone")
	return cmd
}

// dumpWriter writes JSON lines so that a terminal cannot be moved by them.
type dumpWriter struct{ p *program }

func (w dumpWriter) Write(text []byte) (int, error) {
	out := text
	if w.p.env.StdoutTTY {
		out = terminal.Escape(text)
	}
	return len(text), w.p.write(out)
}
