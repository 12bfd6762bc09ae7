package spaces

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/calendar/day"
	"github.com/cairn-kb/cairn/internal/files/git"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/knowledge/sessions"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

func newSpace(p *command.Program) *cobra.Command {
	return command.Group(&cobra.Command{
		Use:   "space",
		Short: "Add, list, show, change, remove and choose spaces",
		Long: `A space is a named collection of pages: a directory of notes, or pages kept in
the database. Commands work in the space that --space or --in names, else in the
one that contains the working directory, the one that the working directory is
mapped to, or the default.`,
	}, newSpaceAdd(p), command.Lists[api.Space](p, newSpaceList(p)), newSpaceShow(p), newSpaceSet(p),
		newSpacePolicy(p), newSpaceEdit(p), newSpaceUpgrade(p), newSpaceMigrate(p), newSpaceRemove(p), newSpaceRestore(p),
		newSpaceDefault(p), newSpaceMoveHost(p), command.Lists[api.Mapping](p, newSpaceMap(p)), newSpaceUnmap(p))
}

func newSpaceAdd(p *command.Program) *cobra.Command {
	var req space.AddRequest
	var old sessions.AttachRequest
	past := false
	cmd := &cobra.Command{
		Use:   "add [DIR|CLIENT...]",
		Short: "Add a directory of notes, or a space in the database",
		Long: `Add a directory as a space. Its policy is written to DIR/.cairn/space.toml,
where you can read and change it. A preset with pages, such as context, creates
the missing ones; no other file is written. With --database the pages are kept
in the memory's database instead.

A space of the preset guarded is kept in git. --init creates the repository, the
pages of the preset, the index, .gitignore and .gitattributes, unless they
exist, and commits them.

A copy, clone or git worktree of a space is a space of its own, NAME@PLACE. A
space is followed to the new place of its directory if that holds a file that it
had; --moved says that it was moved there although no file shows it.

A directory that brings a policy, such as a clone, can be searched at once. The
parts of the policy that act, such as git, retention and routines, do nothing
until you accept them: the command lists them and asks, and --accept says yes.
The same goes for what others change in the policy later.

The first search, or cairn sync, reads the notes. For semantic search run cairn
embed once: it takes minutes for thousands of short notes, half an hour or more
for ten thousand long ones. cairn serve does both in the background.

--sessions attaches past sessions of agents' clients as a space that is read
only: of the CLIENTs given instead of DIR, or of all that have sessions here.
Clients are claude-code, codex, copilot, cursor, gemini, opencode and qwen.
Transcripts are never written, and credentials in them are masked. --below
limits it to sessions that ran in or below some directories, --days to recent
ones.`,
		Example: `  cairn space add ~/notes
  cairn space add ~/work/wiki --name wiki --preset notes
  cairn space add ~/context --preset context --dry-run
  cairn space add ~/clone --accept
  cairn space add ~/kb --preset guarded --init --remote git@example.org:kb.git
  cairn space add --database --name clients --preset capture --description "What clients want"
  cairn space add --sessions
  cairn space add --sessions claude-code codex --below ~/work --days 90`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if past {
				old.DryRun, old.Clients = req.DryRun, args
				return attachSessions(cmd.Context(), p, old)
			}
			if len(args) > 1 {
				return command.UsageError(cmd, "%s takes one DIR", cmd.CommandPath())
			}
			req.Root = strings.Join(args, "")
			if req.Root == "" && !req.Database {
				return command.UsageError(cmd, "%s needs DIR, or --database", cmd.CommandPath())
			}
			return addSpace(cmd.Context(), p, req)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	f := cmd.Flags()
	f.StringVar(&req.Name, "name", "", "call it this `name` (default: that of the directory)")
	f.StringVar(&req.Preset, "preset", "", "start from the policy of this `name` (default: notes, or memory in the database)")
	f.StringVar(&req.Description, "description", "", "what the space is about, in a `line`")
	f.BoolVar(&req.Database, "database", false, "keep the pages in the database")
	f.BoolVar(&req.Init, "init", false, "make DIR and a git repository where there is none, and commit what the space begins with")
	f.StringVar(&req.Remote, "remote", "", "push the repository to this `address`")
	f.BoolVar(&req.Accept, "accept", false, "accept what the policy that DIR brings would do")
	f.BoolVar(&req.Moved, "moved", false, "DIR is the space with its id, which was moved")
	f.BoolVar(&past, "sessions", false, "attach past sessions of agents' clients")
	f.StringSliceVar(&old.Directories, "below", nil, "with --sessions: only those that ran in or below this `dir`; repeatable")
	f.IntVar(&old.Days, "days", 0, "with --sessions: only those that ended in so many `days` (default 365)")
	f.BoolVar(&req.DryRun, "dry-run", false, "change nothing; print the space as it would be")
	return cmd
}

// attachSessions attaches past sessions and reads them.
func attachSessions(ctx context.Context, p *command.Program, req sessions.AttachRequest) error {
	return oneSpace(ctx, p, command.Create, req.DryRun, func(a *memory.Session) (api.Space, error) {
		s, err := sessions.Attach(ctx, a, req)
		if err != nil || req.DryRun {
			return s, err
		}
		in := a.In(s.Name)
		at, err := in.Spaces.ByName(ctx, s.Name)
		if err != nil {
			return s, err
		}
		bar := p.Progress()
		_, err = freshness.Sync(ctx, in, at, freshness.Request{Progress: bar.Report})
		bar.Stop()
		if err != nil {
			return s, err
		}
		p.Note("note: cairn serve keeps them up to date, and so does each search")
		return a.Spaces.Show(ctx, s.Name)
	})
}

// newCollection is what other programs have for space: a name, then the directory.
func newCollection(p *command.Program) *cobra.Command {
	add := &cobra.Command{
		Use:   "add NAME DIR",
		Short: "Add a directory as a space of the preset memory",
		Long: `Add DIR as the space NAME, as cairn space add DIR --name NAME --preset memory does.
A directory with a policy of its own keeps that.`,
		Example: "  cairn collection add wiki ~/work/wiki",
		Args:    command.Need("NAME", "DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return addSpace(cmd.Context(), p, space.AddRequest{Name: args[0], Root: args[1], Preferred: "memory"})
		},
	}
	list := newSpaceList(p)
	return command.Group(&cobra.Command{
		Use: "collection", Short: "Spaces, by the name that other programs have for them", Hidden: true,
		Long: `Spaces, by the name that other programs have for them. See: cairn space --help`,
	}, add, command.Lists[api.Space](p, list))
}

// addSpace adds a space and prints it.
func addSpace(ctx context.Context, p *command.Program, req space.AddRequest) error {
	return oneSpace(ctx, p, command.Create, req.DryRun, func(a *memory.Session) (api.Space, error) {
		s, err := gitsync.AddSpace(ctx, a, req)
		if err == nil && req.Remote != "" && !req.DryRun {
			p.Note("note: cairn push sends commits to %s, and so do cairn serve and cairn maintain", git.Shown(req.Remote))
		}
		if err == nil && !req.Database && !req.DryRun {
			p.Note("note: for semantic search run cairn embed --space %s, or keep cairn serve running", s.Name)
		}
		if err != nil {
			return s, err
		}
		noteZone(p, s)
		noteElsewhere(p, s)
		return s, nil
	})
}

// noteZone reports when the days of a space begin, if any of its pages is of a day.
func noteZone(p *command.Program, s api.Space) {
	at, named := day.Begin(s.Policy, p.Env.Now())
	if at == "" {
		return
	}
	from := ", the zone of this machine"
	if named {
		from = ""
	}
	p.Note("note: days of %s begin at %s%s; to change the zone: cairn space set %s timezone ZONE", s.Name, at, from, s.Name)
}

// noteElsewhere reports how the pages that a space gives to each session come to those in other
// directories.
func noteElsewhere(p *command.Program, s api.Space) {
	if !s.Default && slices.ContainsFunc(s.Acts, func(part kb.PolicyPart) bool { return part.Name == "inject" }) {
		p.Note("note: sessions in other directories get its pages when it is the default space: cairn space default %s", s.Name)
	}
}

// oneSpace asks app for a space and prints it; whole says that its record has the policy.
func oneSpace(ctx context.Context, p *command.Program, need command.Access, whole bool, ask func(*memory.Session) (api.Space, error)) error {
	return p.WithApp(ctx, need, func(a *memory.Session) error {
		s, err := ask(a)
		if err != nil {
			return err
		}
		command.TellSpace(p, s)
		if err := command.AskToAccept(ctx, p, &s); err != nil {
			return err
		}
		record := s
		if !whole {
			record.Policy = "" // long, and asked for with cairn space policy
		}
		return p.Did(record, func(o *terminal.Page) { spaceLines(o, s) }, func(o *terminal.Page) { spaceBrief(o, s) })
	})
}

func spaceLines(o *terminal.Page, s api.Space) {
	o.Linef("%s  %s", o.Style.Title(s.Name), o.Style.Aside(string(s.ID)))
	t := terminal.NewTable("", "")
	if s.Description != "" {
		t.Row("about", s.Description)
	}
	t.Row("kind", string(s.Kind))
	if s.Root != "" {
		t.Row("directory", s.Root)
	}
	if s.Machine != "" {
		t.Row("host", s.Machine)
	}
	for i, place := range s.Places {
		label := ""
		if i == 0 {
			label = "places"
		}
		at := place.Root
		if place.Machine != "" {
			at = place.Machine + ":" + at
		}
		t.Row(label, at+"  "+place.Space)
	}
	t.Row("preset", s.Preset)
	t.Row("policy in", s.PolicyIn)
	if s.Pages != nil {
		t.Row("pages", *s.Pages)
	}
	if s.SyncedAt != nil {
		t.Row("synced", terminal.Moment(*s.SyncedAt))
	}
	if s.Default {
		t.Row("default", "yes")
	}
	for i, path := range s.Made {
		label := ""
		if i == 0 {
			label = "made"
		}
		t.Row(label, path)
	}
	t.Print(o)
	if s.Policy != "" {
		o.Linef("")
		o.WriteString(strings.TrimRight(safetext.Text(s.Policy), "\n") + "\n")
	}
	for i, line := range s.Defaults {
		if i == 0 {
			o.Linef("\n# from the configuration")
		}
		o.Linef("# %s", line)
	}
}

func spaceBrief(o *terminal.Page, s api.Space) {
	o.Linef("%s\t%s\t%s\t%s%s", s.Name, string(s.Kind), s.Root, command.SpacePages(s), about(s.Description))
}

// about is the field of a description, where there is one.
func about(description string) terminal.Styled {
	if description == "" {
		return ""
	}
	return terminal.Styled("\t" + safetext.Line(description))
}

func newSpaceList(p *command.Program) *cobra.Command {
	forgotten := false
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the spaces",
		Long: `List the spaces of the memory. A star marks the default. --forgotten lists those
that cairn space restore returns instead.`,
		Example: "  cairn space list\n  cairn space list --json\n  cairn space list --forgotten",
		Aliases: []string{"ls"},
		Args:    command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.WithApp(cmd.Context(), command.Existing, func(a *memory.Session) error {
				if forgotten {
					return printForgotten(cmd.Context(), p, a)
				}
				all, err := a.Spaces.List(cmd.Context())
				if err != nil {
					return err
				}
				return p.Record(command.Whole(all), func(o *terminal.Page) {
					command.SpaceTable(o, all)
					if len(all) == 0 {
						o.Linef("no spaces; cairn space add DIR makes one")
					}
				}, func(o *terminal.Page) {
					for _, s := range all {
						spaceBrief(o, s)
					}
				})
			})
		},
	}
	cmd.Flags().BoolVar(&forgotten, "forgotten", false, "list the forgotten spaces")
	return cmd
}

func printForgotten(ctx context.Context, p *command.Program, a *memory.Session) error {
	all, err := a.Spaces.Forgotten(ctx)
	if err != nil {
		return err
	}
	return p.Record(command.Whole(all), func(o *terminal.Page) {
		t := terminal.NewTable("SPACE", "ID", "WHERE", "FORGOTTEN", "KEPT UNTIL").Paths(2)
		for _, s := range all {
			where := "in the database"
			if s.Root != "" {
				where = s.Root
			}
			t.Row(o.Style.Title(s.Name), string(s.ID), where, s.ForgottenAt.Format(time.DateOnly), s.KeptUntil.Format(time.DateOnly))
		}
		t.Print(o)
		if len(all) == 0 {
			o.Linef("no forgotten spaces")
		}
	}, func(o *terminal.Page) {
		for _, s := range all {
			o.Linef("%s\t%s\t%s\t%s", s.Name, string(s.ID), s.Root, s.KeptUntil.Format(time.DateOnly))
		}
	})
}

func newSpaceShow(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "show [NAME]",
		Short: "Show a space and its policy",
		Long: `Show a space with its policy, or without NAME the one that commands here
work in. Where several directories have the same .cairn/space.toml, all of them
are listed.`,
		Example:           "  cairn space show notes\n  cairn space show",
		Args:              command.Need("[NAME]"),
		ValidArgsFunction: p.Spaces,
		RunE: func(cmd *cobra.Command, args []string) error {
			return oneSpace(cmd.Context(), p, command.Existing, true, func(a *memory.Session) (api.Space, error) {
				if len(args) == 0 {
					return a.Spaces.DescribeCurrent(cmd.Context())
				}
				return a.Spaces.Show(cmd.Context(), args[0])
			})
		},
	}
}

func newSpaceRemove(p *command.Program) *cobra.Command {
	var req space.RemoveRequest
	yes := false
	cmd := &cobra.Command{
		Use:   "rm NAME",
		Short: "Forget a space; its files stay",
		Long: `Take a space out of the memory. Files of a directory stay as they are. The
history, and the pages of a space in the database, are kept for 30 days: cairn
space restore NAME, or adding the directory, returns them.

--purge keeps nothing, and asks a person at a terminal first unless --yes is
given. It also ends a space that was forgotten before, by its name or its id.`,
		Example:           "  cairn space rm notes\n  cairn space rm notes --purge --dry-run\n  cairn space rm notes --purge --yes",
		Args:              command.Need("NAME"),
		ValidArgsFunction: p.Spaces,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.WithApp(cmd.Context(), command.Existing, func(a *memory.Session) error {
				req.Name = args[0]
				if req.Purge && !req.DryRun && !yes && p.Asks() {
					if err := askToPurge(cmd.Context(), p, a, req); err != nil {
						return err
					}
				}
				s, err := a.Spaces.Remove(cmd.Context(), req)
				if err != nil {
					return err
				}
				return p.Did(s, func(o *terminal.Page) { removedLines(o, s, req.DryRun) }, func(o *terminal.Page) { spaceBrief(o, s) })
			})
		},
	}
	f := cmd.Flags()
	f.BoolVar(&req.Purge, "purge", false, "keep nothing of it; this cannot be undone")
	f.BoolVarP(&yes, "yes", "y", false, "do not ask")
	f.BoolVar(&req.DryRun, "dry-run", false, "change nothing; print what would be removed")
	return cmd
}

// askToPurge asks a person whether a space may go for good.
func askToPurge(ctx context.Context, p *command.Program, a *memory.Session, req space.RemoveRequest) error {
	req.DryRun = true
	s, err := a.Spaces.Remove(ctx, req)
	if err != nil {
		return err
	}
	what := "its history"
	if s.Kind == kb.DatabaseSpace && s.Pages != nil {
		what = api.Plural(*s.Pages, "page") + " and their history"
	}
	answer, err := p.Ask(ctx, fmt.Sprintf("Delete %s of %s for good? [y/N]", what, s.Name))
	switch {
	case err != nil:
		return err
	case !command.YesAnswer(answer):
		return kb.Errorf(kb.Usage, "nothing was removed").WithHint("To remove it and keep its history for 30 days: cairn space rm %s", s.Name)
	}
	return nil
}

func removedLines(o *terminal.Page, s api.Space, dryRun bool) {
	did := "removed space"
	switch {
	case s.KeptUntil == nil && dryRun:
		did = "would remove for good space"
	case s.KeptUntil == nil:
		did = "removed for good space"
	case dryRun:
		did = "would remove space"
	}
	o.Linef("%s %s", did, o.Style.Title(s.Name))
	switch {
	case s.KeptUntil != nil:
		o.Linef("%s", o.Style.Aside("its history is kept until "+s.KeptUntil.Format(time.DateOnly)+": cairn space restore "+s.Name))
	case s.Kind == kb.DatabaseSpace && s.Pages != nil && *s.Pages > 0:
		o.Linef("%s", o.Style.Aside(api.Plural(*s.Pages, "page")+", and the history"))
	}
	for _, note := range s.Notes {
		o.Linef("%s", o.Style.Aside(note))
	}
	if s.Root != "" && len(s.Notes) == 0 {
		o.Linef("%s", o.Style.Aside("files in "+s.Root+" untouched"))
	}
}

func newSpaceRestore(p *command.Program) *cobra.Command {
	name := ""
	cmd := &cobra.Command{
		Use:   "restore NAME",
		Short: "Return a space that was forgotten",
		Long: `Return a space that cairn space rm forgot in the last 30 days, with its pages,
their history and ids. NAME is its name or its id; cairn space list --forgotten
lists them. If another space has the name by now, it gets one with a number.
Semantic search finds its pages after cairn embed.

A directory that has moved since is returned by cairn space add.`,
		Example: "  cairn space restore clients\n  cairn space restore clients --name clients-2026",
		Args:    command.Need("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return oneSpace(cmd.Context(), p, command.Existing, false, func(a *memory.Session) (api.Space, error) {
				return freshness.RestoreSpace(cmd.Context(), a, args[0], name)
			})
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().StringVar(&name, "name", "", "call it this `name`")
	return cmd
}

func newSpaceDefault(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:               "default [NAME]",
		Short:             "Show or choose the default space",
		Long:              `Choose the space for commands in directories that belong to none, or show which it is.`,
		Example:           "  cairn space default notes\n  cairn space default",
		Args:              command.Need("[NAME]"),
		ValidArgsFunction: p.Spaces,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.WithApp(cmd.Context(), command.Existing, func(a *memory.Session) error {
				s, err := a.Spaces.Default(cmd.Context(), strings.Join(args, ""))
				if err != nil {
					return err
				}
				return p.Did(s, func(o *terminal.Page) { o.Linef("the default space is %s", o.Style.Title(s.Name)) },
					func(o *terminal.Page) { spaceBrief(o, s) })
			})
		},
	}
}

func newSpaceMap(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "map [GLOB NAME]",
		Short: "Give working directories a space",
		Long: `Map working directories to a space by a glob, or list the mappings. The
most specific glob wins. The home directory and the root never match.`,
		Example: `  cairn space map '~/work/loom/**' wiki
  cairn space map`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return command.UsageError(cmd, "%s needs GLOB and NAME", cmd.CommandPath())
			}
			return command.Need("[GLOB]", "[NAME]")(cmd, args)
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			if len(args) != 1 {
				return nil, cobra.ShellCompDirectiveFilterDirs
			}
			return p.SpaceNames(cmd, typed), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.WithApp(cmd.Context(), command.Existing, func(a *memory.Session) error {
				if len(args) == 0 {
					return printMappings(cmd.Context(), p, a)
				}
				m, err := a.Spaces.Map(cmd.Context(), args[0], args[1])
				if err != nil {
					return err
				}
				return p.Did(m, func(o *terminal.Page) {
					o.Linef("mapped %s to space %s", o.Style.Title(m.Glob), o.Style.Title(m.Space))
				}, func(o *terminal.Page) { o.Linef("%s\t%s", m.Glob, m.Space) })
			})
		},
	}
}

func printMappings(ctx context.Context, p *command.Program, a *memory.Session) error {
	all, err := a.Spaces.Maps(ctx)
	if err != nil {
		return err
	}
	return p.Record(command.Whole(all), func(o *terminal.Page) {
		t := terminal.NewTable("DIRECTORIES", "SPACE", "ABOUT").Paths(0).Extra(2)
		for _, m := range all {
			t.Row(m.Glob, o.Style.Title(m.Space), m.Description)
		}
		t.Print(o)
		if len(all) == 0 {
			o.Linef("no mappings")
		}
	}, func(o *terminal.Page) {
		for _, m := range all {
			o.Linef("%s\t%s%s", m.Glob, m.Space, about(m.Description))
		}
	})
}

func newSpaceUnmap(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:               "unmap GLOB",
		Short:             "Remove a mapping of directories",
		Long:              `Remove the mapping of a glob, which is written as space map lists it.`,
		Example:           "  cairn space unmap '~/work/loom/**'",
		Args:              command.Need("GLOB"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.WithApp(cmd.Context(), command.Existing, func(a *memory.Session) error {
				if err := a.Spaces.Unmap(cmd.Context(), args[0]); err != nil {
					return err
				}
				return printMappings(cmd.Context(), p, a)
			})
		},
	}
}
