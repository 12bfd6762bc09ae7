package space

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/glob"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// Reasons why nothing is stored yet, for errors.Is; see NothingYet.
var (
	ErrNoMemory = errors.New("nothing is stored yet")
	ErrNone     = errors.New("there are no spaces yet")
)

// NothingYet reports whether err means that nothing was ever stored: there is no
// memory, or no space in it.
func NothingYet(err error) bool {
	return errors.Is(err, ErrNoMemory) || errors.Is(err, ErrNone)
}

// Scope returns the rows of the spaces that a command works on; nil is all.
func (r *Registry) Scope(ctx context.Context, all bool) (rows []int64, err error) {
	err = r.DB.View(ctx, func(tx store.Tx) error {
		rows, err = r.ScopeTx(ctx, tx, all)
		return err
	})
	return rows, err
}

// ScopeTx is Scope within a transaction.
func (r *Registry) ScopeTx(ctx context.Context, tx store.Tx, all bool) ([]int64, error) {
	if all && r.Pinned == "" {
		return nil, nil
	}
	meant, err := r.MeantTx(ctx, tx)
	if err != nil {
		return nil, err
	}
	return Rows(meant), nil
}

// MayShow returns the filter for pages that the caller may see as targets of links:
// those of the only space that it may use, if it is limited to one, else all.
func MayShow(ctx context.Context, tx store.Tx, r *Registry) (func(kb.Page) bool, error) {
	if r.Pinned == "" {
		return func(kb.Page) bool { return true }, nil
	}
	meant, err := r.MeantTx(ctx, tx)
	return func(p kb.Page) bool {
		return slices.ContainsFunc(meant, func(s kb.Space) bool { return s.Name == p.Space })
	}, err
}

// DefaultKey is the settings key for the id of the default space.
const DefaultKey = "default_space"

// madeKey is the settings key for the id of the space created by the first page.
// Until a default is chosen, new pages go there, regardless of how many spaces are
// added.
const madeKey = "made_space"

// Current returns the space for a command without --space: the chosen one, else the
// only one, else the one created by the first page. It never picks one of several:
// the notes of one project must not be written to another's.
func (r *Registry) Current(ctx context.Context) (s kb.Space, err error) {
	err = r.DB.View(ctx, func(tx store.Tx) error {
		s, err = r.CurrentTx(ctx, tx)
		return err
	})
	return s, err
}

// CurrentTx is Current within a transaction. A read-only space of past sessions is
// only used if it is chosen.
func (r *Registry) CurrentTx(ctx context.Context, tx store.Tx) (kb.Space, error) {
	s, all, err := r.ChosenTx(ctx, tx)
	if err != nil || s.Row != 0 {
		return s, err
	}
	all = slices.DeleteFunc(all, OfSessions)
	if len(all) != 1 {
		if s, err := defaultOf(ctx, tx, all); s.Row != 0 || err != nil {
			return s, err
		}
		return kb.Space{}, Undecided(all)
	}
	return all[0], nil
}

// OfSessions reports whether a space may be one of past sessions: its policy is in
// the memory, so that no directory can claim this.
func OfSessions(s kb.Space) bool { return bytes.Contains(s.Policy, []byte("[sessions]")) }

// defaultOf returns the default space among all: the chosen one, else the one
// created by the first page. Its Row is 0 if there is none.
func defaultOf(ctx context.Context, tx store.Tx, all []kb.Space) (kb.Space, error) {
	for _, key := range []string{DefaultKey, madeKey} {
		id, err := tx.Settings().Get(ctx, key)
		if err != nil {
			return kb.Space{}, err
		}
		if i := slices.IndexFunc(all, func(s kb.Space) bool { return string(s.ID) == id }); i >= 0 {
			return all[i], nil
		}
	}
	return kb.Space{}, nil
}

// IsAsked reports whether the caller named a space explicitly.
func (r *Registry) IsAsked() bool { return r.Asked != "" || r.Place.Env("CAIRN_SPACE") != "" }

// AskedTx returns the spaces that a question searches: those of Meant, and for a
// caller in the directory of a project also the default space, for knowledge that
// applies everywhere.
func (r *Registry) AskedTx(ctx context.Context, tx store.Tx) ([]kb.Space, error) {
	meant, err := r.MeantTx(ctx, tx)
	if err != nil || len(meant) != 1 || r.IsAsked() {
		return meant, err
	}
	all, err := tx.Spaces().All(ctx)
	if err != nil {
		return nil, err
	}
	def, err := defaultOf(ctx, tx, all)
	if err != nil || def.Row == 0 || def.Row == meant[0].Row {
		return meant, err
	}
	return append(meant, def), nil
}

// AskedAhead makes the reads of AskedTx; see store.Foresee.
func (r *Registry) AskedAhead(ctx context.Context, tx store.Tx) {
	_, _ = r.AllTx(ctx, tx)
	if !r.IsAsked() {
		_, _ = tx.Spaces().Maps(ctx)
		_, _ = tx.Settings().Get(ctx, DefaultKey)
		_, _ = tx.Settings().Get(ctx, madeKey)
	}
}

// Meant returns the spaces for a question without --space: the current one, or all
// if there is none.
func (r *Registry) Meant(ctx context.Context) (meant []kb.Space, err error) {
	err = r.DB.View(ctx, func(tx store.Tx) error {
		meant, err = r.MeantTx(ctx, tx)
		return err
	})
	return meant, err
}

// MeantTx is Meant within a transaction.
func (r *Registry) MeantTx(ctx context.Context, tx store.Tx) ([]kb.Space, error) {
	s, all, err := r.ChosenTx(ctx, tx)
	switch {
	case err != nil:
		return nil, err
	case s.Row != 0:
		return []kb.Space{s}, nil
	case len(all) == 0:
		return nil, Undecided(all)
	}
	return all, nil
}

// Chosen returns the space chosen for the caller: the one requested or set in the
// environment; the one that the working directory is mapped to or is in; the
// default; the configured one. If there is none its Row is 0. It also returns all
// spaces.
func (r *Registry) Chosen(ctx context.Context) (s kb.Space, all []kb.Space, err error) {
	err = r.DB.View(ctx, func(tx store.Tx) error {
		s, all, err = r.ChosenTx(ctx, tx)
		return err
	})
	return s, all, err
}

// ChosenTx is Chosen within a transaction.
func (r *Registry) ChosenTx(ctx context.Context, tx store.Tx) (kb.Space, []kb.Space, error) {
	all, err := r.AllTx(ctx, tx)
	if err != nil {
		return kb.Space{}, nil, err
	}
	s, err := r.choose(ctx, tx, all)
	return s, all, err
}

func (r *Registry) choose(ctx context.Context, tx store.Tx, all []kb.Space) (kb.Space, error) {
	if r.Asked != "" {
		s, err := Named(all, r.Asked)
		if err == nil {
			err = inPin(r, all, s)
		}
		return s, err
	}
	if name := r.Place.Env("CAIRN_SPACE"); name != "" {
		return Named(all, name)
	}
	maps, err := tx.Spaces().Maps(ctx)
	if err != nil {
		return kb.Space{}, err
	}
	def, err := tx.Settings().Get(ctx, DefaultKey)
	if err != nil {
		return kb.Space{}, err
	}
	in, length := spaceOfDir(all, maps, pathsOf(r.Place.Dir), pathsOf(r.Place.Home))
	if s, ok, err := r.enclosingSpace(ctx, all, length); ok || err != nil {
		return s, err
	}
	if in.Row != 0 {
		return in, nil
	}
	if i := slices.IndexFunc(all, func(s kb.Space) bool { return string(s.ID) == def }); i >= 0 {
		return all[i], nil
	}
	cfg, err := Load(r.Place)
	if err != nil {
		return kb.Space{}, err
	}
	if name, _, err := cfg.Get("space"); err == nil && name != "" {
		return Named(all, name)
	}
	return kb.Space{}, nil
}

// pathsOf returns the known paths of a directory: the given one, and the one
// with symbolic links resolved. Spaces store the latter, mappings the former.
func pathsOf(dir string) []string {
	if dir == "" {
		return nil
	}
	real, err := fsys.Real(dir)
	if err != nil || real == dir {
		return []string{dir} // a removed directory is still in its space
	}
	return []string{dir, real}
}

// spaceOfDir determines the space of the working directory, under any of its paths.
// The most specific entry wins: the mapping with the longest glob, where a space's
// own root counts as a glob of its length. The home directory and the root never
// match, since everything is below them. It also returns the length of that entry,
// and 0 with a space of Row 0 when there is none.
func spaceOfDir(all []kb.Space, maps []store.Mapping, dirs, homes []string) (in kb.Space, length int) {
	best := int64(0)
	for _, dir := range dirs {
		if slices.Contains(homes, dir) || filepath.Dir(dir) == dir {
			continue
		}
		slash := filepath.ToSlash(dir)
		for _, m := range maps {
			if len(m.Glob) > length && covers(m.Glob, slash) {
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
		return kb.Space{}, 0
	}
	return all[i], length
}

// covers reports whether a mapping with a glob applies to a directory. The glob of
// a directory includes everything below it, and a glob of a directory's contents
// includes the directory: ~/x/* includes ~/x.
func covers(pattern, dir string) bool {
	pattern = strings.TrimSuffix(pattern, "/")
	in := strings.TrimSuffix(strings.TrimSuffix(pattern, "/**"), "/*")
	return glob.Match(pattern, dir) || glob.Match(pattern+"/**", dir) || in != pattern && glob.Match(in, dir)
}

// Default makes a space the default; without a name it returns the present default.
func (r *Registry) Default(ctx context.Context, name string) (api.Space, error) {
	if name != "" {
		if err := PersonOnly(r.Actor, "space default "+name, "choose the default space"); err != nil {
			return api.Space{}, err
		}
		s, err := r.ByName(ctx, name)
		if err != nil {
			return api.Space{}, err
		}
		err = r.DB.Update(ctx, func(tx store.Tx) error {
			return tx.Settings().Set(ctx, DefaultKey, string(s.ID))
		})
		if err != nil {
			return api.Space{}, err
		}
		return r.Describe(ctx, s)
	}
	var def kb.Space
	err := r.DB.View(ctx, func(tx store.Tx) error {
		all, err := tx.Spaces().All(ctx)
		if err == nil {
			def, err = defaultOf(ctx, tx, all)
		}
		return err
	})
	if err != nil {
		return api.Space{}, err
	}
	if def.Row == 0 {
		return api.Space{}, kb.Errorf(kb.NotFound, "no space is the default").WithReason(kb.NoDefaultSpace)
	}
	return r.Describe(ctx, def)
}

// Map assigns the working directories that match glob to a space.
func (r *Registry) Map(ctx context.Context, pattern, name string) (api.Mapping, error) {
	if err := PersonOnly(r.Actor, "space map "+safetext.Word(pattern)+" "+name, "map directories to a space"); err != nil {
		return api.Mapping{}, err
	}
	s, err := r.ByName(ctx, name)
	if err != nil {
		return api.Mapping{}, err
	}
	pattern, err = r.mapGlob(pattern)
	if err != nil {
		return api.Mapping{}, err
	}
	err = r.DB.Update(ctx, func(tx store.Tx) error { return tx.Spaces().Map(ctx, pattern, s.Row) })
	return mapping(ctx, r, pattern, s), err
}

// Unmap removes a mapping.
func (r *Registry) Unmap(ctx context.Context, pattern string) error {
	if err := PersonOnly(r.Actor, "space unmap "+safetext.Word(pattern), "unmap directories"); err != nil {
		return err
	}
	pattern, err := r.mapGlob(pattern)
	if err != nil {
		return err
	}
	return r.DB.Update(ctx, func(tx store.Tx) error { return tx.Spaces().Unmap(ctx, pattern) })
}

func (r *Registry) mapGlob(pattern string) (string, error) {
	abs, err := r.Place.Located(pattern)
	if err != nil {
		return "", err
	}
	abs = filepath.ToSlash(abs)
	if !glob.Valid(abs) {
		return "", kb.Errorf(kb.Usage, "%q is not a valid pattern", pattern)
	}
	if abs == "/" || abs == filepath.ToSlash(r.Place.Home) || abs == "/**" || abs == "/*" {
		return "", kb.Errorf(kb.Usage, "the home directory and the root cannot be mapped: everything is below them").
			WithReason(kb.MappedTooWide)
	}
	return abs, nil
}

// Maps returns the mappings by glob.
func (r *Registry) Maps(ctx context.Context) ([]api.Mapping, error) {
	var (
		all  []kb.Space
		maps []store.Mapping
	)
	err := r.DB.View(ctx, func(tx store.Tx) (err error) {
		if all, err = tx.Spaces().All(ctx); err != nil {
			return err
		}
		maps, err = tx.Spaces().Maps(ctx)
		return err
	})
	out := []api.Mapping{}
	for _, m := range maps {
		if i := slices.IndexFunc(all, func(s kb.Space) bool { return s.Row == m.Space }); i >= 0 {
			out = append(out, mapping(ctx, r, m.Glob, all[i]))
		}
	}
	return out, err
}

// mapping describes a mapping for answers, without a description if the policy of
// its space is unreadable.
func mapping(ctx context.Context, r *Registry, pattern string, s kb.Space) api.Mapping {
	out := api.Mapping{Glob: pattern, Space: s.Name}
	if pol, _, err := r.Policy(ctx, s, nil); err == nil {
		out.Description = pol.Description
	}
	return out
}

// OpenForNew opens the space for a new page. The first page of a memory creates its
// first space, in the database, so that an agent can store pages without any setup.
// A dry run creates none.
func (r *Registry) OpenForNew(ctx context.Context, dryRun bool) (_ *write.Space, err error) {
	space, err := r.OpenCurrent(ctx)
	if dryRun || !NothingYet(err) {
		return space, err
	}
	unlock, err := r.Lock(ctx, kb.Space{ID: "first-space"}) // others may be doing the same
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if space, err = r.OpenCurrent(ctx); !NothingYet(err) {
		return space, err
	}
	made, err := r.addDatabaseSpace(ctx, AddRequest{Database: true})
	if err != nil {
		return nil, err
	}
	err = r.DB.Update(ctx, func(tx store.Tx) error { return tx.Settings().Set(ctx, madeKey, string(made.ID)) })
	if err != nil {
		return nil, err
	}
	return r.OpenCurrent(ctx)
}

// OpenHome opens the space of a new page; the zero space is that of the first page,
// see OpenForNew.
func (r *Registry) OpenHome(ctx context.Context, home kb.Space, dryRun bool) (*write.Space, error) {
	if home.Row == 0 {
		return r.OpenForNew(ctx, dryRun)
	}
	return r.OpenSpace(ctx, home)
}

// OpenCurrent opens the space that Current returns.
func (r *Registry) OpenCurrent(ctx context.Context) (*write.Space, error) {
	s, err := r.Current(ctx)
	if err != nil {
		return nil, err
	}
	return r.OpenSpace(ctx, s)
}

// Rank returns the ranking of results in the policy of the current space. It is ""
// if the policy has none, if there is no current space or if its directory is
// missing: the question itself reports that. It fails with kb.Invalid for an
// invalid policy.
func Rank(ctx context.Context, r *Registry) (string, error) {
	s, err := r.Current(ctx)
	if err != nil {
		return "", ctx.Err()
	}
	pol, _, err := r.Policy(ctx, s, nil)
	switch {
	case err == nil:
		return pol.Search.Rank, nil
	case kb.CodeOf(err) == kb.Invalid:
		return "", err
	}
	return "", ctx.Err()
}

// BrokenPolicy returns the path of the invalid policy of a directory space, "" for
// any other space.
func BrokenPolicy(ctx context.Context, r *Registry, s kb.Space) string {
	if s.Kind != kb.DirectorySpace {
		return ""
	}
	if _, _, err := r.Policy(ctx, s, nil); kb.CodeOf(err) != kb.Invalid {
		return ""
	}
	return policy.FileName
}

// First returns the space that was added before all others: a space added later
// never becomes the default of a caller without a choice.
func First(all []kb.Space) kb.Space {
	return slices.MinFunc(all, func(a, b kb.Space) int { return cmp.Compare(a.Row, b.Row) })
}

// Undecided returns why there is no current space: no space exists, or there are
// several.
func Undecided(all []kb.Space) error {
	if len(all) == 0 {
		return kb.Errorf(kb.NotFound, "%w", ErrNone).WithReason(kb.NoSpace)
	}
	return kb.Errorf(kb.Ambiguous, "there are %d spaces, and no default", len(all)).
		WithReason(kb.SpaceUndecided).WithFact("spaces", listed(all)).WithFact("first", First(all).Name).With("spaces", NamesOf(all))
}
