package spaces

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
	"github.com/cairn-kb/cairn/internal/transfer/exporter"
	"github.com/cairn-kb/cairn/internal/transfer/importer"
	"github.com/cairn-kb/cairn/internal/upkeep/backup"
)

func newImport(p *command.Program) *cobra.Command {
	var (
		req    importer.ExportRequest
		detect bool
	)
	cmd := &cobra.Command{
		Use:   "import [PROGRAM] PATH",
		Short: "Bring a directory, or the knowledge of another program, into the memory",
		Long: `Bring the knowledge of another program into the memory, in one write that cairn
undo reverts. Existing data stays, so that an import can be repeated. The
receipt counts every item, and lists losses.

PATH is an archive, a directory or a file that PROGRAM exported. Without PROGRAM
the format of the file is detected; --detect prints it. Programs:

` + programs() + `

A directory without PROGRAM is one of documents: they are copied into the space
--into, which is kept in the memory, byte for byte, with their sidecars in .raw.
README.md, index.md and schema.md at the top are not pages; their bytes are kept
with the import, like those of all files and attachments: cairn imports lists
imports, and cairn export --raw writes one out again. A repeated import of a
directory updates a page to its file, unless it was changed here. A directory of
notes that is to stay where it is needs no import: cairn space add DIR.`,
		Example: `  cairn import --detect export.zip
  cairn import notion export.zip --into notes --dry-run
  cairn import ~/notes --into notes`,
		Args: command.Need("PATH", "[PROGRAM]"), // counted only: the program comes first
		RunE: func(cmd *cobra.Command, args []string) error {
			req.File, req.Program = p.Place().Absolute(args[len(args)-1]), ""
			if len(args) == 2 {
				if !slices.Contains(programNames(), args[0]) {
					return command.UsageError(cmd, "no program %s (want %s)", args[0], strings.Join(programNames(), ", "))
				}
				req.Program = importer.Program(args[0])
			}
			if detect {
				return printDetected(cmd.Context(), p, req.File)
			}
			if info, err := os.Stat(req.File); req.Program == "" && (err != nil || !info.IsDir()) {
				if req.Program, err = importer.ProgramOf(cmd.Context(), req.File); err != nil {
					return err
				}
			}
			if req.Program != "" {
				return importExport(cmd, p, req)
			}
			if req.Into == "" {
				return command.UsageError(cmd, "a directory is imported into a space, which --into names; cairn space add attaches one")
			}
			return p.WithApp(cmd.Context(), command.Create, func(a *memory.Session) error {
				r, err := importer.ImportDirectory(cmd.Context(), a, req)
				if err != nil {
					return err
				}
				return printReceipt(p, r)
			})
		},
	}
	cmd.Flags().BoolVar(&detect, "detect", false, "print what PATH is; import nothing")
	cmd.Flags().StringArrayVar(&req.AllowSecrets, "allow-secret", nil, "do not mask what this `rule` of the secret scan finds")
	importFlags(cmd, &req)
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
documents a page in the same folder.`,
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
Thursdays", its relations links of their types. An existing page of that
name gets the missing parts.`,
			"  cairn import memory-json ~/memory.json --into people"),
		newImportExport(p, "quaid FILE", "Import the memory of quaid", `Import a database of quaid, of any version: each collection as the space of its
name, and each namespace as a separate space; --into names the first. Pages
keep the bytes of their files if these match the database. Links that the texts
lack become relations; entries, tags, data, assertions, questions and
resolutions are imported, too. The file is only read, and quaid can continue to
use it.`,
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
session; links as relations; mappings, and the thresholds of config.json. A
node's id is an alias of its page: cairn get kt-a1b2.

A project with a namespace in its .kt/config is mapped to its space when this
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
			return p.WithApp(cmd.Context(), command.Create, func(a *memory.Session) error {
				r, err := importer.ImportKT(cmd.Context(), a, importer.Request{WriteOptions: opts, File: file})
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
	req := importer.ExportRequest{Program: "basic-memory"}
	cmd := &cobra.Command{
		Use:   "basic-memory [DIR|FILE]",
		Short: "Add the projects of Basic Memory as spaces",
		Long: `Add the projects of Basic Memory as spaces: those that config.json in
~/.basic-memory or in DIR names, or FILE, which is a config.json or a memory.db,
or the directory of notes that DIR is. Notes stay where and as they are; cairn
space rm takes a space back. The default project becomes the default space where
there is none.`,
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

// programNames are the names of the readers of notes.
func programNames() (names []string) {
	for _, s := range importer.Sources() {
		names = append(names, string(s.Program))
	}
	return names
}

// programs lists what each reader takes, for help.
func programs() string {
	var lines []string
	for _, s := range importer.Sources() {
		lines = append(lines, fmt.Sprintf("  %-12s %s", s.Program, s.Takes))
	}
	return strings.Join(lines, "\n")
}

func printDetected(ctx context.Context, p *command.Program, file string) error {
	found, err := importer.Detect(ctx, file)
	if err != nil {
		return err
	}
	found.Command = "cairn import "
	if found.Program != "" {
		found.Command += string(found.Program) + " "
	}
	found.Command += safetext.Word(found.File)
	if found.Program == "" {
		found.Command += " --into NAME"
	}
	return p.Record(found, func(o *terminal.Page) {
		o.Linef("%s", found.What)
		if found.Notes > 0 {
			o.Linef("%s", terminal.Count(found.Notes, "note"))
		}
		o.Linef("%s", found.Command)
	}, func(o *terminal.Page) { o.Linef("%s\t%d\t%s", found.Program, found.Notes, found.Command) })
}

// importExport imports and prints the receipt.
func importExport(cmd *cobra.Command, p *command.Program, req importer.ExportRequest) error {
	return p.WithApp(cmd.Context(), command.Create, func(a *memory.Session) error {
		r, err := importer.ImportExport(cmd.Context(), a, req)
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
	var req importer.ExportRequest
	program := strings.TrimSuffix(use, " FILE")
	req.Program = importer.Program(program)
	cmd := &cobra.Command{
		Use:   use[strings.LastIndex(program, " ")+1:],
		Short: short,
		Long: long + `

Credentials are masked, and listed in the receipt. A repeated import adds new
data.`,
		Example: example,
		Args:    command.Need("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.File = p.Place().Absolute(args[0])
			return importExport(cmd, p, req)
		},
	}
	importFlags(cmd, &req)
	cmd.Flags().StringArrayVar(&req.AllowSecrets, "allow-secret", nil, "do not mask what this `rule` of the secret scan finds")
	return cmd
}

// importFlags are the flags of every import into a space.
func importFlags(cmd *cobra.Command, req *importer.ExportRequest) {
	f := cmd.Flags()
	f.StringVar(&req.Into, "into", "", "the `space`, made in the memory where there is none; otherwise the current one")
	f.StringVar(&req.Folder, "folder", "", "the `folder` in it")
	f.BoolVar(&req.DryRun, "dry-run", false, "count what would be imported; write nothing")
	f.StringVarP(&req.Message, "message", "m", "", "`why`, for the history")
}

func newImports(p *command.Program) *cobra.Command {
	var limit, offset int
	cmd := &cobra.Command{
		Use:   "imports",
		Short: "List imports and ingests, with the ids of their bytes",
		Long: `List imports and ingests, the newest first. The memory keeps the original bytes
of each: cairn export --raw --import-id ID --dir DIR writes them out.`,
		Example: `  cairn imports
  cairn imports --limit 0 --json
  cairn export --raw --import-id 20261124T091500Z-1a2b3c4d --dir out`,
		Args: command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.WithApp(cmd.Context(), command.Existing, func(a *memory.Session) error {
				r, err := importer.Imports(cmd.Context(), a, limit, offset)
				if err != nil {
					return err
				}
				return p.Record(r, func(o *terminal.Page) {
					t := terminal.NewTable("ID", "SPACE", "KIND", "ITEMS", "FROM")
					for _, b := range r.Items {
						t.Row(b.ID, b.Space, b.Kind, b.Items, b.Source)
					}
					t.Print(o)
					if len(r.Items) == 0 {
						o.Linef("no imports")
					}
				}, func(o *terminal.Page) {
					for _, b := range r.Items {
						o.Linef("%s\t%s\t%s\t%d\t%s", b.ID, b.Space, b.Kind, b.Items, b.Source)
					}
				})
			})
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 50, "how many at most; 0 for all")
	cmd.Flags().IntVar(&offset, "offset", 0, "leave out the first so many")
	return cmd
}

func newExport(p *command.Program) *cobra.Command {
	req := exporter.Request{}
	var seal command.Sealing
	cmd := &cobra.Command{
		Use:   "export [DIR]",
		Short: "Write the documents of a space into a directory",
		Long: `Write the documents of a space into a directory, byte for byte, with their
sidecars in .raw, and index.md, a list of all pages by type. Only you can read
the directory and the files. An existing file with other bytes is never
overwritten: then nothing is written. DIR is not in the exported space, where
the copies would become pages of it.

--normalise writes Markdown in one form: UTF-8 and LF, with one blank line
between metadata, truth, line and timeline. --raw writes the original bytes of
one import, regardless of later changes to the pages.

With --to or --passphrase DIR is a new file instead: a tar archive, encrypted
with age. age -d reads it, and tar -x unpacks it.`,
		Example: `  cairn export ~/out
  cairn export ~/out --normalise
  cairn export ~/out --raw --import-id 20261124T091500Z-1a2b3c4d`,
		Args: command.Need("[DIR]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			asked := req
			if len(args) > 0 {
				if cmd.Flags().Changed("dir") {
					return command.UsageError(cmd, "the directory is given twice: as DIR and with --dir")
				}
				asked.Dir = args[0]
			}
			asked.Dir = p.Place().Absolute(asked.Dir)
			if err := command.Conflict(cmd, "raw", "normalise"); err != nil {
				return err
			}
			sealed, err := seal.Seal(cmd, p)
			if err != nil {
				return err
			}
			if sealed.Seals() {
				return exportSealed(cmd.Context(), p, asked, sealed)
			}
			return p.WithFresh(cmd.Context(), false, func(a *memory.Session) error {
				r, err := exporter.ExportDirectory(cmd.Context(), a, asked)
				if err != nil {
					return err
				}
				return p.Did(r, func(o *terminal.Page) {
					o.Linef("exported %s of %s to %s", terminal.Count(r.Documents, "document"), o.Style.Title(r.Space), r.Dir)
				}, func(o *terminal.Page) { o.Linef("%s\t%d\t%d\t%d", r.Dir, r.Documents, r.Sidecars, r.Same) })
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&req.Dir, "dir", "export", "the `directory`, as DIR names it; it is made where there is none")
	f.BoolVar(&req.Normalise, "normalise", false, "write each document in the same form")
	f.BoolVar(&req.Raw, "raw", false, "write the bytes of an import as it read them")
	f.StringVar(&req.Import, "import-id", "", "with --raw: the `id` of the import")
	seal.AddFlags(cmd)
	return cmd
}

// exportSealed exports into one encrypted file.
func exportSealed(ctx context.Context, p *command.Program, asked exporter.Request, seal backup.Seal) error {
	to := asked.Dir
	if err := p.MayWrite(ctx, "export "+to, to); err != nil {
		return err
	}
	return p.WithFresh(ctx, false, func(a *memory.Session) error {
		var r exporter.Result
		err := seal.Archive(to, func(put func(string, []byte) error) (err error) {
			asked.Put = put
			r, err = exporter.ExportDirectory(ctx, a, asked)
			return err
		})
		if err != nil {
			return err
		}
		return p.Did(r, func(o *terminal.Page) {
			o.Linef("exported %s of %s, encrypted, to %s", terminal.Count(r.Documents, "document"), o.Style.Title(r.Space), to)
		}, func(o *terminal.Page) { o.Linef("%s\t%d\t%d", to, r.Documents, r.Sidecars) })
	})
}

// databaseOfKT returns the file given, or kt's default.
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
		return "", kb.Errorf(kb.NotFound, "no database of kt at %s", file).WithHint("Name the directory or the file: cairn import kt DIR")
	}
	return file, nil
}

func printReceipt(p *command.Program, r importer.Receipt) error {
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
