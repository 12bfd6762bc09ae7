package care

import (
	"context"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/setup"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
	"github.com/cairn-kb/cairn/internal/transfer/exporter"
)

func newUninstall(p *command.Program) *cobra.Command {
	var u uninstall
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Take cairn out of clients and of the system",
		Long: `Take cairn out of the configuration of every client, as cairn setup --remove
does for one, and remove the services of cairn serve --install and cairn
maintain --install. The memory, the settings and the notes stay: they are
listed, with the commands that delete files of cairn.

Pages that agents remembered outside of any directory are only in the memory.
--export writes the documents of such spaces into a directory first, each into a
directory of its name. An existing file with other bytes is never overwritten:
then nothing is changed at all.

cairn setup CLIENT sets a client up again.`,
		Example: `  cairn uninstall --dry-run
  cairn uninstall --export ~/remembered`,
		Args: command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error { return u.run(cmd.Context(), p) },
	}
	f := cmd.Flags()
	f.StringVar(&u.export, "export", "", "write pages that are only in the memory into this `directory`")
	f.BoolVarP(&u.DryRun, "dry-run", "n", false, "change nothing; list what would be removed")
	return cmd
}

// uninstall is what cairn uninstall does, and prints.
type uninstall struct {
	Clients  []string          `json:"clients"`
	Files    []setup.Change    `json:"files"`    // of the clients
	Services []string          `json:"services"` // the files of services that were removed
	Exported []exporter.Result `json:"exported"`
	OnlyHere []onlyHere        `json:"only_here"` // spaces with pages that are in no file
	Left     []left            `json:"left"`
	Next     []string          `json:"next"` // commands that stop services, and delete what is left
	DryRun   bool              `json:"dry_run,omitempty"`

	export string
	delete []string // paths of Left that cairn made
}

// onlyHere is a space whose pages are only in the memory.
type onlyHere struct {
	Space     string `json:"space"`
	Pages     int    `json:"pages,omitempty"`
	Forgotten bool   `json:"forgotten,omitempty"` // by space rm; it can be restored
}

// left is a file or directory that stays.
type left struct {
	Path string `json:"path"`
	What string `json:"what"`
}

func (u *uninstall) run(ctx context.Context, p *command.Program) error {
	if err := p.PersonOnly("uninstall", "take cairn out of clients"); err != nil {
		return err
	}
	u.Clients, u.Files, u.Services = []string{}, []setup.Change{}, []string{}
	u.Exported, u.OnlyHere, u.Left, u.Next = []exporter.Result{}, []onlyHere{}, []left{}, []string{}
	// In this order, so that nothing is gone when pages cannot be written.
	if err := u.pages(ctx, p); err != nil {
		return err
	}
	if err := u.clients(ctx, p); err != nil {
		return err
	}
	if err := u.services(ctx, p); err != nil {
		return setup.Halfway(err, u.changed())
	}
	if err := u.remains(p); err != nil {
		return setup.Halfway(err, u.changed())
	}
	return p.Did(u, u.print, func(o *terminal.Page) {
		for _, l := range u.Left {
			o.Linef("%s\t%s", l.Path, l.What)
		}
	})
}

// changed lists the files that were changed up to here.
func (u *uninstall) changed() (out []string) {
	if u.DryRun {
		return nil
	}
	for _, ch := range u.Files {
		if ch.Action != setup.Kept {
			out = append(out, ch.Path)
		}
	}
	return append(out, u.Services...)
}

// pages exports pages that no file has, and lists the directories of spaces.
func (u *uninstall) pages(ctx context.Context, p *command.Program) error {
	err := p.WithApp(ctx, command.Existing, func(a *memory.Session) error {
		all, err := a.Spaces.List(ctx)
		if err != nil {
			return err
		}
		for _, s := range all {
			switch {
			case s.Root != "":
				u.stays(filepath.Join(s.Root, ".cairn"), "the policy of "+s.Name+", which you may have written", false)
			case s.Pages == nil || *s.Pages == 0:
			case u.export == "" || u.DryRun:
				u.OnlyHere = append(u.OnlyHere, onlyHere{Space: s.Name, Pages: *s.Pages})
			default:
				r, err := exporter.ExportDirectory(ctx, a, exporter.Request{Space: s.Name, Dir: filepath.Join(p.Place().Absolute(u.export), s.Name)})
				if err != nil {
					return err
				}
				u.Exported = append(u.Exported, r)
			}
		}
		forgotten, err := a.Spaces.Forgotten(ctx)
		for _, s := range forgotten {
			if s.Root == "" {
				u.OnlyHere = append(u.OnlyHere, onlyHere{Space: s.Name, Forgotten: true})
			}
		}
		return err
	})
	if space.NothingYet(err) || err != nil && kb.AsError(err).Reason == kb.NoDatabase {
		return nil
	}
	return err
}

// clients takes cairn out of the clients that are set up.
func (u *uninstall) clients(ctx context.Context, p *command.Program) error {
	place := p.SetupPlace()
	for _, scope := range []setup.Scope{setup.User, setup.Project} {
		var names []string
		for _, c := range place.Clients(ctx) {
			if scope == setup.User && c.User || scope == setup.Project && c.Project {
				names = append(names, c.Client)
			}
		}
		if len(names) == 0 {
			continue
		}
		plan, err := place.Plan(ctx, setup.Request{Clients: names, Scope: scope, Remove: true})
		if err != nil {
			return setup.Halfway(err, u.changed())
		}
		if !u.DryRun {
			if err := place.Apply(ctx, plan.Changes, u.changed()...); err != nil {
				return err
			}
		}
		u.Clients = append(u.Clients, names...)
		for _, ch := range plan.Changes {
			ch.Diff = ""
			if ch.Action != setup.Unchanged {
				u.Files = append(u.Files, ch)
			}
			if ch.Backup != "" {
				u.stays(ch.Backup, "a client's file before cairn changed it", false)
			}
		}
	}
	slices.Sort(u.Clients)
	u.Clients = slices.Compact(u.Clients)
	return nil
}

// services removes what starts cairn by itself.
func (u *uninstall) services(ctx context.Context, p *command.Program) error {
	all, err := command.Timer(p)
	if err != nil {
		return nil // this system has none
	}
	spec, err := command.ServiceSpec(p, "serve")
	if err != nil {
		return err
	}
	spec.OS = runtime.GOOS
	serve, err := setup.New(spec)
	if err != nil {
		return err
	}
	slices.Reverse(all) // what starts the others first
	for _, s := range append(all, serve) {
		there, _, _, err := s.Installed()
		if err != nil {
			return err
		}
		if !there {
			continue
		}
		if !u.DryRun {
			if _, err := s.Remove(ctx); err != nil {
				return err
			}
		}
		u.Services = append(u.Services, s.Path)
		u.Next = append(u.Next, s.Stop...)
	}
	return nil
}

// besideMemory are what the names of the files of a memory end with, after the name of its
// database. Other files may begin with that name, too.
var besideMemory = []string{"", "-wal", "-shm", ".locks", ".token", ".tokens", ".address", ".host", ".login.html", ".tickets"}

// remains lists the memory, the settings and the program.
func (u *uninstall) remains(p *command.Program) error {
	opts, err := p.Options()
	if err != nil {
		return err
	}
	db, err := space.DatabasePath(opts.Place)
	if err != nil {
		return err
	}
	if filepath.IsAbs(db) {
		for _, suffix := range besideMemory {
			u.stays(db+suffix, "the memory: remembered pages, and the history of all", len(u.OnlyHere) == 0)
		}
	} else {
		u.Left = append(u.Left, left{db, "the memory"})
	}
	if path := space.Path(p.Place()); path != "" {
		u.stays(path, "the settings", true)
	}
	u.stays(p.Env.Program, "the program", false)
	if len(u.delete) > 0 {
		quoted := make([]string, len(u.delete))
		for i, path := range u.delete {
			quoted[i] = setup.ShellWord(path)
		}
		u.Next = append(u.Next, "rm -r "+strings.Join(quoted, " "))
	}
	return nil
}

// stays notes a file or directory that is there and stays; made ones are cairn's to delete.
func (u *uninstall) stays(path, what string, made bool) {
	if path == "" || !fsys.Exists(path) {
		return
	}
	u.Left = append(u.Left, left{path, what})
	if made {
		u.delete = append(u.delete, path)
	}
}

func (u *uninstall) print(o *terminal.Page) {
	did := map[bool]string{true: "would be "}[u.DryRun]
	for _, r := range u.Exported {
		o.Linef("exported %s of %s to %s", terminal.Count(r.Documents, "document"), o.Style.Title(r.Space), r.Dir)
	}
	for _, ch := range u.Files {
		o.Linef("%s%s %s", did, o.Style.Title(string(ch.Action)), ch.Path)
		if ch.Note != "" {
			o.Linef("  %s", o.Style.Aside(ch.Note))
		}
	}
	for _, path := range u.Services {
		o.Linef("%sremoved %s", did, path)
	}
	if len(u.Files)+len(u.Services) == 0 {
		o.Linef("no client is set up, and no service installed")
	}
	for _, s := range u.OnlyHere {
		if s.Forgotten {
			o.Linef("%s: the forgotten space %s is in no file: cairn space restore %[2]s, or cairn space rm %[2]s --purge", o.Style.Warn("kept"), s.Space)
			continue
		}
		o.Linef("%s: %s has %s that no file has: cairn uninstall --export DIR", o.Style.Warn("kept"), o.Style.Title(s.Space), terminal.Count(s.Pages, "page"))
	}
	o.Linef("")
	o.Linef("left:")
	for _, l := range u.Left {
		o.Linef("  %s  %s", l.Path, o.Style.Aside(l.What))
	}
	if len(u.Next) > 0 {
		o.Linef("")
		o.Linef("to stop services, and to delete files of cairn:")
		for _, line := range u.Next {
			o.Linef("  %s", line)
		}
	}
}
