package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/terminal"
)

// program is one run: its environment and its global flags.
type program struct {
	env            Env
	stdout, stderr io.Writer // for other programs, as the process has them
	flags          globalFlags
	log            *slog.Logger                       // of a server, nil for none
	lists          map[*cobra.Command]func() []string // commands that print a list, with the fields of its items
	paged          paged
}

type globalFlags struct {
	db, space, in, actor string
	format               string
	json                 terminal.JSONFlag
	quiet, noColor       bool
	noPager              bool
}

// The groups that the list of commands is in.
const (
	readGroup    = "read"
	writeGroup   = "write"
	historyGroup = "history"
	spaceGroup   = "space"
	agentGroup   = "agent"
	careGroup    = "care"
)

// newRoot returns the whole tree of commands.
func newRoot(p *program) *cobra.Command {
	root := &cobra.Command{
		Use:   "cairn",
		Short: "A local memory for AI agents and the people they work with",
		Long: `cairn is a memory that agents and people leave for the next session: notes in
plain Markdown or Org files that you own, searchable at once, with links,
timelines and a history of every change.

It starts with a directory of notes and a question:

  cairn search --in DIR "words"`,
		Example: `  cairn search --in docs "write path"
  cairn put people/ada --title "Ada Lovelace" "Wrote the first program."
  cairn edit people/ada --append "Met Babbage in 1833."
  cairn undo`,
		SilenceErrors:              true,
		SilenceUsage:               true,
		SuggestionsMinimumDistance: 2,
		Args:                       subcommand,
		PersistentPreRunE:          func(cmd *cobra.Command, _ []string) error { return p.check(cmd) },
	}
	root.SetIn(p.env.Stdin)
	root.SetErr(p.env.Stderr)
	root.SetFlagErrorFunc(flagError)
	// cobra's own flag would need one of its templates to say the same, and with
	// templates the linker keeps every method of every type: 3 MB.
	version := root.Flags().BoolP("version", "v", false, "version for cairn")
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if *version {
			return p.content([]byte("cairn "+p.env.Build.Version+"\n"), p.env.Build, plainText)
		}
		return cmd.Help()
	}

	f := root.PersistentFlags()
	f.StringVar(&p.flags.db, "db", "", "the memory's database `file` (default: CAIRN_DB, else memory.db in the data directory)")
	f.StringVarP(&p.flags.space, "space", "s", "", "work in the space of this `name`")
	f.StringVar(&p.flags.in, "in", "", "work in the space of this `directory`, attached when it is none yet; nothing is written into it")
	f.StringVar(&p.flags.format, "format", "", "print records as human, json or brief (default: human on a terminal, else json)")
	f.Var(&p.flags.json, "json", "the same as --format json; errors are JSON too. --json=ref,title prints only these fields of a list's items")
	f.Lookup("json").NoOptDefVal = "true"
	f.BoolVarP(&p.flags.quiet, "quiet", "q", false, "print no progress, warnings and confirmations")
	f.StringVar(&p.flags.actor, "actor", "", "who writes: `name` of an agent, or kind:name, such as human:ada")
	f.BoolVar(&p.flags.noColor, "no-color", false, "print no colours and no bold text (also: NO_COLOR)")
	f.BoolVar(&p.flags.noPager, "no-pager", false, "do not show long output in a pager (also: CAIRN_PAGER=cat)")
	f.SortFlags = false

	root.AddGroup(
		&cobra.Group{ID: readGroup, Title: "Find and read:"},
		&cobra.Group{ID: writeGroup, Title: "Write:"},
		&cobra.Group{ID: historyGroup, Title: "Look back:"},
		&cobra.Group{ID: spaceGroup, Title: "Spaces:"},
		&cobra.Group{ID: agentGroup, Title: "For agents and programs:"},
		&cobra.Group{ID: careGroup, Title: "Look after the memory:"},
	)
	add := func(group string, cmds ...*cobra.Command) {
		for _, c := range cmds {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add(readGroup, lists[app.Hit](p, newSearch(p)), lists[app.Served](p, newQuery(p)), newGet(p), lists[app.Page](p, newList(p)),
		lists[app.Dir](p, newLs(p)), lists[app.Link](p, newLinks(p)), lists[app.Link](p, newBacklinks(p)),
		lists[app.Count](p, newTags(p)), lists[app.Entry](p, newTimeline(p)), lists[app.Task](p, newTasks(p)), lists[app.Gap](p, newGaps(p)), newStatus(p), newStats(p), newPrime(p))
	add(writeGroup, newCapture(p), newDaily(p), newPut(p), newEdit(p), newMove(p), newRemove(p), newTag(p), newUntag(p),
		newLink(p), newLinkClose(p), newUnlink(p), newTimelineAdd(p), newGap(p))
	add(historyGroup, lists[app.Version](p, newRecent(p)), lists[app.Version](p, newHistory(p)), newDiff(p), newRestore(p), newUndo(p), newRedo(p))
	add(agentGroup, newSetup(p), newSkills(p), newMCP(p), newToolsJSON(p), newCall(p), newPipe(p))
	add(spaceGroup, newInit(p), newSpace(p), lists[app.SyncReport](p, newSync(p)), newEmbed(p), newModel(p), newServe(p))
	add(careGroup, lists[app.Check](p, newDoctor(p)), newMaintain(p), newConfig(p), newDB(p), newCompletion(p), newMan(p), newVersion(p))
	root.AddCommand(topics()...)
	root.SetHelpCommandGroupID(careGroup)
	root.SetHelpCommand(newHelp())
	p.completeFlags(root)
	return root
}

// check refuses global flags that cannot be meant with the command.
func (p *program) check(cmd *cobra.Command) error {
	if err := p.flags.check(); err != nil {
		return err
	}
	return p.checkFields(cmd)
}

// check refuses global flags that cannot be meant.
func (f *globalFlags) check() error {
	if f.json.Asked {
		if f.format != "" && f.format != string(formatJSON) {
			return kb.Errorf(kb.Usage, "--json and --format %s say different things", f.format).WithHint("Give one of them.")
		}
		f.format = string(formatJSON)
	}
	if f.format != "" && !slices.Contains(formats, format(f.format)) {
		return kb.Errorf(kb.Usage, "there is no format %q", f.format).WithHint("Formats are human, json and brief.")
	}
	if f.in != "" && f.space != "" {
		return kb.Errorf(kb.Usage, "--in and --space both choose a space").WithHint("Give one of them.")
	}
	return nil
}

// options are what app is opened with.
func (p *program) options() (app.Options, error) {
	opts := app.Options{Place: p.place(), Space: p.flags.space, Now: p.env.Now, Hint: hintOf}
	name := p.flags.actor
	if name == "" {
		var err error
		if name, err = p.setting("actor"); err != nil {
			return opts, err
		}
	}
	var err error
	opts.Actor, err = kb.ParseActor(name)
	return opts, err
}

// setting returns the value of a configuration key, from wherever it is set.
func (p *program) setting(key string) (string, error) {
	cfg, err := p.config()
	if err != nil {
		return "", err
	}
	return cfg.Value(key)
}

// access says what a command needs of the memory before it starts.
type access int

const (
	existing     access = iota // fail when there is no memory yet
	create                     // make the memory when there is none
	synced                     // as existing; a directory that was never synced is synced first
	createSynced               // as synced; make the memory when there is none
)

// watching is for processes that live long.
func watching(o *app.Options) { o.Watch = true }

// withApp opens the memory, takes the directory of --in for the current
// space, runs do and closes the memory.
func (p *program) withApp(ctx context.Context, need access, do func(*app.App) error, set ...func(*app.Options)) (err error) {
	defer func() { err = amongNotes(p.env.Dir, err) }()
	opts, err := p.options()
	if err != nil {
		return err
	}
	for _, s := range set {
		s(&opts)
	}
	if _, err := p.format(); err != nil {
		return err // before something is done whose answer could not be printed
	}
	a, err := app.Open(ctx, opts, need == create || need == createSynced || p.flags.in != "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	for _, line := range a.Recovered() {
		p.note("%s", line)
	}
	if p.flags.in != "" {
		space, err := a.Spaces().Attach(ctx, p.flags.in)
		if err != nil {
			return err
		}
		tellSpace(p, space)
		if err := askAboutScan(ctx, p, space); err != nil {
			return err
		}
		a = a.In(space.Name)
	}
	defer func() {
		for _, n := range a.Notes() {
			p.note("note: %s", n)
		}
	}()
	if need == synced || need == createSynced {
		if err := p.freshen(ctx, a, app.FreshenRequest{New: true}); err != nil {
			return err
		}
	}
	return do(a)
}

// withFresh is withApp for what is asked about a whole space, or all of them:
// files that changed are read first.
func (p *program) withFresh(ctx context.Context, all bool, do func(*app.App) error) error {
	return p.withApp(ctx, existing, func(a *app.App) error {
		if err := p.freshen(ctx, a, app.FreshenRequest{All: all}); err != nil {
			return err
		}
		return do(a)
	})
}

// freshen has changed files read before a command asks about them.
func (p *program) freshen(ctx context.Context, a *app.App, req app.FreshenRequest) error {
	bar := p.progress()
	defer bar.Stop()
	req.Progress = bar.Report
	notes, err := a.Freshen(ctx, req)
	for _, n := range notes {
		p.note("note: %s", n)
	}
	return err
}

// note prints a line about how the run went on standard error: as a JSON
// object where errors are JSON, so that whoever reads one line there reads all.
func (p *program) note(format string, args ...any) {
	if p.flags.quiet {
		return
	}
	text := cleanText(fmt.Sprintf(format, args...))
	if p.wantsJSON() {
		line, err := terminal.JSON(struct {
			Note string `json:"note"`
		}{text}, false)
		if err == nil {
			text = string(line)
		}
	}
	fmt.Fprintln(p.env.Stderr, text)
}
