package agents

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/operation"

	"github.com/cairn-kb/cairn/internal/knowledge/sessions"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/setup"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

type setupOptions struct {
	req           setup.Request
	scope         string
	serve         command.Toolsets
	dryRun, check bool
}

func newSetup(p *command.Program) *cobra.Command {
	var o setupOptions
	cmd := &cobra.Command{
		Use:   "setup [CLIENT...]",
		Short: "Set up agents' clients to use the memory",
		Long: `Write cairn into the configuration of clients: the MCP server, the hook that
runs cairn prime when a session starts where the client has such hooks, a few
lines of instructions, and the skills. Without CLIENT, list the clients: which
are installed, and which are set up.

Clients are claude-code, claude-desktop, cline, codex, copilot, cursor, gemini,
opencode, qwen, vscode, windsurf and zed. For any other, generic prints the
entry that most take, and writes nothing.

--toolsets, --read-only and --space become arguments of the entry, which cairn
mcp explains; on a client that is set up they change its entry. The instructions
and the skills are those of the sets of tools.

Command-line clients run cairn by its name. Where the PATH does not lead to it,
and in the user scope of desktop apps, which often have a different PATH, the
entry has the absolute path of this binary. --command overrides both, for
existing entries too.

In a space with a page of the day, as the preset context has, an entry without
--toolsets gets core,context and the skills of that set. In one that is kept in
git the skill of curation is installed.

--check starts each entry as its client would, with the command, arguments and
environment from the client's own file, and lists the tools that it offers.
Without CLIENT it checks every client that is set up. Exits with 1 when one
fails.

Everything else in the files stays as it is, comments and order included. Before
the first change a file is copied to one with the suffix .cairn-backup. A second
run changes nothing; --remove takes the additions out. Entries that you or
another tool wrote or changed are left alone and reported.`,
		Example: `  cairn setup
  cairn setup claude-code --dry-run
  cairn setup claude-code codex
  cairn setup cursor --scope project
  cairn setup gemini --toolsets all --space notes
  cairn setup --check
  cairn setup codex --remove`,
		Args: cobra.ArbitraryArgs,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return setup.Names(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, p, args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.scope, "scope", string(setup.User), "set up for this `scope`: user, or project for the working directory")
	f.StringVar(&o.req.Command, "command", "", "have clients run this `path` (default: cairn, or its absolute path; see above)")
	o.serve.AddFlags(cmd)
	f.BoolVar(&o.check, "check", false, "start each entry as its client would, and list its tools")
	f.BoolVar(&o.req.Remove, "remove", false, "take cairn out of the configuration")
	f.BoolVarP(&o.dryRun, "dry-run", "n", false, "show the changes as a diff; write nothing")
	command.Complete(cmd, "scope", cobra.FixedCompletions([]string{"user", "project"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (o *setupOptions) run(cmd *cobra.Command, p *command.Program, args []string) error {
	ctx, given := cmd.Context(), cmd.Flags().Changed
	if len(args) == 0 && !o.check {
		for _, name := range []string{"scope", "remove", "dry-run", "command", "toolsets", "read-only", "space"} {
			if given(name) {
				return command.UsageError(cmd, "--%s needs a CLIENT", name)
			}
		}
		return listClients(ctx, p)
	}
	for _, name := range args {
		client, ok := setup.Find(name)
		switch {
		case !ok:
			return noClient(name)
		case client == setup.Generic && len(args) > 1:
			return command.UsageError(cmd, "generic writes nothing: give it alone")
		}
		o.req.Clients = append(o.req.Clients, client)
	}
	o.req.Scope = setup.Scope(o.scope)
	asked := given("toolsets") || given("read-only") || given("space")
	switch {
	case o.check && (o.req.Remove || o.dryRun || asked || o.req.Command != ""):
		return command.UsageError(cmd, "--check can only be combined with --scope")
	case o.check:
		if !given("scope") {
			o.req.Scope = ""
		}
		return runSetupCheck(ctx, p, o.req)
	case o.req.Remove && asked:
		return command.UsageError(cmd, "--remove takes the whole entry out")
	}
	if _, err := o.serve.Sets(); err != nil {
		return err
	}
	if given("toolsets") {
		sets := strings.Join(o.serve.Names, ",")
		if sets == string(operation.Core) {
			sets = "" // cairn's own default
		}
		o.req.Serve.Toolsets = &sets
	}
	if given("read-only") {
		o.req.Serve.ReadOnly = &o.serve.ReadOnly
	}
	if given("space") {
		o.req.Serve.Space = &p.Flags.Space
	}
	return runSetup(ctx, p, *o)
}

// noClient refuses the name of a client, and says which was probably meant.
func noClient(name string) error {
	err := kb.Errorf(kb.Usage, "unknown client %q", name)
	if near := operation.Nearest(name, setup.Names()); near != "" {
		return err.WithHint("Did you mean %s?", near).With("suggestions", []string{near})
	}
	return err.WithHint("Clients are %s.", strings.Join(setup.Names(), ", "))
}

// setUp is what setup prints.
type setUp struct {
	*setup.Plan
	DryRun bool `json:"dry_run,omitempty"`
}

func runSetup(ctx context.Context, p *command.Program, o setupOptions) error {
	switch {
	case o.req.Clients[0] == setup.Generic && o.req.Remove:
		return kb.Errorf(kb.Usage, "generic writes nothing, so there is nothing to remove")
	case o.req.Clients[0] == setup.Generic:
		return p.Write([]byte(setup.Snippet))
	}
	place := p.SetupPlace()
	suit(ctx, p, &o.req)
	plan, err := place.Plan(ctx, o.req)
	if err != nil {
		return err
	}
	if o.dryRun {
		return wouldChange(p, plan.Changes, setUp{plan, true}, true)
	}
	if err := mayChange(ctx, p, "setup "+strings.Join(o.req.Clients, " "), plan.Changes); err != nil {
		return err
	}
	if err := place.Apply(ctx, plan.Changes); err != nil {
		return err
	}
	if plan.Changed() {
		plan.Next = append(plan.Next, o.req.Next()...)
		if !o.req.Remove {
			plan.Next = append(plan.Next, offerTimer(p)...)
			plan.Next = append(plan.Next, offerSessions(ctx, p, o.req.Clients)...)
		}
	}
	err = changedFiles(p, plan.Changes, plan.Next, setUp{plan, false})
	for _, e := range place.Entries(ctx, o.req.Clients...) {
		if e.Fault != "" && e.Scope == plan.Scope && !o.req.Remove {
			why, remedy := command.FaultWords(e)
			p.Note("warning: %s. %s", why, remedy)
		}
	}
	return err
}

// mayChange refuses an agent to change files inside the directory of a space.
func mayChange(ctx context.Context, p *command.Program, what string, changes []setup.Change) error {
	var paths []string
	for _, ch := range changes {
		if ch.Action != setup.Unchanged && ch.Action != setup.Kept {
			paths = append(paths, ch.Path)
		}
	}
	return p.MayWrite(ctx, what, paths...)
}

// suit completes a request with what suits the memory. One that cannot be opened does not
// prevent setting up a client.
func suit(ctx context.Context, p *command.Program, req *setup.Request) {
	err := p.WithApp(ctx, command.Existing, func(a *memory.Session) error { return req.Suit(ctx, a) })
	if err != nil && !space.NothingYet(err) && kb.AsError(err).Reason != kb.NoDatabase {
		p.Note("warning: clients are not configured for directories that are changed through cairn only: %v", err)
	}
}

// offerTimer says how pages age and are embedded without a server, where no timer does
// it yet.
func offerTimer(p *command.Program) []string {
	all, err := command.Timer(p)
	if err != nil {
		return nil // there is none on this system
	}
	for _, s := range all {
		if there, _, _, _ := s.Installed(); there {
			return nil
		}
	}
	return []string{"To have pages age and new text embedded while no server runs: cairn maintain --install"}
}

// offerSessions says how the past sessions of clients become searchable, where they are not
// attached yet.
func offerSessions(ctx context.Context, p *command.Program, clients []string) []string {
	var found []string
	for _, c := range sessions.Found(p.Place()) {
		if slices.Contains(clients, string(c)) {
			found = append(found, string(c))
		}
	}
	if len(found) == 0 {
		return nil
	}
	err := p.WithApp(ctx, command.Existing, func(a *memory.Session) error {
		attached, err := sessions.Attached(ctx, a)
		found = slices.DeleteFunc(found, func(c string) bool { return slices.Contains(attached, c) })
		return err
	})
	if len(found) == 0 || err != nil && !space.NothingYet(err) && kb.AsError(err).Reason != kb.NoDatabase {
		return nil // the memory itself is at fault, which other commands report
	}
	return []string{"To search its past sessions as well (off by default): cairn space add --sessions " + strings.Join(found, " ")}
}

// wouldChange prints the differences that changes would make; of skills only
// which they are, if they are to be named.
func wouldChange(p *command.Program, changes []setup.Change, value any, named bool) error {
	var text []byte
	for i, ch := range changes {
		if named && ch.Skill != "" && ch.Diff != "" {
			changes[i].Diff = ""
			text = fmt.Appendf(text, "skill %s: %s\n", ch.Skill, ch.Path)
		}
		text = append(text, changes[i].Diff...)
		if ch.Note != "" {
			p.Note("%s: %s", ch.Path, ch.Note)
		}
	}
	if len(text) == 0 {
		p.Note("nothing would change")
	}
	return p.Content(string(text), value, (*terminal.Page).Diff)
}

// changedFiles prints how files changed and the remaining manual steps.
func changedFiles(p *command.Program, changes []setup.Change, next []string, value any) error {
	for i := range changes {
		changes[i].Diff = "" // it is done: the files say it
	}
	return p.Did(value, func(o *terminal.Page) {
		for _, ch := range changes {
			backup := ""
			if ch.Backup != "" && ch.Action != setup.Kept {
				backup = " (backup: " + ch.Backup + ")"
			}
			o.Linef("%s %s%s", o.Style.Title(string(ch.Action)), ch.Path, o.Style.Aside(backup))
			if ch.Note != "" {
				o.Linef("  %s", o.Style.Aside(ch.Note))
			}
		}
		for _, line := range next {
			o.Linef("%s", line)
		}
	}, func(o *terminal.Page) {
		for _, ch := range changes {
			if ch.Note != "" {
				p.Note("%s: %s", ch.Path, ch.Note)
			}
			o.Linef("%s\t%s\t%s", ch.Path, string(ch.Action), ch.Backup)
		}
	})
}

func listClients(ctx context.Context, p *command.Program) error {
	all := p.SetupPlace().Clients(ctx)
	return p.Record(command.Whole(all), func(o *terminal.Page) {
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
