package space

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// KeptFor is how long the history of a forgotten space is kept.
const KeptFor = 30 * 24 * time.Hour

// RemoveRequest asks for a space to be forgotten.
type RemoveRequest struct {
	Name   string
	Purge  bool // keep no data; also for a space that is already forgotten
	DryRun bool
}

// Remove forgets a space. Files are unchanged, except that a purge removes files
// created by cairn. Its history, and the pages of a database space, are kept for
// KeptFor, or not at all; Restore and Add bring them back.
func (r *Registry) Remove(ctx context.Context, req RemoveRequest) (api.Space, error) {
	command := "space rm " + req.Name
	if req.Purge {
		command += " --purge"
	}
	if err := PersonOnly(r.Actor, command, "remove a space"); err != nil {
		return api.Space{}, err
	}
	s, err := r.toRemove(ctx, req)
	if err != nil {
		return api.Space{}, err
	}
	if err := write.Here(s); err != nil {
		return api.Space{}, err
	}
	if !s.Forgotten.IsZero() {
		d := r.describeForgotten(s)
		d.KeptUntil, d.Notes = nil, r.ownFilesNote(s, true)
		if req.DryRun {
			return d, nil
		}
		return d, r.end(ctx, s)
	}
	d, err := r.Describe(ctx, s)
	if err != nil {
		return api.Space{}, err
	}
	d.Notes = r.ownFilesNote(s, req.Purge)
	now, err := r.notBefore(ctx, r.Now())
	if err != nil {
		return api.Space{}, err
	}
	if !req.Purge {
		d.ForgottenAt, d.KeptUntil = kept(now)
	}
	if req.DryRun {
		return d, nil
	}
	unlock, err := r.Lock(ctx, s)
	if err != nil {
		return api.Space{}, err
	}
	err = r.DB.Update(ctx, func(tx store.Tx) error {
		if req.Purge {
			return errors.Join(r.Index.RemoveSpace(ctx, tx, s), unaccept(ctx, tx, s))
		}
		return r.Index.ForgetSpace(ctx, tx, s, now)
	})
	if err == nil && req.Purge {
		err = r.removeOwnFiles(ctx, s)
	}
	return d, errors.Join(err, unlock())
}

// notBefore returns now, or the time of the memory's last write if that is later:
// then the clock was set back, and a space forgotten with the wrong time would
// expire as soon as the clock is right.
func (r *Registry) notBefore(ctx context.Context, now time.Time) (time.Time, error) {
	err := r.DB.View(ctx, func(tx store.Tx) error {
		later, _, err := tx.History().Versions(ctx, store.VersionFilter{Since: now}, 1<<30, 0)
		for _, v := range later {
			if v.Time.After(now) {
				now = v.Time
			}
		}
		return err
	})
	return now, err
}

// toRemove finds the space of a request. A purge finds forgotten spaces, too.
func (r *Registry) toRemove(ctx context.Context, req RemoveRequest) (kb.Space, error) {
	s, err := r.ByName(ctx, req.Name)
	if !req.Purge {
		return s, err
	}
	old, missing := r.forgottenNamed(ctx, req.Name)
	switch {
	case err == nil && missing == nil:
		return s, kb.Errorf(kb.Ambiguous, "a space and a forgotten space are called %s", req.Name).
			WithHint("Nothing was removed. Name one of them by its id: %s is in use, %s was forgotten.", s.ID, old.ID)
	case err == nil && kb.CodeOf(missing) == kb.NotFound:
		return s, nil
	case kb.CodeOf(err) == kb.NotFound && missing == nil:
		return old, nil
	case kb.CodeOf(missing) == kb.Ambiguous:
		return s, missing
	}
	return s, err
}

// TakeBack removes a space added by the same call. A database space with pages is
// refused, since the pages exist nowhere else.
func (r *Registry) TakeBack(ctx context.Context, name string) (api.Space, error) {
	s, err := r.ByName(ctx, name)
	if err != nil {
		return api.Space{}, err
	}
	d, err := r.Describe(ctx, s)
	if err != nil {
		return api.Space{}, err
	}
	if s.Kind == kb.DatabaseSpace && *d.Pages > 0 {
		return api.Space{}, kb.Errorf(kb.Refused, "the space %s holds pages that are nowhere else: %d", s.Name, *d.Pages).
			WithHint("Nothing was removed. Delete or move its pages first.")
	}
	unlock, err := r.Lock(ctx, s)
	if err != nil {
		return api.Space{}, err
	}
	err = r.DB.Update(ctx, func(tx store.Tx) error { return r.Index.RemoveSpace(ctx, tx, s) })
	return d, errors.Join(err, unlock())
}

// Restore restores a forgotten space, with another name if as is given or its own
// is in use. Its pages must be derived again; see api.Space.Returned.
func (r *Registry) Restore(ctx context.Context, name, as string) (api.Space, error) {
	if err := PersonOnly(r.Actor, "space restore "+name, "restore a space"); err != nil {
		return api.Space{}, err
	}
	s, err := r.forgottenNamed(ctx, name)
	if err != nil {
		return api.Space{}, err
	}
	note := ""
	if s.Kind == kb.DirectorySpace {
		if s, note, err = r.inItsPlace(ctx, s); err != nil {
			return api.Space{}, err
		}
	}
	had := s.Name
	if s.Name, err = r.freeName(ctx, as, "", had, 0); err != nil {
		return api.Space{}, err
	}
	if as == "" && s.Name != had {
		note = fmt.Sprintf("another space is called %s now: this one is %s", had, s.Name)
	}
	if err := r.save(ctx, &s); err != nil {
		return api.Space{}, err
	}
	out, err := r.Show(ctx, s.Name)
	out.Returned, out.Notes = true, notes(note)
	return out, err
}

// inItsPlace returns a forgotten space with the present state of its directory.
func (r *Registry) inItsPlace(ctx context.Context, s kb.Space) (kb.Space, string, error) {
	root, err := r.realDir(s.Root)
	if err != nil {
		return s, "", kb.Errorf(kb.NotFound, "the directory of %s is not there: %s", s.Name, s.Root).
			WithHint("Nothing was changed. Add the directory where it is now.")
	}
	if other, known, err := r.byRoot(ctx, root); err != nil {
		return s, "", err
	} else if known {
		return s, "", kb.Errorf(kb.Conflict, "%s belongs to the space %s now", root, other.Name).WithHint("Nothing was changed.")
	}
	now, note, err := r.attachNew(ctx, root)
	if err == nil && now.Row != s.Row {
		err = kb.Errorf(kb.Conflict, "%s holds another space than %s, which was forgotten there", root, s.Name).WithHint("Nothing was changed.")
	}
	return now, note, err
}

// Forgotten lists the forgotten spaces, newest first.
func (r *Registry) Forgotten(ctx context.Context) ([]api.Space, error) {
	all, err := r.forgotten(ctx)
	out := make([]api.Space, 0, len(all))
	for _, s := range all {
		out = append(out, r.describeForgotten(s))
	}
	return out, err
}

// Expired returns the forgotten spaces past their retention.
func Expired(forgotten []kb.Space, now time.Time) []kb.Space {
	return slices.DeleteFunc(slices.Clone(forgotten), func(s kb.Space) bool { return s.Forgotten.Add(KeptFor).After(now) })
}

// RemoveExpired removes the data of spaces that were forgotten longer than KeptFor
// ago.
func (r *Registry) RemoveExpired(ctx context.Context, dryRun bool) (out []api.Space, err error) {
	all, err := r.forgotten(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range Expired(all, r.Now()) {
		if !dryRun {
			if err := r.end(ctx, s); err != nil {
				return out, err
			}
		}
		out = append(out, r.describeForgotten(s))
	}
	return out, nil
}

// end removes the remaining data of a forgotten space.
func (r *Registry) end(ctx context.Context, s kb.Space) error {
	err := r.DB.Update(ctx, func(tx store.Tx) error {
		return errors.Join(tx.Spaces().Remove(ctx, s.Row), unaccept(ctx, tx, s))
	})
	if err != nil {
		return err
	}
	return r.removeOwnFiles(ctx, s)
}

// ownFiles reports whether the files of a space were generated by cairn: the pages
// of past sessions, from the transcripts.
func (r *Registry) ownFiles(s kb.Space) bool {
	memory, err := DatabasePath(r.Place)
	if err != nil || s.Kind != kb.DirectorySpace {
		return false
	}
	dir, err := r.Place.SessionsDir(memory)
	if err != nil {
		return false
	}
	dir, err = Resolved(dir)
	return err == nil && dir == s.Root
}

// ownFilesNote describes the handling of generated files.
func (r *Registry) ownFilesNote(s kb.Space, purge bool) []string {
	switch {
	case !r.ownFiles(s):
		return nil
	case purge:
		return notes("its pages are removed from " + s.Root)
	}
	return notes("its pages stay in " + s.Root + ": cairn space rm " + s.Name + " --purge removes them")
}

// removeOwnFiles removes the generated files of a removed space, unless another
// space has the directory now.
func (r *Registry) removeOwnFiles(ctx context.Context, s kb.Space) error {
	if !r.ownFiles(s) {
		return nil
	}
	if _, again, err := r.byRoot(ctx, s.Root); err != nil || again {
		return err
	}
	return fsys.RemoveTree(s.Root)
}

func (r *Registry) forgotten(ctx context.Context) (all []kb.Space, err error) {
	err = r.DB.View(ctx, func(tx store.Tx) error {
		all, err = tx.Spaces().Forgotten(ctx)
		return err
	})
	return all, err
}

// forgottenNamed returns the forgotten space with a name or an id.
func (r *Registry) forgottenNamed(ctx context.Context, name string) (kb.Space, error) {
	all, err := r.forgotten(ctx)
	if err != nil {
		return kb.Space{}, err
	}
	s, err := Named(all, name)
	if err != nil {
		e := kb.Errorf(kb.NotFound, "there is no forgotten space %q", name)
		if len(all) > 0 {
			return s, e.WithHint("Forgotten spaces are %s.", listed(all))
		}
		return s, e
	}
	var ids []string
	for _, other := range all {
		if strings.EqualFold(other.Name, s.Name) {
			ids = append(ids, string(other.ID))
		}
	}
	if len(ids) > 1 && !slices.Contains(ids, strings.ToLower(name)) {
		return s, kb.Errorf(kb.Ambiguous, "several forgotten spaces are called %s", s.Name).
			WithHint("Nothing was changed. Name one by its id, newest first: %s.", strings.Join(ids, ", "))
	}
	return s, nil
}

// forgottenHere returns the space without a policy file that was forgotten in a
// directory. An agent must not restore a space that a person forgot.
func (r *Registry) forgottenHere(ctx context.Context, root string) (kb.Space, bool, error) {
	all, err := r.forgotten(ctx)
	if err != nil || r.Actor.Kind == kb.Agent {
		return kb.Space{}, false, err
	}
	ids := derivedSpaceIDs(root, r.Place.ThisHost())
	i := slices.IndexFunc(all, func(s kb.Space) bool { return slices.Contains(ids[:], s.ID) && s.Kind != kb.RemoteSpace })
	if i < 0 {
		return kb.Space{}, false, nil
	}
	all[i].Root = root
	return all[i], true, nil
}

// kept returns when a forgotten space was forgotten, and until when it is kept.
func kept(now time.Time) (at, until *time.Time) {
	now = now.UTC()
	end := now.Add(KeptFor)
	return &now, &end
}

func (r *Registry) describeForgotten(s kb.Space) api.Space {
	pol, _ := policy.Parse(s.Policy) // as in Describe
	d := r.describe(s, pol, 0, false)
	d.Pages = nil
	d.ForgottenAt, d.KeptUntil = kept(s.Forgotten)
	return d
}

// againNote is the note for a forgotten space that is in use again.
func againNote(s kb.Space) string {
	return fmt.Sprintf("%s was forgotten on %s and has its history again", s.Name, s.Forgotten.UTC().Format(time.DateOnly))
}
