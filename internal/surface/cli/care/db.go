package care

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
	"github.com/cairn-kb/cairn/internal/transfer/exporter"
	"github.com/cairn-kb/cairn/internal/upkeep/backup"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
)

func newDBBackup(p *command.Program) *cobra.Command {
	var seal command.Sealing
	c := &cobra.Command{
		Use:   "backup FILE",
		Short: "Copy the memory to a file",
		Long: `Copy the memory to FILE as it is at one moment, while others go on writing. The
copy is a memory of its own: any command reads it with --db FILE. An existing
file is not replaced.

With --to or --passphrase the copy is encrypted with age: only cairn db restore,
or age itself, reads it. It is made next to the memory first, and removed.`,
		Example: "  cairn db backup ~/backups/memory-2026-03-01.db\n  cairn db backup /mnt/cloud/memory.db.age --to age1qx0qhlq…",
		Args:    command.Need("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			sealed, err := seal.Seal(cmd, p)
			if err != nil {
				return err
			}
			return p.WithApp(cmd.Context(), command.Existing, func(a *memory.Session) error {
				r, err := backup.Sealed(cmd.Context(), a, args[0], sealed)
				if err != nil {
					return err
				}
				return p.Did(r, func(o *terminal.Page) {
					o.Linef("copied %s to %s", r.From, o.Style.Title(r.To))
					if r.Encrypted {
						o.Linef("it is encrypted: keep the identity or the passphrase, nothing else reads it")
					}
				}, func(o *terminal.Page) { o.Linef("%s", r.To) })
			})
		},
	}
	seal.AddFlags(c)
	return c
}

func newDBRestore(p *command.Program) *cobra.Command {
	var (
		dryRun, passphrase bool
		identity           string
	)
	c := &cobra.Command{
		Use:   "restore FILE",
		Short: "Make a backup the memory",
		Long: `Check that FILE is a sound memory, bring it to the present schema, and replace
the memory with it. FILE is unchanged, and the previous memory, which may be
damaged, is kept under a name that is printed. No other process may have the
memory open. An encrypted backup needs --identity or --passphrase.

Documents in directories are not touched. Sync afterwards: they take precedence
over the backup.`,
		Example: "  cairn db restore ~/backups/memory-2026-03-01.db --dry-run\n  cairn db restore ~/backups/memory-2026-03-01.db && cairn sync",
		Args:    command.Need("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := p.PersonOnly("db restore "+safetext.Word(args[0]), "replace the memory"); err != nil {
				return err
			}
			opts, err := p.Options()
			if err != nil {
				return err
			}
			if _, err := p.Format(); err != nil {
				return err
			}
			req := backup.RestoreRequest{File: args[0], DryRun: dryRun}
			if err := command.Conflict(cmd, "identity", "passphrase"); err != nil {
				return err
			}
			if identity != "" {
				req.Unseal.Identity = p.Place().Absolute(identity)
			}
			if passphrase {
				if req.Unseal.Passphrase, err = p.Passphrase(cmd.Context(), "Passphrase:"); err != nil {
					return err
				}
			}
			r, err := backup.Restore(cmd.Context(), opts, req)
			if err != nil {
				return err
			}
			return p.Did(r, func(o *terminal.Page) { restored(o, r) }, func(o *terminal.Page) { o.Linef("%s\t%s", r.Database, r.Kept) })
		},
	}
	c.Flags().BoolVar(&dryRun, "dry-run", false, "check the backup, and change nothing")
	c.Flags().StringVarP(&identity, "identity", "i", "", "the `file` with the identity of age for an encrypted backup")
	c.Flags().BoolVar(&passphrase, "passphrase", false, "ask for the passphrase of an encrypted backup")
	return c
}

func restored(o *terminal.Page, r api.RestoreResult) {
	verb, kept := "restored", "was kept"
	if r.DryRun {
		verb, kept = "would restore", "would be kept"
	}
	o.Linef("%s %s from %s, %s", verb, o.Style.Title(r.Database), r.From, terminal.Size(r.Bytes))
	if r.Kept != "" {
		o.Linef("the memory before %s as %s", kept, r.Kept)
	}
	if !r.DryRun {
		o.Linef("%s", o.Style.Aside("next: cairn sync; documents in directories win over what the backup remembers"))
	}
}

func newDBCopy(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "copy FROM TO",
		Short: "Copy a memory to another database, of any kind",
		Long: `Copy everything in the memory FROM to TO, which must be missing or empty. Each
is a file or a URL such as postgres://host/db?memory=NAME. Others may go on
using FROM: the copy is of one moment. Spaces, documents, history, questions,
settings, models and vectors are copied; interrupted writes are left out.

Texts are copied first, in several transactions, then all else in one: after an
error TO has no spaces, and the same command goes on with the texts that TO
lacks. Then both are read again and compared, page by page and version by
version. The answer has the SHA-256 of both; that of pages is the one of
cairn db dump --receipt.`,
		Example: "  cairn db copy \"$(cairn db path)\" 'postgres://ada@db.example.org/kb?memory=team'\n  cairn db copy 'postgres:///kb?memory=team' team.db",
		Args:    command.Need("FROM", "TO"),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts, err := p.Options()
			if err != nil {
				return err
			}
			r, err := backup.Copy(cmd.Context(), opts, args[0], args[1])
			if err != nil {
				return err
			}
			return p.Did(r, func(o *terminal.Page) {
				o.Linef("copied %s to %s: %d pages in %d spaces", r.From, o.Style.Title(r.To), r.Pages, r.Spaces)
				if r.Resumed > 0 {
					o.Linef("%s", o.Style.Aside(fmt.Sprintf("resumed: an interrupted copy had left %d texts", r.Resumed)))
				}
				o.Linef("%s", o.Style.Aside("both have the same pages and history"))
			}, func(o *terminal.Page) { o.Linef("%s\t%d\t%s", r.To, r.Pages, r.Dump) })
		},
	}
}

func newDBCompact(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "compact",
		Short: "Make the memory one small file, for transport",
		Long: `Merge the full-text index, give unused space back and fold the log into the
database, so that one file is the whole memory. Waits for others who write.

While somebody reads, a part of it stays in the log next to the file for that
reader. The answer has its size. It is folded in by the next db compact, or when
the last program that has the memory open ends.`,
		Example: "  cairn db compact && scp \"$(cairn db path)\" laptop:",
		Args:    command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.WithApp(cmd.Context(), command.Existing, func(a *memory.Session) error {
				r, err := backup.Compact(cmd.Context(), a)
				if err != nil {
					return err
				}
				return p.Did(r, func(o *terminal.Page) {
					o.Linef("compacted %s from %s to %s", o.Style.Title(r.Path), terminal.Size(r.Before), terminal.Size(r.After))
					if r.Left > 0 {
						o.Linef("%s are in %s still, since others are reading: do it again when they have ended, before you copy the file", terminal.Size(r.Left), r.Path+"-wal")
					}
				}, func(o *terminal.Page) { o.Linef("%s\t%d\t%d", r.Path, r.Before, r.After) })
			})
		},
	}
}

func newDBValidate(p *command.Program) *cobra.Command {
	var (
		files              bool
		part               struct{ links, assertions, embeddings bool }
		original, exported string
	)
	cmd := &cobra.Command{
		Use:   "validate",
		Short: "Read the whole memory and check it against itself",
		Long: `Check the database's structure and references, the hash of every stored text,
unfinished writes, the vectors of passages, and that the index, its full text
and its links match each document, in all spaces or that of --space. Reads
everything: a few seconds for eight thousand notes. With --all it also reads
the files of directory spaces, and reports those that are not indexed as they
are; and it looks for relations that hold twice at a time or end before they
begin, and assertions that are repeated, or supersede a missing or an open one.
With --links, --assertions or --embeddings it checks these alone, in the index,
and names directories with unindexed changes. --embeddings checks that one
model is active, that its vectors are of the passages that pages hold, and that
the vectors of all models are whole.

With --original and --exported it compares two directories instead: the same
pages, keys and values of metadata, truth and timeline entries.

Exits with 1 when something is wrong, with a remedy. Documents on disk are only
read.`,
		Example: "  cairn db validate\n  cairn db validate --all\n  cairn db validate --db backup.db --json",
		Args:    command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if original != "" || exported != "" {
				if p.Flags.Space != "" {
					return command.UsageError(cmd, "--original and --exported compare directories: leave out --space")
				}
				if original == "" || exported == "" {
					return command.UsageError(cmd, "--original needs --exported, and --exported needs --original")
				}
				return compared(cmd, p, original, exported)
			}
			return p.WithApp(cmd.Context(), command.Existing, func(a *memory.Session) error {
				var asked doctor.Question
				for _, f := range []struct {
					set  bool
					asks doctor.Question
				}{{part.links, doctor.Links}, {part.assertions, doctor.Assertions}, {part.embeddings, doctor.Embeddings}} {
					if f.set {
						asked |= f.asks
					}
				}
				switch {
				case files && asked != 0:
					return command.UsageError(cmd, "--all checks all that --links, --assertions and --embeddings do: leave them out")
				case files:
					asked = doctor.Stored | doctor.Files
				case asked == 0:
					asked = doctor.Stored
				}
				all, err := doctor.ValidatePart(cmd.Context(), a, asked, p.Flags.Space)
				if err != nil {
					return err
				}
				return command.ReportChecks(p, all)
			})
		},
	}
	cmd.Flags().BoolVar(&files, "all", false, "also read the files of directory spaces, and check relations and assertions")
	cmd.Flags().BoolVar(&part.assertions, "assertions", false, "check only assertions")
	cmd.Flags().BoolVar(&part.links, "links", false, "check only the dates of relations")
	cmd.Flags().BoolVar(&part.embeddings, "embeddings", false, "check only the embedding model and its vectors")
	cmd.Flags().StringVar(&original, "original", "", "compare the documents of this `directory` with those of --exported")
	cmd.Flags().StringVar(&exported, "exported", "", "the `directory` of an export")
	return cmd
}

// compared compares two directories of documents.
func compared(cmd *cobra.Command, p *command.Program, original, exported string) error {
	return p.WithApp(cmd.Context(), command.Create, func(a *memory.Session) error {
		r, err := exporter.Compare(cmd.Context(), a, p.Place().Absolute(original), p.Place().Absolute(exported))
		if err != nil {
			return err
		}
		c := api.Check{Name: "export", State: "ok", Reason: fmt.Sprintf("it has the same content as the original: %s", terminal.Count(r.Pages, "page"))}
		checks := []api.Check{c}
		if len(r.Differences) > 0 {
			checks = nil
		}
		for _, d := range r.Differences {
			checks = append(checks, api.Check{Name: d.Path, State: "error", Reason: d.What})
		}
		return command.ReportChecks(p, checks)
	})
}

// newValidate is db validate by the name that other programs have for it.
func newValidate(p *command.Program) *cobra.Command {
	c := newDBValidate(p)
	c.Hidden = true
	return c
}

func newDB(p *command.Program) *cobra.Command {
	return command.Group(&cobra.Command{
		Use:   "db",
		Short: "The database: where it is, copies, checks, contents",
		Long: `Print where the memory's database is or everything that it holds, copy it,
restore a copy, make it small, and check it.`,
	}, newDBPath(p), newDBBackup(p), newDBRestore(p), newDBCopy(p), newDBCompact(p), newDBPrune(p), newDBValidate(p), newDBDump(p))
}

func newDBPath(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:     "path",
		Short:   "Print the path of the database",
		Long:    `Print the path of the database that commands here use, whether or not it exists.`,
		Example: "  cairn db path\n  ls -l \"$(cairn db path)\"",
		Args:    command.Need(),
		RunE: func(*cobra.Command, []string) error {
			path, err := space.DatabasePath(p.Place())
			if err != nil {
				return err
			}
			return p.Content(path+"\n", struct {
				Database string `json:"database"`
			}{path}, command.PlainText)
		},
	}
}

func newDBDump(p *command.Program) *cobra.Command {
	var receipt bool
	cmd := &cobra.Command{
		Use:   "dump",
		Short: "Print everything in the memory as lines of JSON",
		Long: `Print every page with its links, tags, observations and timeline in a fixed
order, a JSON value on each line. Two memories that hold the same knowledge
print the same, and have the same receipt: the number of pages and the SHA-256
of the output. Times of files are left out: the update time of a page is printed
only if it is in its document.`,
		Example: `  cairn db dump > memory.jsonl
  cairn db dump --receipt
  diff <(cairn db dump --db a.db) <(cairn db dump --db b.db)`,
		Args: command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.WithApp(cmd.Context(), command.Existing, func(a *memory.Session) error {
				if !receipt {
					_, err := doctor.Dump(cmd.Context(), a, dumpWriter{p})
					return err
				}
				r, err := doctor.Dump(cmd.Context(), a, io.Discard)
				if err != nil {
					return err
				}
				text := fmt.Sprintf("%s  %s", r.SHA256, terminal.Count(r.Pages, "page"))
				return p.Record(r, func(o *terminal.Page) { o.Linef("%s", text) }, func(o *terminal.Page) { o.Linef("%s", text) })
			})
		},
	}
	cmd.Flags().BoolVar(&receipt, "receipt", false, "print the receipt alone")
	return cmd
}

// dumpWriter writes JSON lines so that a terminal cannot be moved by them.
type dumpWriter struct{ p *command.Program }

func (w dumpWriter) Write(text []byte) (int, error) {
	out := text
	if w.p.Env.StdoutTTY {
		out = terminal.Escape(text)
	}
	return len(text), w.p.Write(out)
}
