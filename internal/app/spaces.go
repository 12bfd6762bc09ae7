package app

import (
	"context"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/space"
)

// NothingYet reports whether err only says that nothing was ever stored: there
// is no memory, or no space in it.
func NothingYet(err error) bool { return space.NothingYet(err) }

// SpaceList returns all spaces by name.
func (a *App) SpaceList(ctx context.Context) ([]Space, error) { return a.spaces.List(ctx) }

// SpaceShow returns a space with its policy.
func (a *App) SpaceShow(ctx context.Context, name string) (Space, error) {
	return a.spaces.Show(ctx, name)
}

// SpaceAdd adds a directory or a space kept in the database; see
// space.Registry.Add.
func (a *App) SpaceAdd(ctx context.Context, req SpaceAdd) (Space, error) {
	return a.spaces.Add(ctx, req)
}

// SpaceSet changes one setting of a space's policy; see space.Registry.Set.
func (a *App) SpaceSet(ctx context.Context, req SpaceSet) (Space, error) {
	return a.spaces.Set(ctx, req)
}

// SpaceRemove forgets a space; see space.Registry.Remove.
func (a *App) SpaceRemove(ctx context.Context, name string) (Space, error) {
	return a.spaces.Remove(ctx, name)
}

// Attach returns the space of a directory, into which nothing is written; see
// space.Registry.Attach. In makes it the current space.
func (a *App) Attach(ctx context.Context, dir string) (Space, error) {
	return a.spaces.Attach(ctx, dir)
}

// Directories returns the spaces that are directories, by name. It costs little
// enough to be asked again and again.
func (a *App) Directories(ctx context.Context) ([]kb.Space, error) {
	return a.spaces.Directories(ctx)
}

// SpaceDefault makes a space the default; with no name it returns the present
// one.
func (a *App) SpaceDefault(ctx context.Context, name string) (Space, error) {
	return a.spaces.Default(ctx, name)
}

// SpaceMap gives the working directories that match glob to a space.
func (a *App) SpaceMap(ctx context.Context, glob, name string) (Mapping, error) {
	return a.spaces.Map(ctx, glob, name)
}

// SpaceUnmap removes a mapping.
func (a *App) SpaceUnmap(ctx context.Context, glob string) error { return a.spaces.Unmap(ctx, glob) }

// SpaceMaps returns the mappings by glob.
func (a *App) SpaceMaps(ctx context.Context) ([]Mapping, error) { return a.spaces.Maps(ctx) }

// Notes returns, a line each and once, what was found out about the directories
// that the caller works in: a second place of a space, or one that has moved.
func (a *App) Notes() []string { return a.notices.Take() }

// CurrentName is the name of the space that commands use when none is named,
// "" where none of several is chosen.
func (a *App) CurrentName(ctx context.Context) (string, error) {
	meant, err := a.spaces.Meant(ctx)
	if err != nil || len(meant) != 1 {
		return "", err
	}
	return meant[0].Name, nil
}

// Current describes the space that commands use when none is named.
func (a *App) Current(ctx context.Context) (Space, error) {
	s, err := a.spaces.Current(ctx)
	if err != nil {
		return Space{}, err
	}
	return a.spaces.Describe(ctx, s)
}

// Refs returns at most limit refs that start with prefix, for completion, and
// how many there are; see ref.Resolver.Complete.
func (a *App) Refs(ctx context.Context, prefix string, limit int, typed bool) (out []string, total int, err error) {
	return a.refs.Complete(ctx, prefix, limit, typed)
}
