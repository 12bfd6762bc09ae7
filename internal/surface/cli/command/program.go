package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
	"github.com/cairn-kb/cairn/internal/upkeep"
)

// GroupRead is the group of the commands that only read pages.
const GroupRead = "read"

// Program is one run: its environment and its global flags.
type Program struct {
	Env            Env
	stdout, stderr io.Writer         // for other programs and for drawing, as the process has them
	waiting        *terminal.Waiting // nil where nobody watches
	Flags          GlobalFlags
	lists          map[*cobra.Command]func() []string // commands that print a list, with the fields of its items
	paged          []byte                             // what waits for the pager
	reads          bool                               // the command only reads pages
}

// GlobalFlags are the flags that every command has.
type GlobalFlags struct {
	DB, Space, In, Actor string
	Format               string
	JSON                 terminal.JSONFlag
	namespace            string // another name for Space
	Quiet, noColor       bool
	color                string // auto, always or never
	noPager              bool
}

// colors are the values of --color.
var colors = []string{"auto", "always", "never"}

// New begins a run. Streams that are not terminals stop with ctx.
func New(ctx context.Context, env Env) *Program {
	p := &Program{Env: env, stdout: env.Stdout, stderr: env.Stderr}
	if !env.StdoutTTY {
		p.Env.Stdout = terminal.Stoppable(ctx, env.Stdout, env.After)
	}
	if !env.StderrTTY {
		p.Env.Stderr = terminal.Stoppable(ctx, env.Stderr, env.After)
	} else if env.Tick != nil && env.Getenv("TERM") != "dumb" {
		p.waiting = terminal.NewWaiting(env.Stderr, env.Now, env.Tick)
		p.Env.Stdout, p.Env.Stderr = p.waiting.Before(p.Env.Stdout), p.waiting.Before(env.Stderr)
	}
	return p
}

// AddFlags adds the global flags to the root of all commands.
func (p *Program) AddFlags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringVar(&p.Flags.DB, "db", "", "the memory's database `file` (default: CAIRN_DB, else memory.db in the data directory)")
	f.StringVarP(&p.Flags.Space, "space", "s", "", "work in the space of this `name`")
	f.StringVar(&p.Flags.namespace, "namespace", "", "as --space")
	if err := f.MarkHidden("namespace"); err != nil {
		panic(err) // the flag is the line above
	}
	f.StringVar(&p.Flags.In, "in", "", "work in the space of this `directory`, attached when it is none yet; nothing is written into it")
	f.StringVar(&p.Flags.Format, "format", "", "print records as human, json, brief or lines (default: human on a terminal, else json)")
	f.Var(&p.Flags.JSON, "json", "the same as --format json; errors are JSON too. --json=ref,title prints only these fields of a list's items")
	f.Lookup("json").NoOptDefVal = "true"
	f.BoolVarP(&p.Flags.Quiet, "quiet", "q", false, "print no progress, warnings and confirmations")
	f.StringVar(&p.Flags.Actor, "actor", "", "author of the write: `name` of an agent, or kind:name, such as human:ada")
	f.StringVar(&p.Flags.color, "color", "auto", "print colours and bold text `when`: auto (on a terminal), always or never")
	f.BoolVar(&p.Flags.noColor, "no-color", false, "the same as --color never (also: NO_COLOR)")
	f.BoolVar(&p.Flags.noPager, "no-pager", false, "do not show long output in a pager (also: CAIRN_PAGER=cat)")
	f.SortFlags = false
	p.completeFlags(root)
}

// Check refuses global flags that cannot be meant with the command.
func (p *Program) Check(cmd *cobra.Command) error {
	if err := p.Flags.check(); err != nil {
		return err
	}
	top := cmd
	for top.HasParent() && top.Parent().HasParent() {
		top = top.Parent()
	}
	p.reads = top.GroupID == GroupRead
	name := strings.TrimPrefix(cmd.CommandPath(), "cairn ")
	switch {
	case slices.Contains(oneSpace, name):
		if p.Flags.In != "" {
			return UsageError(cmd, "%s takes no --in: name the space with --space", name)
		}
	case (p.Flags.Space != "" || p.Flags.In != "") && slices.Contains(wholeMemory, top.Name()):
		return UsageError(cmd, "%s works on the whole memory; it takes no --space and --in", name)
	}
	return p.checkFields(cmd)
}

// wholeMemory are the commands that no space changes.
var wholeMemory = []string{"completion", "config", "db", "maintain", "man", "model", "serve", "version"}

// oneSpace are the commands of the whole memory that --space limits to one space.
var oneSpace = []string{"db validate", "validate"}

// check refuses global flags that cannot be meant.
func (f *GlobalFlags) check() error {
	if f.JSON.Asked {
		if f.Format != "" && f.Format != string(FormatJSON) {
			return kb.Errorf(kb.Usage, "--json conflicts with --format %s", f.Format).WithHint("Give one of them.")
		}
		f.Format = string(FormatJSON)
	}
	if f.Format != "" && !slices.Contains(formats, Format(f.Format)) {
		return kb.Errorf(kb.Usage, "unknown format %q", f.Format).WithHint("Formats are human, json, brief and lines.")
	}
	if !slices.Contains(colors, f.color) {
		return kb.Errorf(kb.Usage, "unknown value %q of --color", f.color).WithHint("It is auto, always or never.")
	}
	if f.namespace != "" {
		if f.Space != "" && f.Space != f.namespace {
			return kb.Errorf(kb.Usage, "--space and --namespace name two spaces").WithHint("Give one of them.")
		}
		f.Space = f.namespace
	}
	if f.In != "" && f.Space != "" {
		return kb.Errorf(kb.Usage, "--in and --space both choose a space").WithHint("Give one of them.")
	}
	return nil
}

// Options are what app is opened with.
func (p *Program) Options() (memory.Options, error) {
	opts := memory.Options{Hooks: upkeep.Hooks(), Place: p.Place(), Space: p.Flags.Space, Now: p.Env.Now, Hint: HintOf}
	name := p.Flags.Actor
	if name == "" {
		var err error
		if name, err = p.Setting("actor"); err != nil {
			return opts, err
		}
	}
	var err error
	opts.Actor, err = kb.ParseActor(name)
	return opts, err
}

// PersonOnly refuses an agent what only a person may do; see space.PersonOnly.
func (p *Program) PersonOnly(command, what string) error {
	opts, err := p.Options()
	if err != nil {
		return err
	}
	return space.PersonOnly(opts.Actor, command, what)
}

// MayWrite refuses an agent to write files into spaces; see memory.MayWrite.
func (p *Program) MayWrite(ctx context.Context, command string, paths ...string) error {
	opts, err := p.Options()
	if err != nil {
		return err
	}
	return memory.MayWrite(ctx, opts, command, paths...)
}

// Setting returns the value of a configuration key, from wherever it is set.
func (p *Program) Setting(key string) (string, error) {
	return p.Place().Setting(key)
}

// Access is the memory state that a command needs before it starts.
type Access int

const (
	Existing     Access = iota // fail when there is no memory yet
	Create                     // make the memory when there is none
	Synced                     // as existing; a directory that was never synced is synced first
	CreateSynced               // as synced; make the memory when there is none
)

// Watching is for processes that live long.
func Watching(o *memory.Options) { o.Watch = true }

// WithApp opens the memory, takes the directory of --in for the current
// space, runs do and closes the memory.
func (p *Program) WithApp(ctx context.Context, need Access, do func(*memory.Session) error, set ...func(*memory.Options)) (err error) {
	defer func() { err = amongNotes(p.Env.Dir, err) }()
	opts, err := p.Options()
	if err != nil {
		return err
	}
	for _, s := range set {
		s(&opts)
	}
	if _, err := p.Format(); err != nil {
		return err // before work that could not report its result
	}
	if !opts.Watch && !p.Flags.Quiet {
		p.waiting.Begin()
		defer p.waiting.End()
	}
	a, err := memory.Open(ctx, opts, need == Create || need == CreateSynced || p.Flags.In != "")
	if err != nil {
		return err
	}
	defer func(opened *memory.Session) { err = errors.Join(err, opened.Close()) }(a)
	for _, line := range a.Recovered() {
		p.Note("%s", line)
	}
	if p.Flags.In != "" {
		space, err := a.Spaces.Attach(ctx, p.Flags.In)
		if err != nil && p.reads && kb.AsError(err).Reason == kb.PersonOnly {
			// Only a person attaches a directory. An agent's question is answered from
			// an index of its own.
			opts.Temporary, opts.ReadOnly = true, true
			if a, err = memory.Open(ctx, opts, true); err != nil {
				return err
			}
			defer func(opened *memory.Session) { err = errors.Join(err, opened.Close()) }(a)
			p.Note("note: an agent attaches no directory: this answer is from an index that is not kept; a person keeps it with cairn space add %s", safetext.Word(p.Flags.In))
			space, err = a.As(kb.Actor{Kind: kb.Schedule}).Spaces.Attach(ctx, p.Flags.In)
		}
		if err != nil {
			return err
		}
		TellSpace(p, space)
		a = a.In(space.Name)
	}
	defer func() {
		for _, n := range a.Notes() {
			p.Note("note: %s", n)
		}
	}()
	if need == Synced || need == CreateSynced {
		if err := p.Freshen(ctx, a, read.FreshenRequest{New: true}); err != nil {
			return err
		}
	}
	return do(a)
}

// WithFresh is WithApp for questions about a whole space, or all of them:
// changed files are read first.
func (p *Program) WithFresh(ctx context.Context, all bool, do func(*memory.Session) error) error {
	return p.WithApp(ctx, Existing, func(a *memory.Session) error {
		if err := p.Freshen(ctx, a, read.FreshenRequest{All: all}); err != nil {
			return err
		}
		return do(a)
	})
}

// Freshen has changed files read before a command asks about them.
func (p *Program) Freshen(ctx context.Context, a *memory.Session, req read.FreshenRequest) error {
	bar := p.Progress()
	defer bar.Stop()
	req.Progress = bar.Report
	notes, err := read.Freshen(ctx, a, req)
	for _, n := range notes {
		p.Note("note: %s", n)
	}
	return err
}

// Note prints a line about the run on standard error: as a JSON object where
// errors are JSON, so that a program that parses one line there can parse all.
func (p *Program) Note(format string, args ...any) {
	if p.Flags.Quiet {
		return
	}
	text := safetext.Text(fmt.Sprintf(format, args...))
	if p.wantsJSON() {
		line, err := terminal.JSON(struct {
			Note string `json:"note"`
		}{strings.TrimPrefix(text, "note: ")}, false)
		if err == nil {
			text = string(line)
		}
	}
	fmt.Fprintln(p.Env.Stderr, text)
}

// Config reads the configuration.
func (p *Program) Config() (*space.Config, error) {
	return space.Load(p.Place())
}

// Place is what the paths of the configuration and the memory depend on.
func (p *Program) Place() space.Place {
	return space.Place{Env: p.Env.Getenv, Dir: p.Env.Dir, Home: p.Env.Home, DB: p.Flags.DB, Host: p.Env.Host}
}
