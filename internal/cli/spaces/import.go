package spaces

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/cli/command"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/terminal"
)

func newImport(p *command.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import",
		Short: "Bring the knowledge of another program into the memory",
		Long: `Bring the knowledge of another program into the memory, in one write that
cairn undo takes back. What is there already stays as it is, so that an import
can be repeated. The receipt counts every piece, and says what was lost.

A directory of notes needs no import: cairn space add DIR.`,
		Args: command.Need(),
	}
	claude := newImportClaude()
	claude.AddCommand(
		newImportExport(p, "claude conversations FILE", "Import the conversations of Claude", `Import the conversations of an export of Claude: the ZIP archive, the
directory that it was unpacked to, or conversations.json. Each becomes a page
with the dates of the conversation and its uuid as an alias; messages become
sections, with the text of attachments and with calls of tools. Those on other
branches follow at the end.`,
			"  cairn import claude conversations data-2026-11-24.zip --into claude --dry-run"),
		newImportExport(p, "claude projects FILE", "Import the projects of Claude", `Import the projects of an export of Claude: the ZIP archive, the directory
that it was unpacked to, or projects.json. Each becomes a page with its
description and instructions, in a folder of its own, and each of its
documents a page beside it.`,
			"  cairn import claude projects data-2026-11-24.zip --folder projects"),
	)
	cmd.AddCommand(newImportKT(p), newImportBasicMemory(p), claude,
		newImportExport(p, "chatgpt FILE", "Import the conversations of ChatGPT", `Import the conversations of an export of ChatGPT: the ZIP archive, the
directory that it was unpacked to, or conversations.json. Each becomes a page
with the dates of the conversation and its id as an alias; messages become
sections: those of the branch that ChatGPT shows, then the others.`,
			"  cairn import chatgpt export.zip --into chatgpt"),
		newImportExport(p, "memory-json FILE", "Import the file of MCP's memory server", `Import memory.json, the file of MCP's memory server: each entity becomes the
page of its name, its observations items such as "- [note] Fires on
Thursdays", its relations links of their types. A page of that name that is
there gets what it lacks.`,
			"  cairn import memory-json ~/memory.json --into people"),
		newImportExport(p, "quaid FILE", "Import the memory of quaid", `Import a database of quaid, of any version: each collection as the space of its
name, and each namespace as a space beside it; --into names the first. Pages
keep the bytes of the files that they came from where these say what the
database says. Links that the texts lack become relations; entries, tags, data,
assertions, questions and what was resolved come along. The file is only read,
and quaid may go on using it.`,
			"  cairn import quaid ~/.quaid/memory.db --dry-run"),
	)
	return cmd
}

func newImportKT(p *command.Program) *cobra.Command {
	var w command.Writing
	cmd := &cobra.Command{
		Use:   "kt [DIR|FILE]",
		Short: "Import the knowledge of kt",
		Long: `Import the database of kt, kt.db in ~/.kt or in DIR: each namespace as the space
of its name, in the memory; each node as a page with its status, dates, tags and
session; links with what they say as relations; mappings, and the thresholds of
config.json. A node's id is an alias of its page: cairn get kt-a1b2.

A project whose .kt/config names a namespace is mapped to its space when this
runs in its directory.`,
		Example: `  cairn import kt --dry-run
  cairn import kt ~/.kt`,
		Args: command.Need("[DIR|FILE]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts, err := w.Options(cmd)
			if err != nil {
				return err
			}
			file, err := databaseOfKT(p, args)
			if err != nil {
				return err
			}
			return p.WithApp(cmd.Context(), command.Create, func(a *app.App) error {
				r, err := a.Transfers().ImportKT(cmd.Context(), app.ImportRequest{WriteOptions: opts, File: file})
				if err != nil {
					return err
				}
				return printReceipt(p, r)
			})
		},
	}
	w.AddFlags(cmd)
	return cmd
}

func newImportBasicMemory(p *command.Program) *cobra.Command {
	req := app.ExportRequest{Program: "basic-memory"}
	cmd := &cobra.Command{
		Use:   "basic-memory [DIR|FILE]",
		Short: "Add the projects of Basic Memory as spaces",
		Long: `Add the projects of Basic Memory as spaces: those that config.json in
~/.basic-memory or in DIR names, or the directory of notes that DIR is. Notes
stay where they are and as they are; cairn space rm takes a space back. The
default project becomes the default space where there is none.`,
		Example: `  cairn import basic-memory --dry-run
  cairn import basic-memory ~/notes`,
		Args: command.Need("[DIR|FILE]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.File = filepath.Join(p.Env.Home, ".basic-memory")
			if len(args) > 0 {
				req.File = p.Place().Absolute(args[0])
			}
			return importExport(cmd, p, req)
		},
	}
	cmd.Flags().BoolVar(&req.DryRun, "dry-run", false, "say which spaces would be added; add none")
	return cmd
}

// importExport imports and prints the receipt.
func importExport(cmd *cobra.Command, p *command.Program, req app.ExportRequest) error {
	return p.WithApp(cmd.Context(), command.Create, func(a *app.App) error {
		r, err := a.Transfers().ImportExport(cmd.Context(), req)
		if err != nil {
			return err
		}
		return printReceipt(p, r)
	})
}

func newImportClaude() *cobra.Command {
	return &cobra.Command{
		Use:   "claude",
		Short: "Import conversations or projects of Claude",
		Long: `Import what an export of Claude holds. Claude sends one by mail: Settings,
Privacy, Export data.`,
		Args: command.Need(),
	}
}

// newImportExport is the command that imports the export of a program, which use begins
// with.
func newImportExport(p *command.Program, use, short, long, example string) *cobra.Command {
	var req app.ExportRequest
	program := strings.TrimSuffix(use, " FILE")
	req.Program = app.ExportOf(program)
	cmd := &cobra.Command{
		Use:   use[strings.LastIndex(program, " ")+1:],
		Short: short,
		Long: long + `

Credentials are masked, and listed in the receipt. Once more, the import adds
what is new since.`,
		Example: example,
		Args:    command.Need("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.File = p.Place().Absolute(args[0])
			return importExport(cmd, p, req)
		},
	}
	f := cmd.Flags()
	f.StringVar(&req.Into, "into", "", "the `space`, made in the memory where there is none; otherwise the current one")
	f.StringVar(&req.Folder, "folder", "", "the `folder` in it")
	f.BoolVar(&req.DryRun, "dry-run", false, "count what would be imported; write nothing")
	f.StringVarP(&req.Message, "message", "m", "", "`why`, for the history")
	f.StringArrayVar(&req.AllowSecrets, "allow-secret", nil, "do not mask what this `rule` of the secret scan finds")
	return cmd
}

// databaseOfKT is the file that is meant.
func databaseOfKT(p *command.Program, args []string) (string, error) {
	file := filepath.Join(p.Env.Home, ".kt")
	if len(args) > 0 {
		file = p.Place().Absolute(args[0])
	}
	info, err := os.Stat(file)
	if err == nil && info.IsDir() {
		file = filepath.Join(file, "kt.db")
		_, err = os.Stat(file)
	}
	if err != nil {
		return "", kb.Errorf(kb.NotFound, "there is no database of kt at %s", file).WithHint("Name the directory or the file: cairn import kt DIR")
	}
	return file, nil
}

func printReceipt(p *command.Program, r app.ImportReceipt) error {
	return p.Record(r, func(o *terminal.Page) {
		t := terminal.NewTable("WHAT", "TOTAL", "BROUGHT", "THERE", "LEFT OUT")
		for _, c := range r.Counts {
			t.Row(c.Kind, c.Total, c.Brought, c.There, c.LeftOut)
		}
		t.Print(o)
		for _, l := range r.Lost {
			o.Textf(0, "%s  %s: %s", o.Style.Warn("lost"), l.What, l.Reason)
		}
	}, func(o *terminal.Page) {
		for _, c := range r.Counts {
			o.Linef("%s\t%d\t%d\t%d\t%d", c.Kind, c.Total, c.Brought, c.There, c.LeftOut)
		}
		for _, l := range r.Lost {
			o.Linef("lost\t%s\t%s", l.What, l.Reason)
		}
	})
}
