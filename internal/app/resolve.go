package app

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/cairn-kb/cairn/internal/config"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/write"
)

const defaultSpaceKey = "default_space"

// current returns the space that a command without --space means: the chosen
// one, else the only one. It refuses to take one of several: what one project
// learned does not belong into another's notes.
func (a *App) current(ctx context.Context) (kb.Space, error) {
	meant, err := a.meant(ctx)
	if err == nil && len(meant) != 1 {
		err = undecided(meant)
	}
	if err != nil {
		return kb.Space{}, err
	}
	return meant[0], nil
}

// meant returns the spaces that a question without --space is about: the
// current one, and where none of several is chosen, all.
func (a *App) meant(ctx context.Context) ([]kb.Space, error) {
	s, all, err := a.chosen(ctx)
	switch {
	case err != nil:
		return nil, err
	case s.Row != 0:
		return []kb.Space{s}, nil
	case len(all) == 0:
		return nil, undecided(all)
	}
	return all, nil
}

// chosen returns the space that somebody chose for the caller: the one asked
// for or set in the environment; the one that the working directory is mapped
// to or lies in; the default; the one configured. Without one its Row is 0. It
// also returns all spaces.
func (a *App) chosen(ctx context.Context) (kb.Space, []kb.Space, error) {
	all, err := a.spaces(ctx)
	if err != nil {
		return kb.Space{}, nil, err
	}
	s, err := a.choose(ctx, all)
	return s, all, err
}

func (a *App) choose(ctx context.Context, all []kb.Space) (kb.Space, error) {
	if a.opts.Space != "" {
		return a.byName(ctx, a.opts.Space)
	}
	if name := a.opts.Env("CAIRN_SPACE"); name != "" {
		return a.byName(ctx, name)
	}
	var (
		maps []store.Mapping
		def  string
	)
	err := a.db.View(ctx, func(tx store.Tx) (err error) {
		if maps, err = tx.Spaces().Maps(ctx); err != nil {
			return err
		}
		def, err = tx.Settings().Get(ctx, defaultSpaceKey)
		return err
	})
	if err != nil {
		return kb.Space{}, err
	}
	if s, ok := spaceOfDir(all, maps, pathsOf(a.opts.Dir), pathsOf(a.opts.Home)); ok {
		return s, nil
	}
	if i := slices.IndexFunc(all, func(s kb.Space) bool { return string(s.ID) == def }); i >= 0 {
		return all[i], nil
	}
	cfg, err := config.Load(a.opts.Place)
	if err != nil {
		return kb.Space{}, err
	}
	if name, _, err := cfg.Get("space"); err == nil && name != "" {
		return a.byName(ctx, name)
	}
	return kb.Space{}, nil
}

// pathsOf returns the paths by which a directory is known: as it was given, and
// where symbolic links lead. Spaces keep the latter, mappings what was written.
func pathsOf(dir string) []string {
	if dir == "" {
		return nil
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil || real == dir {
		return []string{dir} // a directory that is gone is in its space all the same
	}
	return []string{dir, real}
}

// spaceOfDir decides by the working directory, by any of its names. The most
// specific entry wins: of maps the one with the longest glob, and a space's own
// root counts as a glob of its length. The home directory and the root never
// match, since everything lies in them.
func spaceOfDir(all []kb.Space, maps []store.Mapping, dirs, homes []string) (kb.Space, bool) {
	best, length := int64(0), 0
	for _, dir := range dirs {
		if slices.Contains(homes, dir) || filepath.Dir(dir) == dir {
			continue
		}
		slash := filepath.ToSlash(dir)
		for _, m := range maps {
			ok, err := doublestar.Match(m.Glob, slash)
			if err != nil || !ok {
				// A glob of a directory means everything below it, too.
				ok, err = doublestar.Match(strings.TrimSuffix(m.Glob, "/")+"/**", slash)
			}
			if err == nil && ok && len(m.Glob) > length {
				best, length = m.Space, len(m.Glob)
			}
		}
		for _, s := range all {
			root := filepath.ToSlash(s.Root)
			if root != "" && !slices.Contains(homes, s.Root) && (slash == root || strings.HasPrefix(slash, root+"/")) && len(root) > length {
				best, length = s.Row, len(root)
			}
		}
	}
	i := slices.IndexFunc(all, func(s kb.Space) bool { return s.Row == best })
	if i < 0 {
		return kb.Space{}, false
	}
	return all[i], true
}

// CurrentName is the name of the space that commands use when none is named,
// "" where none of several is chosen.
func (a *App) CurrentName(ctx context.Context) (string, error) {
	meant, err := a.meant(ctx)
	if err != nil || len(meant) != 1 {
		return "", err
	}
	return meant[0].Name, nil
}

// Current describes the space that commands use when none is named.
func (a *App) Current(ctx context.Context) (Space, error) {
	s, err := a.current(ctx)
	if err != nil {
		return Space{}, err
	}
	return a.show(ctx, s)
}

// SpaceDefault makes a space the default; with no name it returns the present
// one.
func (a *App) SpaceDefault(ctx context.Context, name string) (Space, error) {
	if name != "" {
		s, err := a.byName(ctx, name)
		if err != nil {
			return Space{}, err
		}
		err = a.db.Update(ctx, func(tx store.Tx) error {
			return tx.Settings().Set(ctx, defaultSpaceKey, string(s.ID))
		})
		if err != nil {
			return Space{}, err
		}
		return a.show(ctx, s)
	}
	var def string
	all, err := a.spaces(ctx)
	if err == nil {
		err = a.db.View(ctx, func(tx store.Tx) error {
			def, err = tx.Settings().Get(ctx, defaultSpaceKey)
			return err
		})
	}
	if err != nil {
		return Space{}, err
	}
	i := slices.IndexFunc(all, func(s kb.Space) bool { return string(s.ID) == def })
	if i < 0 {
		return Space{}, kb.Errorf(kb.NotFound, "no space is the default").WithHint("Set one: cairn space default NAME").
			WithToolHint("Name a space, or ask the user to set one: cairn space default NAME")
	}
	return a.show(ctx, all[i])
}

// SpaceMap gives the working directories that match glob to a space.
func (a *App) SpaceMap(ctx context.Context, glob, name string) (Mapping, error) {
	s, err := a.byName(ctx, name)
	if err != nil {
		return Mapping{}, err
	}
	glob, err = a.mapGlob(glob)
	if err != nil {
		return Mapping{}, err
	}
	err = a.db.Update(ctx, func(tx store.Tx) error { return tx.Spaces().Map(ctx, glob, s.Row) })
	return Mapping{Glob: glob, Space: s.Name}, err
}

// SpaceUnmap removes a mapping.
func (a *App) SpaceUnmap(ctx context.Context, glob string) error {
	glob, err := a.mapGlob(glob)
	if err != nil {
		return err
	}
	return a.db.Update(ctx, func(tx store.Tx) error { return tx.Spaces().Unmap(ctx, glob) })
}

func (a *App) mapGlob(glob string) (string, error) {
	abs, err := a.opts.Located(glob)
	if err != nil {
		return "", err
	}
	abs = filepath.ToSlash(abs)
	if !doublestar.ValidatePattern(abs) {
		return "", kb.Errorf(kb.Usage, "%q is not a valid pattern", glob)
	}
	if abs == "/" || abs == filepath.ToSlash(a.opts.Home) || abs == "/**" || abs == "/*" {
		return "", kb.Errorf(kb.Usage, "the home directory and the root cannot be mapped: everything lies in them").
			WithHint("Map directories below them, or set a default space: cairn space default NAME").
			WithToolHint("Name a space in the call.")
	}
	return abs, nil
}

// SpaceMaps returns the mappings by glob.
func (a *App) SpaceMaps(ctx context.Context) ([]Mapping, error) {
	all, err := a.spaces(ctx)
	if err != nil {
		return nil, err
	}
	out := []Mapping{}
	err = a.db.View(ctx, func(tx store.Tx) error {
		maps, err := tx.Spaces().Maps(ctx)
		for _, m := range maps {
			i := slices.IndexFunc(all, func(s kb.Space) bool { return s.Row == m.Space })
			if i >= 0 {
				out = append(out, Mapping{Glob: m.Glob, Space: all[i].Name})
			}
		}
		return err
	})
	return out, err
}

// openForNew opens the space that a new page goes to. The first page of a
// memory makes its first space, in the database, so that an agent can remember
// something before anybody has set anything up. A dry run makes none.
func (a *App) openForNew(ctx context.Context, dryRun bool) (_ *write.Space, err error) {
	space, err := a.openCurrent(ctx)
	if dryRun || !NothingYet(err) {
		return space, err
	}
	unlock, err := a.writer.Lock(ctx, kb.Space{ID: "first-space"}) // others may be about to do the same
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if space, err = a.openCurrent(ctx); !NothingYet(err) {
		return space, err
	}
	if _, err := a.addDatabaseSpace(ctx, SpaceAdd{Database: true}); err != nil {
		return nil, err
	}
	return a.openCurrent(ctx)
}

func (a *App) openCurrent(ctx context.Context) (*write.Space, error) {
	s, err := a.current(ctx)
	if err != nil {
		return nil, err
	}
	return a.openRow(ctx, s.Row)
}

// undecided says why no space is decided on: there is none, or there are
// several.
func undecided(all []kb.Space) error {
	if len(all) == 0 {
		return kb.Errorf(kb.NotFound, "%w", errNoSpaces).
			WithHint("Add a directory of notes (cairn space add DIR) or search one (cairn search --in DIR WORDS).").
			WithToolHint("%s", firstPage)
	}
	names := namesOf(all)
	list := strings.Join(names, ", ")
	return kb.Errorf(kb.Ambiguous, "there are %d spaces, and none is chosen", len(all)).
		WithHint("Name one with --space, or set a default: cairn space default NAME. There are %s.", list).
		WithToolHint("Name a space, before a ref (%s:slug) or as the argument space where there is one. There are %s.", names[0], list).With("spaces", names)
}
