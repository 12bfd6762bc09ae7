package app

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// spaceNamespace is the namespace of space ids that are derived from a
// directory: a random UUID, fixed for ever.
var spaceNamespace = uuid.MustParse("5f0c4d6e-95f0-4e0f-8a5e-6f6e2f5b8a11")

const (
	defaultPreset  = "notes"
	databasePreset = "memory"
)

// SpaceList returns all spaces by name.
func (a *App) SpaceList(ctx context.Context) ([]Space, error) {
	all, err := a.spaces(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]Space, 0, len(all))
	for _, s := range all {
		d, err := a.show(ctx, s)
		if err != nil {
			return nil, err
		}
		d.Policy = ""
		out = append(out, d)
	}
	return out, nil
}

// SpaceShow returns a space with its policy.
func (a *App) SpaceShow(ctx context.Context, name string) (Space, error) {
	s, err := a.byName(ctx, name)
	if err != nil {
		return Space{}, err
	}
	return a.show(ctx, s)
}

func (a *App) show(ctx context.Context, s kb.Space) (Space, error) {
	// A policy that is wrong is shown all the same, and one that cannot be read
	// as none: whoever needs it says what is the matter.
	pol, text, _ := a.readPolicy(ctx, s, nil)
	return a.shown(ctx, s, pol, text)
}

// shown describes a space with this policy, nil for none that holds.
func (a *App) shown(ctx context.Context, s kb.Space, pol *policy.Policy, text []byte) (Space, error) {
	var (
		pages int
		def   string
	)
	err := a.db.View(ctx, func(tx store.Tx) error {
		var err error
		if pages, err = countPages(ctx, tx, []int64{s.Row}); err != nil {
			return err
		}
		def, err = tx.Settings().Get(ctx, defaultSpaceKey)
		return err
	})
	if err != nil {
		return Space{}, err
	}
	d := a.describe(s, pol, pages, def == string(s.ID))
	d.Policy = string(text)
	return d, nil
}

// countPages counts the pages of the spaces, of all without any.
func countPages(ctx context.Context, tx store.Tx, spaces []int64) (pages int, err error) {
	statuses, err := tx.Pages().Statuses(ctx, spaces)
	for _, c := range statuses {
		pages += c.N
	}
	return pages, err
}

func (a *App) describe(s kb.Space, pol *policy.Policy, pages int, def bool) Space {
	d := Space{
		ID: s.ID, Name: s.Name, Kind: s.Kind, Root: s.Root, Pages: pages, Default: def,
		CreatedAt: s.Created.UTC(), PolicyIn: "memory",
	}
	if pol != nil {
		d.Preset = pol.Preset
	}
	if s.Policy == nil && s.Root != "" {
		d.PolicyIn = filepath.Join(s.Root, policy.FileName)
	}
	if !s.Synced.IsZero() {
		t := s.Synced.UTC()
		d.SyncedAt = &t
	}
	return d
}

// SpaceRemove forgets a space. Files stay as they are; the documents of a
// database space are gone with it, which is refused while it has any.
func (a *App) SpaceRemove(ctx context.Context, name string) (Space, error) {
	s, err := a.byName(ctx, name)
	if err != nil {
		return Space{}, err
	}
	d, err := a.show(ctx, s)
	if err != nil {
		return Space{}, err
	}
	if s.Kind == kb.DatabaseSpace && d.Pages > 0 {
		return Space{}, kb.Errorf(kb.Refused, "the space %s holds pages that are nowhere else: %d", s.Name, d.Pages).
			WithHint("Nothing was removed. Delete or move its pages first.")
	}
	unlock, err := a.writer.Lock(ctx, s)
	if err != nil {
		return Space{}, err
	}
	err = a.db.Update(ctx, func(tx store.Tx) error { return a.index.RemoveSpace(ctx, tx, s) })
	return d, errors.Join(err, unlock())
}

// save adds or updates a space's row.
func (a *App) save(ctx context.Context, s *kb.Space) error {
	return a.db.Update(ctx, func(tx store.Tx) error {
		if s.Row != 0 {
			return tx.Spaces().Update(ctx, *s)
		}
		return tx.Spaces().Add(ctx, s)
	})
}

func (a *App) spaces(ctx context.Context) (all []kb.Space, err error) {
	err = a.db.View(ctx, func(tx store.Tx) error {
		all, err = tx.Spaces().All(ctx)
		return err
	})
	return all, err
}

// Directories returns the spaces that are directories, by name. It costs little
// enough to be asked again and again.
func (a *App) Directories(ctx context.Context) ([]kb.Space, error) {
	all, err := a.spaces(ctx)
	return slices.DeleteFunc(all, func(s kb.Space) bool { return s.Kind != kb.DirectorySpace }), err
}

func (a *App) byRoot(ctx context.Context, root string) (kb.Space, bool, error) {
	all, err := a.spaces(ctx)
	i := slices.IndexFunc(all, func(s kb.Space) bool { return s.Root == root })
	if err != nil || i < 0 {
		return kb.Space{}, false, err
	}
	return all[i], true, nil
}

// spaceOfPage returns the space of a page that was read in the same transaction.
func spaceOfPage(ctx context.Context, tx store.Tx, p kb.Page) (kb.Space, error) {
	all, err := tx.Spaces().All(ctx)
	if err != nil {
		return kb.Space{}, err
	}
	i := slices.IndexFunc(all, func(s kb.Space) bool { return s.ID == p.SpaceID })
	if i < 0 {
		return kb.Space{}, kb.Errorf(kb.Damaged, "%s is in no space", p.Path)
	}
	return all[i], nil
}

func (a *App) byName(ctx context.Context, name string) (kb.Space, error) {
	all, err := a.spaces(ctx)
	if err != nil {
		return kb.Space{}, err
	}
	for _, same := range []func(string, string) bool{func(x, y string) bool { return x == y }, strings.EqualFold} {
		for _, s := range all {
			if same(s.Name, name) {
				return s, nil
			}
		}
	}
	return kb.Space{}, noSpace(name, all)
}

func noSpace(name string, all []kb.Space) error {
	e := kb.Errorf(kb.NotFound, "there is no space %q", name)
	if len(all) == 0 {
		return e.WithHint("There are no spaces yet: cairn space add DIR").
			WithToolHint("There are no spaces yet: leave space out, and the first page makes one.")
	}
	return e.WithHint("Spaces are %s.", strings.Join(namesOf(all), ", "))
}

func namesOf(spaces []kb.Space) []string {
	names := make([]string, len(spaces))
	for i, s := range spaces {
		names[i] = s.Name
	}
	return names
}
