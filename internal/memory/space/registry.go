package space

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/cairn-kb/cairn/internal/api"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// Names returns the names of spaces by row.
func Names(all []kb.Space) map[int64]string {
	out := make(map[int64]string, len(all))
	for _, s := range all {
		out[s.Row] = s.Name
	}
	return out
}

// Rows returns the rows of spaces, in order.
func Rows(spaces []kb.Space) []int64 {
	rows := make([]int64, len(spaces))
	for i, s := range spaces {
		rows[i] = s.Row
	}
	return rows
}

// Registry holds the spaces of a memory in the view of one caller. It is safe for
// concurrent use, and cheap to create: open spaces are in Handles.
type Registry struct {
	DB    store.Memory
	Index *index.Index
	// Lock prevents others from changing a space until unlock is called.
	Lock    func(context.Context, kb.Space) (unlock func() error, err error)
	Handles *Handles // shared by all callers
	Codecs  []doc.Codec
	Now     func() time.Time

	Actor kb.Actor // the caller; agents may not change spaces, only pages
	Place Place    // the caller's environment
	Asked string   // requested space, "" to decide

	Pinned string // the only space that the caller may use, "" for any

	// Replacements of directories and disk types in tests; nil for the real
	// ones.
	WrapFiles func(*fsys.Dir) fsys.FS
	Network   func(path string) (string, error)

	// Tell is called with a line for each notice about the caller's directories:
	// one is a second place of a space, or was moved. It may be nil.
	Tell func(line string)
}

// files returns the file system of a directory.
func (r *Registry) files(d *fsys.Dir) fsys.FS {
	if r.WrapFiles == nil {
		return d
	}
	return r.WrapFiles(d)
}

// spaceNamespace is the namespace for space ids derived from a directory: a
// random UUID that must never change.
var spaceNamespace = uuid.MustParse("5f0c4d6e-95f0-4e0f-8a5e-6f6e2f5b8a11")

const (
	defaultPreset  = "notes"
	databasePreset = "memory"
)

// List returns all spaces by name.
func (r *Registry) List(ctx context.Context) ([]api.Space, error) {
	var (
		all   []kb.Space
		pages map[int64]int
		def   string
	)
	err := r.DB.View(ctx, func(tx store.Tx) (err error) {
		if all, err = tx.Spaces().All(ctx); err != nil {
			return err
		}
		pages, def, err = figures(ctx, tx, all)
		return err
	})
	if err != nil {
		return nil, err
	}
	out := make([]api.Space, 0, len(all))
	for _, s := range all {
		pol, _, _ := r.Policy(ctx, s, nil) // as in Describe
		out = append(out, r.describe(s, pol, pages[s.Row], def == string(s.ID)))
	}
	return out, nil
}

// figures returns how many pages spaces have, by row, and the id of the default
// space.
func figures(ctx context.Context, tx store.Tx, spaces []kb.Space) (pages map[int64]int, def string, err error) {
	pages = make(map[int64]int, len(spaces))
	for _, s := range spaces {
		if pages[s.Row], err = CountPages(ctx, tx, []int64{s.Row}); err != nil {
			return nil, "", err
		}
	}
	all, err := tx.Spaces().All(ctx)
	if err != nil {
		return nil, "", err
	}
	s, err := defaultOf(ctx, tx, all)
	return pages, string(s.ID), err
}

// Show returns a space with its policy.
func (r *Registry) Show(ctx context.Context, name string) (api.Space, error) {
	s, err := r.ByName(ctx, name)
	if err != nil {
		return api.Space{}, err
	}
	return r.Describe(ctx, s)
}

// Describe returns the description of a space, even if its policy cannot be
// read.
func (r *Registry) Describe(ctx context.Context, s kb.Space) (api.Space, error) {
	// An invalid policy is shown as far as possible, and an unreadable one as
	// missing: code that uses it reports the error.
	pol, text, _ := r.Policy(ctx, s, nil)
	return r.shown(ctx, s, pol, text)
}

// shown describes a space with this policy, nil for an unreadable one.
func (r *Registry) shown(ctx context.Context, s kb.Space, pol *policy.Policy, text []byte) (api.Space, error) {
	var (
		pages map[int64]int
		def   string
		all   []kb.Space
	)
	err := r.DB.View(ctx, func(tx store.Tx) (err error) {
		if all, err = tx.Spaces().All(ctx); err != nil {
			return err
		}
		pages, def, err = figures(ctx, tx, []kb.Space{s})
		return err
	})
	if err != nil {
		return api.Space{}, err
	}
	d := r.describe(s, pol, pages[s.Row], def == string(s.ID))
	d.Policy = string(text)
	d.Waiting = r.Waiting(ctx, s, pol)
	if pol != nil {
		d.Acts = pol.Acts()
	}
	if cfg, err := Load(r.Place); err == nil {
		d.Defaults = inherited(cfg.Defaults(), text)
	}
	if places := placesOf(s.Written(), all); s.Kind != kb.DatabaseSpace && len(places) > 1 {
		for _, p := range places {
			d.Places = append(d.Places, api.Place{Space: p.Name, Root: p.Root + p.There, Machine: p.Host})
		}
	}
	return d, nil
}

// CountPages counts the pages of the spaces, or of all spaces if none are given.
func CountPages(ctx context.Context, tx store.Tx, spaces []int64) (pages int, err error) {
	statuses, err := tx.Pages().Statuses(ctx, spaces)
	for _, c := range statuses {
		pages += c.N
	}
	return pages, err
}

func (r *Registry) describe(s kb.Space, pol *policy.Policy, pages int, def bool) api.Space {
	d := api.Space{
		ID: s.ID, Name: s.Name, Kind: s.Kind, Root: s.Root, Default: def,
		CreatedAt: s.Created.UTC(), PolicyIn: "memory", Machine: s.Host,
	}
	if s.Kind == kb.RemoteSpace {
		d.Kind, d.Root = kb.DirectorySpace, s.There
	}
	if pol != nil {
		d.Preset, d.Description, d.Waiting = pol.Preset, pol.Description, pol.Waiting
	}
	if s.Policy == nil && d.Root != "" {
		d.PolicyIn = filepath.Join(d.Root, policy.FileName)
	}
	if !s.Synced.IsZero() {
		t := s.Synced.UTC()
		d.SyncedAt = &t
	}
	if d.SyncedAt != nil || d.Root == "" || pages > 0 {
		d.Pages = &pages
	}
	return d
}

// save adds or updates a space's row, or returns a forgotten space.
func (r *Registry) save(ctx context.Context, s *kb.Space) error {
	if s.Row == 0 {
		if err := r.readAs(ctx, s); err != nil {
			return err
		}
	}
	return r.DB.Update(ctx, func(tx store.Tx) error {
		var err error
		switch {
		case !s.Forgotten.IsZero():
			err = tx.Spaces().Return(ctx, *s)
		case s.Row != 0:
			err = tx.Spaces().Update(ctx, *s)
		default:
			s.Derivation = index.Derivation
			err = tx.Spaces().Add(ctx, s)
		}
		if err != nil {
			return err
		}
		return r.Index.SettleSpaces(ctx, tx) // links may be waiting for its name
	})
}

// All returns all spaces, by name.
func (r *Registry) All(ctx context.Context) (all []kb.Space, err error) {
	err = r.DB.View(ctx, func(tx store.Tx) error {
		all, err = r.AllTx(ctx, tx)
		return err
	})
	return all, err
}

// AllTx is All within a transaction.
func (r *Registry) AllTx(ctx context.Context, tx store.Tx) ([]kb.Space, error) {
	all, err := tx.Spaces().All(ctx)
	if err == nil {
		r.Handles.setSpaces(all)
	}
	return all, err
}

// Directories returns the spaces that are directories, by name. It is cheap enough
// for polling.
func (r *Registry) Directories(ctx context.Context) ([]kb.Space, error) {
	all, err := r.All(ctx)
	return slices.DeleteFunc(all, func(s kb.Space) bool { return s.Kind != kb.DirectorySpace }), err
}

func (r *Registry) byRoot(ctx context.Context, root string) (kb.Space, bool, error) {
	all, err := r.All(ctx)
	i := slices.IndexFunc(all, func(s kb.Space) bool { return s.Root == root })
	if i < 0 { // it may have been added with another spelling, on a file system that ignores case
		i = slices.IndexFunc(all, func(s kb.Space) bool { return kb.FoldPath(s.Root) == kb.FoldPath(root) && fsys.SameFile(s.Root, root) })
	}
	if err != nil || i < 0 {
		return kb.Space{}, false, err
	}
	return all[i], true, nil
}

// OfPage returns the space of a page that was read in the same transaction.
func OfPage(ctx context.Context, tx store.Tx, p kb.Page) (kb.Space, error) {
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

// ByName returns the space with a name, as Named finds it; kb.NotFound if there is
// none.
func (r *Registry) ByName(ctx context.Context, name string) (kb.Space, error) {
	all, err := r.All(ctx)
	if err != nil {
		return kb.Space{}, err
	}
	return Named(all, name)
}

// Named returns the space with a name among these, as link.Space finds it;
// kb.NotFound if there is none.
func Named(all []kb.Space, name string) (kb.Space, error) {
	if s, ok := link.Space(all, name); ok {
		return s, nil
	}
	return kb.Space{}, NoSuch(name, all)
}

// NoSuch is the error for an unknown name of a space.
func NoSuch(name string, all []kb.Space) error {
	e := kb.Errorf(kb.NotFound, "there is no space %q", name)
	if len(all) == 0 {
		return e.WithReason(kb.NoSpaceYet)
	}
	return e.WithHint("Spaces are %s.", listed(all))
}

// fewSpaces is the number of spaces listed in an error.
const fewSpaces = 20

// listed names the first of these spaces, and the number of others.
func listed(spaces []kb.Space) string {
	names := NamesOf(spaces[:min(len(spaces), fewSpaces)])
	if more := len(spaces) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// NamesOf returns the names of spaces, in order.
func NamesOf(spaces []kb.Space) []string {
	names := make([]string, len(spaces))
	for i, s := range spaces {
		names[i] = s.Name
	}
	return names
}
