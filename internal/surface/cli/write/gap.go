package write

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/gap"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

func newGap(p *command.Program) *cobra.Command {
	return command.Group(&cobra.Command{
		Use:   "gap",
		Short: "Note, approve and resolve what the memory could not answer",
		Long: `A gap is a question that the memory could not answer. Its words are stored in
the memory alone: no page, export, history or log has them, and cairn gap rm
deletes them. With cairn space set NAME gap_hash_only true a space keeps a
SHA-256 of the question instead. A gap is internal: only the memory may be
searched for it. A person may approve that it is asked elsewhere, in a
redacted wording or as it is; the approver and the time are kept.

cairn gaps lists them, and cairn prime says at the start of a session how many
are open.`,
	}, newGapLog(p), newGapNote(p), newGapApprove(p), newGapResolve(p), newGapRemove(p))
}

// oneGap gets a gap and prints it after a line that reports the change.
func oneGap(ctx context.Context, p *command.Program, need command.Access, ask func(*memory.Session) (api.Gap, error), done func(api.Gap) string) error {
	return p.WithApp(ctx, need, func(a *memory.Session) error {
		g, err := ask(a)
		if err != nil {
			return err
		}
		return p.Did(g, func(o *terminal.Page) {
			o.Linef("gap %s of %s: %s", o.Style.Title(strconv.FormatInt(g.ID, 10)), g.Space, done(g))
		}, func(o *terminal.Page) { command.GapBrief(o, g) })
	})
}

// gapID reads the number of a gap.
func gapID(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return 0, kb.Errorf(kb.Usage, "%q is not the number of a gap", text).WithHint("List them with: cairn gaps")
	}
	return n, nil
}

// gapIDs completes the first argument as the number of a gap that is open.
func gapIDs(p *command.Program) command.Completer {
	return func(cmd *cobra.Command, args []string, _ string) (found []string, _ cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		p.Offer(cmd, func(a *memory.Session) error {
			l, err := gap.List(cmd.Context(), a, gap.ListRequest{Limit: command.MaxCompletions})
			for _, g := range l.Items {
				found = append(found, strconv.FormatInt(g.ID, 10))
			}
			return err
		})
		return found, cobra.ShellCompDirectiveNoFileComp
	}
}

func allowSecretFlag(cmd *cobra.Command, rules *[]string) {
	cmd.Flags().StringArrayVar(rules, "allow-secret", nil, "let this `rule` of the secret scan pass")
}

func newGapLog(p *command.Program) *cobra.Command {
	var (
		req   gap.LogRequest
		score float64
	)
	cmd := &cobra.Command{
		Use:   "log QUESTION...",
		Short: "Note a question that the memory did not answer",
		Long: `Note a question that the memory did not answer, or not well. Its words are kept
on this machine, unless the space has gap_hash_only, and so is --context: the
subject and purpose, without private facts. A question that is open already is
counted, ignoring case and spaces, and keeps its first spelling; a new context
replaces the old one.`,
		Example: `  cairn gap log "who negotiated the lease?" --context "drafting the renewal"
  cairn gap log how is the staging cluster deployed`,
		Args:              command.AtLeast(1, "QUESTION"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Question = strings.Join(args, " ")
			if cmd.Flags().Changed("score") {
				req.Score = &score
			}
			return oneGap(cmd.Context(), p, command.Create, func(a *memory.Session) (api.Gap, error) { return gap.Log(cmd.Context(), a, req) },
				func(g api.Gap) string {
					if g.Count > 1 {
						return "noted again, asked " + terminal.Count(g.Count, "time")
					}
					return "noted"
				})
		},
	}
	f := cmd.Flags()
	f.StringVar(&req.Context, "context", "", "what it is about and for, as `text` that may be kept")
	f.Float64Var(&score, "score", 0, "`score` of the best page that was found")
	allowSecretFlag(cmd, &req.AllowSecrets)
	return cmd
}

func newGapNote(p *command.Program) *cobra.Command {
	var req gap.NoteRequest
	cmd := &cobra.Command{
		Use:               "note ID TEXT...",
		Short:             "Record findings about a gap that stays open",
		Long:              `Replace the context of a gap, for example with sources searched in vain.`,
		Example:           `  cairn gap note 3 "not in the memory, nor in the archive; ask Ada"`,
		Args:              command.AtLeast(2, "ID and TEXT"),
		ValidArgsFunction: gapIDs(p),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if req.ID, err = gapID(args[0]); err != nil {
				return err
			}
			req.Context = strings.Join(args[1:], " ")
			return oneGap(cmd.Context(), p, command.Existing, func(a *memory.Session) (api.Gap, error) { return gap.Note(cmd.Context(), a, req) },
				func(api.Gap) string { return "noted" })
		},
	}
	allowSecretFlag(cmd, &req.AllowSecrets)
	return cmd
}

func newGapApprove(p *command.Program) *cobra.Command {
	var req gap.ApproveRequest
	levels := []string{string(kb.GapRedacted), string(kb.GapExternal)}
	cmd := &cobra.Command{
		Use:   "approve ID redacted|external",
		Short: "Allow that the question of a gap is asked elsewhere",
		Long: `Record that a person allowed the question of a gap to be asked outside the
memory: redacted with the words of --redacted, external as it is. The question
itself is not known, so give it with --question; it must be the one that was
noted. The wording is stored, with the approver, the time, and the actor that
passed it on. It replaces an earlier approval.`,
		Example: `  cairn gap approve 3 redacted --redacted "who usually negotiates office leases?" --by Ada
  cairn gap approve 3 external --question "who negotiated the lease?"`,
		Args: command.Need("ID", "redacted or external"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 1 {
				return levels, cobra.ShellCompDirectiveNoFileComp
			}
			return gapIDs(p)(cmd, args, typed)
		},
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if req.ID, err = gapID(args[0]); err != nil {
				return err
			}
			req.Sensitivity = kb.Sensitivity(args[1])
			return oneGap(cmd.Context(), p, command.Existing, func(a *memory.Session) (api.Gap, error) { return gap.Approve(cmd.Context(), a, req) },
				func(g api.Gap) string { return string(g.Sensitivity) + ", approved by " + g.Approver })
		},
	}
	f := cmd.Flags()
	f.StringVar(&req.Question, "question", "", "the `question` as it was asked; needed for external")
	f.StringVar(&req.Redacted, "redacted", "", "the `question` without what must stay here; needed for redacted")
	f.StringVar(&req.Approver, "by", "", "`name` of the approver (default: the actor, unless that is an agent)")
	allowSecretFlag(cmd, &req.AllowSecrets)
	return cmd
}

func newGapResolve(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "resolve ID REF",
		Short: "Say which page answers a gap now",
		Long: `Record that a page answers the question of a gap, which is not open any more.
The page may move. Another page later replaces it.`,
		Example: `  cairn gap resolve 3 offices/lease`,
		Args:    command.Need("ID", "REF"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return gapIDs(p)(cmd, args, typed)
			}
			return p.Refs(2)(cmd, args, typed)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := gapID(args[0])
			if err != nil {
				return err
			}
			return oneGap(cmd.Context(), p, command.Synced, func(a *memory.Session) (api.Gap, error) { return gap.ResolveWith(cmd.Context(), a, id, args[1]) },
				func(g api.Gap) string { return "answered by " + g.Page })
		},
	}
}

func newGapRemove(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "rm ID",
		Short: "Remove a gap",
		Long: `Remove a gap with all that is kept of it, for what should not have been noted.
This cannot be undone.`,
		Example:           `  cairn gap rm 3`,
		Args:              command.Need("ID"),
		ValidArgsFunction: gapIDs(p),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := gapID(args[0])
			if err != nil {
				return err
			}
			return oneGap(cmd.Context(), p, command.Existing, func(a *memory.Session) (api.Gap, error) { return gap.Remove(cmd.Context(), a, id) },
				func(api.Gap) string { return "removed" })
		},
	}
}
