package agents

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/setup"
	"github.com/cairn-kb/cairn/internal/surface/skills"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

func newSkills(p *command.Program) *cobra.Command {
	return command.Group(&cobra.Command{
		Use:   "skills",
		Short: "List, show, install and check what agents are taught",
		Long: `Skills teach an agent to use the memory well: when to look, what to write down,
how to keep it true. They are directories with a SKILL.md, as described at
agentskills.io, and are installed where clients look for them; cairn setup does
so for one client.

Your own text takes the place of a skill. Write it to skills/NAME/SKILL.md in
the directory of cairn's configuration, or for one project to
.cairn/skills/NAME/SKILL.md in the project. cairn skills show NAME prints what
to begin with; an empty file counts as none.

Skills that a space holds, as in policies/skills of a context vault, are listed,
too. cairn skills install NAME installs one; without a name it installs cairn's.`,
	}, command.Lists[listedSkill](p, newSkillsList(p)), newSkillsShow(p), newSkillsInstall(p), command.Lists[setup.InstalledSkill](p, newSkillsDoctor(p)))
}

// skillScope is the flag --scope of the commands for skills.
func skillScope(cmd *cobra.Command, scope *string) {
	cmd.Flags().StringVar(scope, "scope", string(setup.User), "for this `scope`: user, or project for the working directory")
	command.Complete(cmd, "scope", cobra.FixedCompletions([]string{"user", "project"}, cobra.ShellCompDirectiveNoFileComp))
}

func skillNames(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return skills.Every(), cobra.ShellCompDirectiveNoFileComp
}

// listedSkill is a skill, and the problem with an override of its text, if any.
type listedSkill struct {
	skills.Skill
	Problem string `json:"problem,omitempty"`
}

func newSkillsList(p *command.Program) *cobra.Command {
	var scope, set string
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the skills",
		Long:    `List the skills, with the hash of each text and where it comes from.`,
		Example: "  cairn skills list\n  cairn skills list --scope project --json",
		Aliases: []string{"ls"},
		Args:    command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			names, err := namesOf(cmd, set, nil)
			if err != nil {
				return err
			}
			all, err := p.SetupPlace().Skills(cmd.Context(), setup.Scope(scope), names...)
			if err != nil {
				return err
			}
			if set == "" {
				all = append(all, registeredSkills(cmd.Context(), p)...)
			}
			listed := make([]listedSkill, len(all))
			for i, s := range all {
				listed[i].Skill = s
				if s.Err != nil {
					listed[i].Problem = kb.AsError(s.Err).Error()
					p.Note("warning: %s", listed[i].Problem)
				}
			}
			return p.Record(command.Whole(listed), func(o *terminal.Page) {
				t := terminal.NewTable("SKILL", "HASH", "FROM")
				for _, s := range all {
					t.Row(o.Style.Title(s.Name), s.Hash, s.Source)
				}
				t.Print(o)
			}, func(o *terminal.Page) {
				for _, s := range all {
					o.Linef("%s\t%s\t%s", s.Name, s.Hash, s.Source)
				}
			})
		},
	}
	skillScope(cmd, &scope)
	skillSet(cmd, &set)
	return cmd
}

func newSkillsShow(p *command.Program) *cobra.Command {
	var scope string
	cmd := &cobra.Command{
		Use:               "show NAME",
		Short:             "Print the text of a skill",
		Long:              `Print the SKILL.md of a skill as it would be installed, without its last line.`,
		Example:           "  cairn skills show memory-recall\n  cairn skills show memory-write > SKILL.md",
		Args:              command.Need("NAME"),
		ValidArgsFunction: skillNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := oneSkill(cmd.Context(), p, setup.Scope(scope), args[0])
			if err != nil {
				return err
			}
			return p.Content(string(s.Text), struct {
				skills.Skill
				Text string `json:"text"`
			}{s, string(s.Text)}, command.PlainText)
		},
	}
	skillScope(cmd, &scope)
	return cmd
}

// registeredSkills are those that spaces hold for their user. A memory that cannot be
// opened keeps nobody from cairn's own.
func registeredSkills(ctx context.Context, p *command.Program) (found []skills.Skill) {
	err := p.WithApp(ctx, command.Existing, func(a *memory.Session) error {
		dirs, err := a.Spaces.SkillDirectories(ctx)
		if err == nil {
			found, err = skills.Registered(ctx, dirs...)
		}
		return err
	})
	if err != nil && !space.NothingYet(err) && kb.AsError(err).Reason != kb.NoDatabase {
		p.Note("warning: skills that spaces hold are not looked at: %v", err)
	}
	return found
}

// oneSkill is cairn's skill of a name, else the one that a space holds.
func oneSkill(ctx context.Context, p *command.Program, scope setup.Scope, name string) (skills.Skill, error) {
	all, err := p.SetupPlace().Skills(ctx, scope, name)
	switch {
	case err == nil:
		return all[0], nil
	case kb.AsError(err).Reason != kb.NoSuchSkill:
		return skills.Skill{}, err
	}
	for _, s := range registeredSkills(ctx, p) {
		if s.Name == name {
			return s, s.Err
		}
	}
	return skills.Skill{}, err
}

// skillSet is the flag --set of the commands for skills.
func skillSet(cmd *cobra.Command, set *string) {
	cmd.Flags().StringVar(set, "set", "", "the skills of this `set`: memory, for pages with evidence, facts and questions")
	command.Complete(cmd, "set", cobra.FixedCompletions(skills.Sets(), cobra.ShellCompDirectiveNoFileComp))
}

// namesOf are the skills of a set, or the names that were given.
func namesOf(cmd *cobra.Command, set string, names []string) ([]string, error) {
	switch {
	case set == "":
		return names, nil
	case len(names) > 0:
		return nil, command.UsageError(cmd, "--set names skills already: give one of them")
	}
	return skills.Set(set)
}

type skillsInstallOptions struct {
	req    setup.SkillRequest
	set    string
	scope  string
	dryRun bool
}

func newSkillsInstall(p *command.Program) *cobra.Command {
	var o skillsInstallOptions
	cmd := &cobra.Command{
		Use:   "install [NAME]...",
		Short: "Install skills where clients look for them",
		Long: `Write the skills, or those named, where clients look for them: .agents/skills in
the home directory, or with --scope project in the working directory, which all
clients read but Claude Code; name its directory with --dir.

A second run changes nothing. A copy that was edited since is left alone and
reported; --replace replaces it and keeps a backup next to it.`,
		Example: `  cairn skills install --dry-run
  cairn skills install
  cairn skills install memory-recall --dir ~/.claude/skills
  cairn skills install --set memory
  cairn skills install --scope project --remove`,
		ValidArgsFunction: skillNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			names, err := namesOf(cmd, o.set, args)
			if err != nil {
				return err
			}
			o.req.Names, o.req.Scope = names, setup.Scope(o.scope)
			if len(args) > 0 {
				o.req.Registered = registeredSkills(cmd.Context(), p)
			}
			return runSkillsInstall(cmd.Context(), p, o)
		},
	}
	f := cmd.Flags()
	skillScope(cmd, &o.scope)
	skillSet(cmd, &o.set)
	f.StringVar(&o.req.Dir, "dir", "", "install into this `directory` of skills")
	f.BoolVar(&o.req.Remove, "remove", false, "take the skills away")
	f.BoolVar(&o.req.Replace, "replace", false, "also act on edited copies, and keep backups of them")
	f.BoolVar(&o.dryRun, "dry-run", false, "show the changes as a diff; write nothing")
	return cmd
}

// skillsDone is what skills install prints.
type skillsDone struct {
	Changes []setup.Change `json:"files"`
	DryRun  bool           `json:"dry_run,omitempty"`
}

func runSkillsInstall(ctx context.Context, p *command.Program, o skillsInstallOptions) error {
	if o.req.Dir != "" {
		o.req.Dir = p.Place().Absolute(o.req.Dir)
	}
	changes, err := p.SetupPlace().PlanSkills(ctx, o.req)
	if err != nil {
		return err
	}
	for _, s := range o.req.Registered { // its text is as the directory has it now
		if slices.Contains(o.req.Names, s.Name) && !o.req.Remove && !o.dryRun {
			if err := p.PersonOnly("skills install "+safetext.Word(s.Name), "install a skill of a space"); err != nil {
				return err
			}
		}
	}
	if o.dryRun {
		return wouldChange(p, changes, skillsDone{changes, true}, false)
	}
	if err := mayChange(ctx, p, "skills install", changes); err != nil {
		return err
	}
	if err := p.SetupPlace().Apply(ctx, changes); err != nil {
		return err
	}
	return changedFiles(p, changes, nil, skillsDone{Changes: changes})
}

func newSkillsDoctor(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check the installed skills",
		Long: `Check the directories of skills, yours and those of the working directory, and
report for each copy whether it is current, old (an earlier text), or edited.
One that is absent is listed where a client is set up that reads the directory.
An invalid skill of your own is an error.`,
		Example: "  cairn skills doctor\n  cairn skills doctor --json",
		Args:    command.Need(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return runSkillsDoctor(cmd.Context(), p) },
	}
}

func runSkillsDoctor(ctx context.Context, p *command.Program) error {
	all, err := p.SetupPlace().InstalledSkills(ctx)
	if err != nil {
		return err
	}
	seen := []setup.InstalledSkill{}
	old := false
	var broken error
	for _, s := range all {
		if s.Err != nil {
			broken = s.Err
		}
		if s.State != setup.Absent || len(s.Clients) > 0 {
			seen = append(seen, s)
			old = old || s.State == setup.Old || s.State == setup.Absent
		}
	}
	err = p.Record(command.Whole(seen), func(o *terminal.Page) {
		if len(seen) == 0 {
			o.Linef("no skills are installed; cairn setup CLIENT or cairn skills install does it")
			return
		}
		t := terminal.NewTable("SKILL", "STATE", "HASH", "WHERE").Paths(3)
		for _, s := range seen {
			t.Row(o.Style.Title(s.Skill), string(s.State), s.Hash, filepath.Dir(s.Path))
		}
		t.Print(o)
		if old {
			o.Linef("cairn skills install brings them up to date; --dir names a directory")
		}
	}, func(o *terminal.Page) {
		for _, s := range seen {
			o.Linef("%s\t%s\t%s\t%s", s.Skill, string(s.State), s.Hash, s.Path)
		}
	})
	if err != nil {
		return err
	}
	return broken
}
