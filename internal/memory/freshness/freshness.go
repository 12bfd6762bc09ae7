package freshness

import (
	"context"
	"errors"
	"fmt"
	"github.com/cairn-kb/cairn/internal/memory/reconcile"
	"io/fs"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/index"

	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// Codes of warnings that a text differs from its file: it is older, or the file is
// in the middle of a merge.
const (
	WarnBehind   = "behind"
	WarnPointer  = "pointer" // see TitleOnly
	WarnUnmerged = index.WarnConflict
	WarnSidecar  = "sidecar" // the sidecar may not be read
)

// TitleOnly warns that only the title matched in the pointer by which a page was
// found, "ai-kb: Title (UUID)": the pointer may refer to another page, which does
// not exist any more.
func TitleOnly(raw string, p kb.Page) []api.Warning {
	id, pointer := ref.PointerID(raw)
	if !pointer || id == p.ID {
		return nil
	}
	return []api.Warning{{Path: p.Path, Code: WarnPointer, Text: "no page has the id " + string(id) + ": this one only has the title"}}
}

// firstPatience is how long a question waits for writers in a directory that was
// never synced, and so has no indexed data.
const firstPatience = 5 * time.Second

// Result is the outcome of a sync before other work.
type Result struct {
	Reports []api.SyncReport
	Stale   []kb.Space // directories that could not be synced
	Unread  int        // changed files that could not be read
	Notes   []string   // problems
}

func (r Result) changed() bool {
	return slices.ContainsFunc(r.Reports, func(x api.SyncReport) bool { return x.Changes() > 0 })
}

// beforeRead runs the hooks before a space is read, and reports whether they
// changed pages.
func beforeRead(ctx context.Context, sess *memory.Session, s kb.Space) (changed bool, err error) {
	if s.Row == 0 {
		return false, nil
	}
	return sess.RunHooks(ctx, sess.Hooks.BeforeRead, s, false)
}

// Request of one sync; see Options.
type Request struct {
	DryRun, Full, Yes bool
	Progress          func(space, phase string, done, total int)

	toRead bool
}

// ToRead syncs spaces for a reader: it does not wait for writers, and after the
// first timeout for no other process at all. Its notes begin with the pending
// notices.
func ToRead(ctx context.Context, sess *memory.Session, spaces []kb.Space, progress func(space, phase string, done, total int)) (Result, error) {
	notices := sess.Notices.Take()
	if line := sess.ReadOnlyNote(); line != "" && sess.Follower != nil { // commands print it once
		notices = append(notices, line)
	}
	out, err := syncSpaces(sess.Notices.Patient(ctx), sess, spaces, progress)
	out.Notes = append(notices, out.Notes...)
	return out, err
}

// syncSpaces syncs those of spaces that are directories. It fails if there is no
// data to continue with: for the only space, if it was never synced. Later reads
// include concurrent work of others, even if this sync did nothing.
func syncSpaces(ctx context.Context, sess *memory.Session, spaces []kb.Space, progress func(space, phase string, done, total int)) (out Result, err error) {
	looked := false
	defer func() {
		if looked {
			store.Part(ctx, sess.DB)
		}
	}()
	for _, sp := range spaces {
		changed, err := beforeRead(ctx, sess, sp)
		if looked = looked || changed; err != nil {
			return out, err
		}
		if sp.Kind != kb.DirectorySpace && (sp.Kind == kb.RemoteSpace || sp.Derivation >= index.Derivation) {
			continue
		}
		looked = true
		if sp.Kind != kb.DirectorySpace {
			if err := rederive(ctx, sess, sp); err != nil {
				if ctx.Err() != nil {
					return out, err
				}
				// The indexed text is better than none, and the sync is retried.
				ctx = noteBehind(ctx, sess, &out, sp, "not reindexed by this version", err)
			}
			continue
		}
		look := ctx
		if sp.Synced.IsZero() && store.Patience(ctx, firstPatience) > 0 {
			look = store.WithPatience(ctx, firstPatience)
		}
		r, err := Sync(look, sess, sp, Request{Progress: progress, toRead: true})
		if err != nil {
			if ctx.Err() != nil || len(spaces) == 1 && sp.Synced.IsZero() && !store.IsBusy(err) {
				return out, err
			}
			out.Stale = append(out.Stale, sp)
			ctx = noteBehind(ctx, sess, &out, sp, "not checked for changes", err)
			continue
		}
		out.Unread += len(r.Failed) + len(r.LeftOut)
		out.Reports = append(out.Reports, r)
	}
	if out.Unread > 0 {
		note := api.Plural(out.Unread, "file") + " could not be read and may be missing"
		if sess.Actor.Kind != kb.Agent { // agents must not run commands
			note += ": cairn sync says why"
		}
		out.Notes = append(out.Notes, note)
	}
	return out, nil
}

// SyncChanged syncs the directories of planned changes, and reports whether there
// were newer files than those of the plan. A directory that cannot be synced is
// left to the write itself, which checks again.
func SyncChanged(ctx context.Context, sess *memory.Session, changes []write.Change) (bool, error) {
	var spaces []kb.Space
	for _, c := range changes {
		if s := c.Space.Space; !slices.ContainsFunc(spaces, func(x kb.Space) bool { return x.Row == s.Row }) {
			spaces = append(spaces, s)
		}
	}
	return LookAt(ctx, sess, spaces)
}

// LookAt syncs spaces before a write, and reports whether there were files newer
// than the index. A space that cannot be synced is left to the write itself.
func LookAt(ctx context.Context, sess *memory.Session, spaces []kb.Space) (bool, error) {
	came, err := syncSpaces(sess.Notices.Patient(ctx), sess, spaces, nil)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	return err == nil && came.changed(), nil
}

// noteBehind records that a space is out of date, and why. If others are writing,
// the returned context does not wait for them any more.
func noteBehind(ctx context.Context, sess *memory.Session, r *Result, sp kb.Space, what string, err error) context.Context {
	if store.IsBusy(err) {
		sess.Notices.Waited()
		r.Notes = append(r.Notes, fmt.Sprintf("%s was %s, since others are writing in it: the answer uses text indexed before", sp.Name, what))
		return store.WithPatience(ctx, 0)
	}
	r.Notes = append(r.Notes, fmt.Sprintf("%s was %s: %s", sp.Name, what, api.Note(kb.AsError(err), sess.Hint)))
	return ctx
}

// rederive derives the documents of a space without a directory again.
func rederive(ctx context.Context, sess *memory.Session, sp kb.Space) error {
	open, err := sess.Spaces.OpenSpace(ctx, sp)
	if err != nil {
		return err
	}
	return sess.Syncer.Rederive(ctx, open.Space)
}

// RestoreSpace returns a forgotten space with its pages and history; see
// space.Registry.Restore.
func RestoreSpace(ctx context.Context, sess *memory.Session, name, as string) (api.Space, error) {
	out, err := sess.Spaces.Restore(ctx, name, as)
	if err != nil {
		return out, err
	}
	return ReturnPages(ctx, sess, out)
}

// ReturnPages derives the pages of a forgotten space, and describes the space with
// them.
func ReturnPages(ctx context.Context, sess *memory.Session, s api.Space) (api.Space, error) {
	sp, err := sess.Spaces.ByName(ctx, s.Name)
	if err == nil {
		err = rederive(ctx, sess, sp)
	}
	if err != nil {
		return s, err
	}
	now, err := sess.Spaces.Show(ctx, s.Name)
	s.Pages = now.Pages
	return s, err
}

// Find resolves a ref, by Resolve or ResolveToChange, to a page and its space.
// On a miss, or if the page's file is gone, it syncs changed files once and
// retries.
func Find(ctx context.Context, sess *memory.Session, raw string, resolve func(context.Context, store.Tx, string) (kb.Page, error)) (p kb.Page, home kb.Space, err error) {
	var spaces []kb.Space
	look := func() error {
		return sess.DB.View(ctx, func(tx store.Tx) error {
			if p, err = resolve(ctx, tx, raw); err == nil {
				home, err = space.OfPage(ctx, tx, p)
				return err
			}
			missing := err
			if spaces, err = tx.Spaces().All(ctx); err != nil {
				return err
			}
			return missing
		})
	}
	missing := look()
	if missing == nil {
		changed, err := beforeRead(ctx, sess, home)
		if err != nil {
			return p, home, err
		}
		if changed {
			store.Part(ctx, sess.DB)
			missing = look()
		}
	}
	switch {
	case missing == nil && gone(ctx, sess, p, home):
		spaces = []kb.Space{home}
	case kb.CodeOf(missing) != kb.NotFound:
		return p, home, missing
	}
	if name := ref.Parse(raw, spaces).Space; name != "" {
		spaces = slices.DeleteFunc(spaces, func(s kb.Space) bool { return s.Name != name })
	}
	came, err := syncSpaces(ctx, sess, spaces, nil)
	if ctx.Err() != nil {
		return p, home, ctx.Err()
	}
	// If a directory cannot be scanned, the index decides: the page does not exist.
	// If nothing changed, another process may have synced in the meantime.
	if err != nil {
		sess.Notices.Add(came.Notes...)
		return p, home, missing
	}
	if err = look(); err != nil && !came.changed() {
		sess.Notices.Add(came.Notes...)
	}
	return p, home, err
}

// FindPart is Find of a page or a part of it; see ref.WithPart.
func FindPart(ctx context.Context, sess *memory.Session, raw string, resolve func(context.Context, store.Tx, string) (kb.Page, error)) (named ref.Named, home kb.Space, err error) {
	_, home, err = Find(ctx, sess, raw, func(ctx context.Context, tx store.Tx, raw string) (p kb.Page, err error) {
		named, err = ref.WithPart(ctx, tx, raw, resolve)
		return named.Page, err
	})
	return named, home, err
}

// FindToChange is FindPart for a page that will be changed.
func FindToChange(ctx context.Context, sess *memory.Session, raw string) (ref.Named, kb.Space, error) {
	return FindPart(ctx, sess, raw, sess.Refs.ResolveToChange)
}

// refresh indexes a page's file when it changed since it was indexed.
func refresh(ctx context.Context, sess *memory.Session, p kb.Page, home kb.Space) (write.FileState, error) {
	space, err := sess.Spaces.OpenSpace(ctx, home)
	if err != nil || space.Files == nil {
		return write.FileSame, err
	}
	found, err := sess.Writer.RefreshIfChanged(ctx, space, p.Path, write.Known{Text: p.Hash, SidecarHash: p.Side}, store.ReadPatience)
	if err == nil && found == write.FileNewer {
		sess.Notices.Waited()
	}
	return found, err
}

// gone reports whether the file of a page does not exist any more. Only a scan
// of the whole directory shows whether it moved.
func gone(ctx context.Context, sess *memory.Session, p kb.Page, home kb.Space) bool {
	space, err := sess.Spaces.OpenSpace(ctx, home)
	if err != nil || space.Files == nil {
		return false
	}
	_, err = space.Files.Lstat(p.Path)
	return errors.Is(err, fs.ErrNotExist)
}

// Outdated reports whether the pages that a name refers to may have changed, so
// that it should be resolved again. If it refers to none, or to a missing file, it
// syncs the directory, and waits for others there as a write does; synced is true
// if that succeeded.
func Outdated(ctx context.Context, sess *memory.Session, at ref.Place) (changed, synced bool) {
	meant := at.Named
	if at.Page.Row != 0 {
		meant = []kb.Page{at.Page}
	}
	if len(meant) == 0 || slices.ContainsFunc(meant, func(p kb.Page) bool { return gone(ctx, sess, p, at.Space) }) {
		if at.Space.Row == 0 {
			return false, false
		}
		came, err := syncSpaces(ctx, sess, []kb.Space{at.Space}, nil)
		synced = err == nil && len(came.Stale) == 0
		if err != nil || came.changed() {
			return err == nil, synced
		}
		changed = true // perhaps by a sync of another process
	}
	for _, p := range meant {
		found, err := refresh(ctx, sess, p, at.Space)
		if ctx.Err() != nil {
			return false, synced
		}
		changed = changed || err == nil && found == write.FileChanged
	}
	return changed, synced
}

// Sync syncs a directory with the index.
func Sync(ctx context.Context, sess *memory.Session, s kb.Space, req Request) (api.SyncReport, error) {
	r, err := syncSpace(ctx, sess, s, req)
	if ctx.Err() == nil && !store.IsBusy(err) {
		sess.Log.Note(s, r, err)
	}
	return r, err
}

func syncSpace(ctx context.Context, sess *memory.Session, s kb.Space, req Request) (api.SyncReport, error) {
	space, err := sess.Spaces.OpenSpace(ctx, s)
	if err != nil {
		return api.SyncReport{}, err
	}
	if !req.DryRun {
		if _, err := sess.RunHooks(ctx, sess.Hooks.BeforeSync, s, false); err != nil {
			return api.SyncReport{}, err
		}
	}
	opts := reconcile.Options{DryRun: req.DryRun, Full: req.Full, Yes: req.Yes || space.Policy.Sessions.On(), ToRead: req.toRead}
	if req.Progress != nil {
		opts.Progress = func(p reconcile.Progress) { req.Progress(space.Name, p.Phase, p.Done, p.Total) }
	}
	look := sess.Syncer.Sync
	if req.toRead && sess.Follower != nil {
		look = sess.Follower.Sync
	}
	r, err := look(ctx, space, opts)
	if err != nil {
		return api.SyncReport{}, err
	}
	out := report(space.Name, r)
	if !req.DryRun {
		if _, err := sess.RunHooks(ctx, sess.Hooks.AfterSync, s, false); err != nil {
			return out, err
		}
	}
	if !req.toRead {
		out.Twins = twins(r.Listing)
		out.Sidecars, err = sidecars(ctx, sess, space, r.Listing)
	}
	return out, err
}

// Watch describes how changes of a space are detected, nil when each question
// scans, and before the first question.
func Watch(sess *memory.Session, space kb.ID) *api.Watch {
	if sess.Follower == nil {
		return nil
	}
	s := sess.Follower.State(space)
	done := sess.Log.Of(space)
	if !s.Watched && s.Reason == "" && done == nil {
		return nil
	}
	return &api.Watch{Watched: s.Watched, Directories: s.Dirs, Reason: s.Reason, Activity: done}
}

// Page resolves a ref and syncs that page's file with the index, unless others are
// writing or the memory is read-only: that becomes a notice.
func Page(ctx context.Context, sess *memory.Session, raw string) (kb.Page, error) {
	p, behind, err := Newest(ctx, sess, raw)
	if behind != nil {
		sess.Notices.Add(p.Ref() + ": " + behind.Text)
	}
	return p, err
}

// Newest is Page, and also returns why the page is older than its file, nil if it
// is not.
func Newest(ctx context.Context, sess *memory.Session, raw string) (p kb.Page, behind *api.Warning, err error) {
	ctx = sess.Notices.Patient(ctx)
	p, home, err := Find(ctx, sess, raw, sess.Refs.Resolve)
	if err != nil {
		return p, nil, err
	}
	found, err := refresh(ctx, sess, p, home)
	switch {
	case fsys.Unwritable(err):
		return p, &api.Warning{
			Path: p.Path, Code: WarnBehind,
			Text: "this is the indexed text; the file could not be indexed again: " + kb.AsError(err).Message,
		}, nil
	case err == nil && found == write.FileNewer:
		return p, &api.Warning{
			Path: p.Path, Code: WarnBehind,
			Text: "the file is newer than this text, and others are writing: this is the text indexed before",
		}, nil
	case err == nil && found == write.FileUnmerged:
		return p, &api.Warning{
			Path: p.Path, Code: WarnUnmerged,
			Text: "the file has merge conflict markers: this is the text before the merge, until it is finished",
		}, nil
	case err != nil:
		return p, nil, err
	case found == write.FileChanged:
		if p, home, err = Find(ctx, sess, raw, sess.Refs.Resolve); err != nil {
			return p, nil, err
		}
	}
	return p, sidecarWarning(ctx, sess, p, home), nil
}

// sidecarWarning warns about an unreadable sidecar, nil if there is none.
func sidecarWarning(ctx context.Context, sess *memory.Session, p kb.Page, home kb.Space) *api.Warning {
	space, err := sess.Spaces.OpenSpace(ctx, home)
	if err != nil || space.Files == nil || !write.MayNotReadBeside(space.Files, p.Path) {
		return nil
	}
	at := vault.SidecarPath(p.Path)
	return &api.Warning{Path: at, Code: WarnSidecar, Text: "this is the page as it was indexed: " + at + " may not be read"}
}

// Meant syncs the directories of the spaces that refs refer to; without refs the
// selected ones, or all. It returns the failures.
func Meant(ctx context.Context, sess *memory.Session, refs []string, everywhere bool, progress func(space, phase string, done, total int)) ([]string, error) {
	var spaces []kb.Space
	err := sess.DB.View(ctx, func(tx store.Tx) (err error) {
		if len(refs) == 0 && !everywhere {
			spaces, err = sess.Spaces.MeantTx(ctx, tx)
			return err
		}
		all, err := sess.Spaces.AllTx(ctx, tx)
		if len(refs) == 0 {
			spaces = all
		}
		for _, raw := range refs {
			if sp := sess.Refs.Home(ctx, tx, all, ref.Parse(raw, all).Space); !slices.ContainsFunc(spaces, func(s kb.Space) bool { return s.Row == sp.Row }) {
				spaces = append(spaces, sp)
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	notices := sess.Notices.Take()
	came, err := syncSpaces(ctx, sess, spaces, progress)
	return append(notices, came.Notes...), err
}
