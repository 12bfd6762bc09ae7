package app

import (
	"context"
	"path/filepath"

	"github.com/cairn-kb/cairn/internal/calendar/presets"
	"github.com/cairn-kb/cairn/internal/calendar/tree"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// NothingYet reports whether err only says that nothing was ever stored: there
// is no memory, or no space in it.
func NothingYet(err error) bool { return space.NothingYet(err) }

// Spaces are the spaces of a memory, as a caller sees them.
type Spaces struct {
	registry *space.Registry
	layout   *presets.Engine
	guard    *gitsync.Engine
	change   *change.Engine
	fresh    *freshness.Engine
	retrieve *retrieve.Engine
	actor    kb.Actor
}

// Spaces returns the spaces of the memory.
func (a *App) Spaces() Spaces {
	return Spaces{a.spaces, a.layout, a.guard, a.change, a.fresh, a.retrieve, a.opts.Actor}
}

// List returns all spaces by name.
func (s Spaces) List(ctx context.Context) ([]Space, error) { return s.registry.List(ctx) }

// Activity is what this process has synced since it began.
func (s Spaces) Activity() Activity { return s.fresh.Log.All() }

// Serve returns what tells other processes what this one, a server from now on, syncs.
func (s Spaces) Serve() *freshness.Server { return s.fresh.Serve() }

// Watching says how changes of the files of a space are noticed, and what was read of
// them; nil in a process that does not live long.
func (s Spaces) Watching(space kb.ID) *Watch { return s.fresh.Watch(space) }

// Serving returns what the server of the memory told last of what it read, nil where none
// ever ran.
func (s Spaces) Serving(ctx context.Context) (*Serving, error) { return s.fresh.Served(ctx) }

// Show returns a space with its policy.
func (s Spaces) Show(ctx context.Context, name string) (Space, error) {
	return s.registry.Show(ctx, name)
}

// Add adds a directory or a space kept in the database, with the pages of its preset;
// see layout.Engine.Add and guard.Engine.Provision.
func (s Spaces) Add(ctx context.Context, req SpaceAdd) (Space, error) {
	return s.guard.Provision(ctx, req, s.layout.Add)
}

// Create makes a directory and adds it, within what an agent may; see
// space.Create.
func (s Spaces) Create(ctx context.Context, req SpaceAdd) (Space, error) {
	return space.Create(ctx, s.registry, req, s.actor, s.Add)
}

// Set changes one setting of a space's policy; see space.Registry.Set.
func (s Spaces) Set(ctx context.Context, req SpaceSet) (Space, error) {
	return s.registry.Set(ctx, req)
}

// Rewrite replaces the policy of a space; see space.Rewrite. An upgrade sees to the pages
// of the preset, too; see layout.Engine.Upgrade.
func (s Spaces) Rewrite(ctx context.Context, req SpaceRewrite) (SpaceRewritten, error) {
	out, err := space.Rewrite(ctx, s.registry, req)
	if err == nil && req.Upgrade {
		out.Pages, err = s.layout.Upgrade(ctx, out.Space, req.DryRun)
	}
	return out, err
}

// Migrate moves the pages of the current space from where they were in an older layout;
// see layout.Engine.Migrate.
func (s Spaces) Migrate(ctx context.Context, req MigrateRequest) (Migration, error) {
	return s.layout.Migrate(ctx, s.change, req)
}

// Remove forgets a space; see space.Registry.Remove.
func (s Spaces) Remove(ctx context.Context, name string) (Space, error) {
	return s.registry.Remove(ctx, name)
}

// Attach returns the space of a directory, into which nothing is written; see
// space.Registry.Attach. In makes it the current space.
func (s Spaces) Attach(ctx context.Context, dir string) (Space, error) {
	return s.registry.Attach(ctx, dir)
}

// Directories returns the spaces that are directories, by name. It costs little
// enough to be asked again and again.
func (s Spaces) Directories(ctx context.Context) ([]kb.Space, error) {
	return s.registry.Directories(ctx)
}

// Closed returns the directories of spaces whose files agents change through cairn only.
func (s Spaces) Closed(ctx context.Context) (dirs []string, err error) {
	all, err := s.registry.Directories(ctx)
	for _, each := range all {
		if p, _, err := s.registry.Policy(ctx, each, nil); err == nil && p.Permissions.Closed {
			dirs = append(dirs, each.Root)
		}
	}
	return dirs, err
}

// Skills are the directories in which spaces keep skills that their user registers.
func (s Spaces) Skills(ctx context.Context) (dirs []string, err error) {
	all, err := s.registry.Directories(ctx)
	for _, each := range all {
		if p, _, err := s.registry.Policy(ctx, each, nil); err == nil && p.Skills != "" {
			dirs = append(dirs, filepath.Join(each.Root, filepath.FromSlash(p.Skills)))
		}
	}
	return dirs, err
}

// Default makes a space the default; with no name it returns the present
// one.
func (s Spaces) Default(ctx context.Context, name string) (Space, error) {
	return s.registry.Default(ctx, name)
}

// Map gives the working directories that match glob to a space.
func (s Spaces) Map(ctx context.Context, glob, name string) (Mapping, error) {
	return s.registry.Map(ctx, glob, name)
}

// Unmap removes a mapping.
func (s Spaces) Unmap(ctx context.Context, glob string) error { return s.registry.Unmap(ctx, glob) }

// Maps returns the mappings by glob.
func (s Spaces) Maps(ctx context.Context) ([]Mapping, error) { return s.registry.Maps(ctx) }

// Notes returns, a line each and once, what was found out about the directories
// that the caller works in: a second place of a space, or one that has moved.
func (a *App) Notes() []string { return a.notices.Take() }

// CurrentName is the name of the space that commands use when none is named,
// "" where none of several is chosen.
func (s Spaces) CurrentName(ctx context.Context) (string, error) {
	meant, err := s.registry.Meant(ctx)
	if err != nil || len(meant) != 1 {
		return "", err
	}
	return meant[0].Name, nil
}

// Current describes the space that commands use when none is named.
func (s Spaces) Current(ctx context.Context) (Space, error) {
	current, err := s.registry.Current(ctx)
	if err != nil {
		return Space{}, err
	}
	return s.registry.Describe(ctx, current)
}

// Refs returns at most limit refs that start with prefix, for completion, and
// how many there are; see ref.Resolver.Complete.
func (a *App) Refs(ctx context.Context, prefix string, limit int, typed bool) (out []string, total int, err error) {
	return a.refs.Complete(ctx, prefix, limit, typed)
}

// MergeFile puts three versions of a file together, as git asks for it; see guard.MergeFile.
func MergeFile(ctx context.Context, req MergeRequest) (bool, error) {
	return gitsync.MergeFile(ctx, Codecs(), req)
}

// Tables returns the tables that the policy of the current space has on pages.
func (s Spaces) Tables() Tables { return Tables{Change: s.change} }

// Tree returns the space that is served by its paths, as the caller may use it.
func (s Spaces) Tree() Tree { return &tree.Engine{Change: s.change} }

// Fields finds pages by their fields alone; see retrieve.Engine.Fields.
func (s Spaces) Fields(ctx context.Context, req FieldsRequest) (FieldHits, error) {
	return s.retrieve.Fields(ctx, req)
}

// Rank is how the current space ranks the answers to questions; see space.Rank.
func (s Spaces) Rank(ctx context.Context) (string, error) { return space.Rank(ctx, s.registry) }

// Project says which project a directory is of, by default the caller's; see
// space.ProjectOf.
func (s Spaces) Project(ctx context.Context, dir string) Project {
	var own kb.Space
	if w, err := s.registry.OpenCurrent(ctx); err == nil {
		own = w.Space
	}
	return space.ProjectOf(s.registry, dir, own)
}
