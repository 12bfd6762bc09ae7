package cli

import (
	"context"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/setup"
	"github.com/cairn-kb/cairn/internal/terminal"
)

type setupOptions struct {
	req    setup.Request
	scope  string
	dryRun bool
}

func newSetup(p *program) *cobra.Command {
	var o setupOptions
	cmd := &cobra.Command{
		Use:   "setup [CLIENT]",
		Short: "Set up an agent's client to use the memory",
		Long: `Write cairn into the configuration of a client: the MCP server, the hook that
runs cairn prime when a session starts where the client has such hooks, a few
lines of instructions, and the skills. Without CLIENT, list the clients, and
which of them are there and set up.

Clients are claude-code, claude-desktop, codex, cursor, gemini, opencode,
vscode, windsurf and zed. For any other, generic prints the entry that most
take, and writes nothing.

Clients run cairn by its name, which the PATH must find. Programs with windows
are often started with a PATH of their own: those of the scope user get the path
of this cairn. --command says otherwise, also of what was set up before.

What is in the files stays as it is, comments and order with it. Before the
first change a file is copied to one beside it that ends in .cairn-backup. A
second run changes nothing; --remove takes out what was put in. What somebody
else wrote, or changed, both leave alone, and say so.`,
		Example: `  cairn setup
  cairn setup claude-code --dry-run
  cairn setup claude-code
  cairn setup cursor --scope project
  cairn setup codex --remove`,
		Args: need("[CLIENT]"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return setup.Names(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return p.listClients(cmd)
			}
			o.req.Client, o.req.Scope = args[0], setup.Scope(o.scope)
			return runSetup(cmd.Context(), p, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.scope, "scope", string(setup.User), "set up for this `scope`: user, or project for the working directory")
	f.StringVar(&o.req.Command, "command", "", "have clients run this `path` (default: cairn, or where it is; see above)")
	f.BoolVar(&o.req.Remove, "remove", false, "take cairn out of the configuration")
	f.BoolVar(&o.dryRun, "dry-run", false, "change nothing; print what would change as a unified diff")
	complete(cmd, "scope", cobra.FixedCompletions([]string{"user", "project"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (p *program) setupPlace() setup.Place {
	return setup.Place{OS: runtime.GOOS, Home: p.env.Home, Dir: p.env.Dir, Own: p.ownConfig(), Binary: p.binary(), Env: p.env.Getenv}
}

// binary returns where cairn is: as the PATH finds it, since that path may
// outlive an update where the file itself does not, else the file that runs.
func (p *program) binary() string {
	found, err := exec.LookPath("cairn")
	if err == nil && filepath.IsAbs(found) && fsys.SameFile(found, p.env.Program) {
		return found
	}
	return p.env.Program
}

// setUp is what setup prints.
type setUp struct {
	*setup.Plan
	DryRun bool `json:"dry_run,omitempty"`
}

func runSetup(ctx context.Context, p *program, o setupOptions) error {
	if o.req.Client == setup.Generic {
		if o.req.Remove {
			return kb.Errorf(kb.Usage, "generic writes nothing, so there is nothing to remove")
		}
		return p.write([]byte(setup.Snippet))
	}
	plan, err := p.setupPlace().Plan(ctx, o.req)
	if err != nil {
		return err
	}
	if o.dryRun {
		return p.wouldChange(plan.Changes, setUp{plan, true})
	}
	if err := plan.Apply(ctx); err != nil {
		return err
	}
	return p.changedFiles(plan.Changes, plan.Next, setUp{plan, false})
}

// wouldChange prints the differences that changes would make.
func (p *program) wouldChange(changes []setup.Change, value any) error {
	var text []byte
	for _, ch := range changes {
		text = append(text, ch.Diff...)
		if ch.Note != "" {
			p.note("%s: %s", ch.Path, ch.Note)
		}
	}
	if len(text) == 0 {
		p.note("nothing would change")
	}
	return p.content(text, value, (*terminal.Page).Diff)
}

// changedFiles prints what became of files, and what is left to do by hand.
func (p *program) changedFiles(changes []setup.Change, next string, value any) error {
	for i := range changes {
		changes[i].Diff = "" // it is done: the files say it
	}
	return p.did(value, func(o *terminal.Page) {
		for _, ch := range changes {
			o.Linef("%s %s", o.Style.Title(string(ch.Action)), ch.Path)
			if ch.Note != "" {
				o.Linef("  %s", o.Style.Aside(ch.Note))
			}
			if ch.Backup != "" && ch.Action != setup.Kept {
				o.Linef("  %s", o.Style.Aside("as it was: "+ch.Backup))
			}
		}
		if next != "" {
			o.Linef("%s", next)
		}
	}, func(o *terminal.Page) {
		for _, ch := range changes {
			if ch.Note != "" {
				p.note("%s: %s", ch.Path, ch.Note)
			}
			o.Linef("%s\t%s\t%s", ch.Path, string(ch.Action), ch.Backup)
		}
	})
}

func (p *program) listClients(cmd *cobra.Command) error {
	for _, name := range []string{"scope", "remove", "dry-run"} {
		if cmd.Flags().Changed(name) {
			return usageError(cmd, "--%s needs a CLIENT", name)
		}
	}
	all := p.setupPlace().Clients(cmd.Context())
	return p.record(whole(all), func(o *terminal.Page) {
		t := terminal.NewTable("CLIENT", "NAME", "FOUND", "SET UP FOR")
		for _, s := range all {
			t.Row(o.Style.Title(s.Client), s.Title, yes(s.Detected), scopes(s))
		}
		t.Print(o)
	}, func(o *terminal.Page) {
		for _, s := range all {
			o.Linef("%s\t%s\t%s", s.Client, yes(s.Detected), scopes(s))
		}
	})
}

func scopes(s setup.Status) string {
	switch {
	case s.User && s.Project:
		return "user, project"
	case s.User:
		return "user"
	case s.Project:
		return "project"
	}
	return "-"
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "-"
}
