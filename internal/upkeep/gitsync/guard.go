package gitsync

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/git"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/lintpages"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/lint"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/upkeep/runs"
)

// Request selects edits of other programs to commit.
type Request struct {
	Refs    []string // pages
	All     bool     // instead of Refs: all of the current space
	DryRun  bool
	Message string

	// byPerson is set for a person's request: the person is the author of the
	// commit, and pages edited by the person get edit stamps.
	byPerson bool
}

// Commit commits changes by other programs, and pending commits of writes.
// Documents with fatal faults are left uncommitted.
func Commit(ctx context.Context, sess *memory.Session, req Request) (api.GitCommit, error) {
	if req.All == (len(req.Refs) > 0) {
		return api.GitCommit{}, kb.Errorf(kb.Usage, "say which pages are to be committed, or that all are")
	}
	var (
		s     kb.Space
		paths []string
		err   error
	)
	if req.All {
		s, err = sess.Spaces.Current(ctx)
	}
	for i, ref := range req.Refs {
		p, ferr := freshness.Page(ctx, sess, ref)
		if ferr != nil {
			return api.GitCommit{}, ferr
		}
		if i > 0 && p.SpaceID != s.ID {
			return api.GitCommit{}, kb.Errorf(kb.Usage, "%s is in another space than %s", ref, req.Refs[0])
		}
		s, err = sess.Spaces.ByName(ctx, p.Space)
		paths = append(paths, p.Path)
	}
	if err != nil {
		return api.GitCommit{}, err
	}
	w, err := sess.Spaces.OpenSpace(ctx, s)
	if err != nil {
		return api.GitCommit{}, err
	}
	if !w.Guards() {
		return api.GitCommit{}, w.NotGuarded()
	}
	if _, err := freshness.Sync(ctx, sess, s, freshness.Request{DryRun: req.DryRun}); err != nil {
		return api.GitCommit{}, err
	}
	req.byPerson = sess.Actor.Kind == kb.Human
	return commitFiles(ctx, sess, w, paths, req)
}

// commitFiles is Commit for a space with an up-to-date index; nil paths are all.
// Pages are committed with the index files that list them.
func commitFiles(ctx context.Context, sess *memory.Session, w *write.Space, paths []string, req Request) (api.GitCommit, error) {
	out := api.GitCommit{Space: w.Name, Files: []string{}, Left: []api.Fault{}, DryRun: req.DryRun}
	if !req.DryRun {
		if err := PullRemote(ctx, sess, w.Space); err != nil && kb.CodeOf(err) != kb.Conflict {
			return out, err
		}
		if err := Settle(ctx, sess.Writer, w); err != nil {
			return out, err
		}
	}
	outside, err := sess.Writer.Outside(ctx, w)
	if err != nil {
		return out, err
	}
	wanted := func(p string) bool { return paths == nil || slices.Contains(paths, p) }
	changed := slices.DeleteFunc(slices.Clone(outside.Changed), func(p string) bool { return !wanted(p) })
	for _, p := range outside.Staged {
		if wanted(p) {
			out.Staged = append(out.Staged, p)
		}
	}
	failing := map[string]bool{}
	if len(changed) > 0 {
		found, _, err := lintpages.Space(ctx, sess, w, changed)
		if err != nil {
			return out, err
		}
		for _, f := range lint.Fatals(found) {
			out.Left = append(out.Left, lintpages.Fault(w.Name, f))
			failing[f.Path] = true
		}
		changed = slices.DeleteFunc(changed, func(p string) bool { return failing[p] })
	}
	if req.DryRun {
		out.Files = append(out.Files, changed...)
		return out, nil
	}
	if out.Held, err = sess.Writer.CommitPending(ctx, w); err != nil {
		return out, err
	}
	if req.byPerson {
		if err := commitStamped(ctx, sess, w, changed, req, &out); err != nil {
			return out, uncommitted(ctx, sess, w, changed, err)
		}
		changed = slices.DeleteFunc(changed, func(p string) bool { return slices.Contains(out.Files, p) })
	}
	if err := Recatalog(ctx, sess.Writer, w); err != nil { // index files list the committed pages
		return out, err
	}
	if outside, err = sess.Writer.Outside(ctx, w); err != nil {
		return out, err
	}
	if paths == nil || len(changed) > 0 || len(out.Files) > 0 {
		for _, p := range outside.Changed {
			if write.IsCatalog(w, p) && !slices.Contains(changed, p) {
				changed = append(changed, p)
			}
		}
	}
	if len(changed) > 0 {
		by := kb.Write{Actor: kb.Actor{Kind: kb.Sync}, Operation: "sync", Message: req.Message}
		if req.byPerson {
			by.Actor, by.Operation = sess.Actor, commitOperation
		}
		done, err := sess.Writer.CommitOutside(ctx, w, changed, by)
		if err != nil {
			return out, uncommitted(ctx, sess, w, changed, err)
		}
		if done.Commit != "" {
			out.Commit = done.Commit
		}
		out.Files = append(out.Files, done.Files...)
	}
	return out, note(ctx, sess, w.ID, func(s *noted) {
		for _, p := range s.Failing {
			if !wanted(p) { // still unchanged
				failing[p] = true
			}
		}
		s.Failing = slices.Sorted(maps.Keys(failing))
	})
}

// commitOperation is the operation of a commit requested by a person.
const commitOperation = "commit"

// commitStamped writes edit stamps, such as the day of the last change, to pages
// edited by a person since the last commit, and commits these pages with the index.
// Values changed by the person are kept, and a file with unsaved edits in Emacs is
// not changed.
func commitStamped(ctx context.Context, sess *memory.Session, w *write.Space, changed []string, req Request, out *api.GitCommit) error {
	stamps := slices.DeleteFunc(w.Policy.StampsFor(policy.Stamping{
		Actor: sess.Actor, Date: sess.Now().In(w.Policy.Calendar(sess.Now().Location()).Zone).Format(time.DateOnly),
	}), func(s policy.Stamp) bool { return !s.Edits })
	if len(stamps) == 0 || len(changed) == 0 {
		return nil
	}
	tree := w.Tree()
	repo, err := tree.Open(ctx)
	if err != nil {
		return err
	}
	was, err := tree.Committed(ctx, repo, changed)
	if err != nil {
		return err
	}
	var changes []write.Change
	for path, old := range was {
		codec := doc.ForPath(sess.Codecs, path)
		if codec == nil { // for example the policy
			continue
		}
		codec = codec.In(w.Syntax)
		now, _, err := fsys.ReadFile(ctx, w.Files, path, write.MaxDocument)
		if write.IsCatalog(w, path) || err != nil || tree.Unsaved(path) != nil {
			continue
		}
		edits := policy.Edits(codec.Format(), codec.Parse(path, now), codec.Parse(path, old), stamps, false)
		if len(edits) == 0 {
			continue
		}
		// Pass edits and not a new text: an editor may save in the meantime.
		changes = append(changes, write.Change{Space: w, Path: path, Action: write.Edit{Edits: edits}})
	}
	if len(changes) == 0 {
		return nil
	}
	slices.SortFunc(changes, func(a, b write.Change) int { return strings.Compare(a.Path, b.Path) })
	done, err := sess.Writer.Apply(ctx, write.Request{Actor: sess.Actor, Operation: commitOperation, Message: req.Message, Changes: changes, Unlevel: true})
	if err != nil {
		return err
	}
	if done.Write.ID == 0 { // the stamps were written by another writer in the meantime
		return nil
	}
	for _, p := range done.Pages {
		if p.Change != "" {
			out.Files = append(out.Files, p.Page.Path)
		}
	}
	out.Commit, err = tree.Head(ctx, repo)
	return err
}

// uncommitted is the error for files that could not be committed, with their names.
// The output of a hook is recorded.
func uncommitted(ctx context.Context, sess *memory.Session, w *write.Space, files []string, err error) error {
	refusal := *kb.AsError(err)
	if refusal.Reason != kb.HookRefused {
		return refusal.With("paths", files)
	}
	no := write.HookRefusal{Files: files, Why: refusal.Message}
	refusal.Message = api.Names(files) + ": " + refusal.Message
	return errors.Join(refusal.With("paths", files), sess.DB.Update(ctx, func(tx store.Tx) error { return write.SetHookRefusal(ctx, tx, w.ID, no) }))
}

// Settle updates git's index after a commit by a cairn process that died, as
// opening the space does; otherwise the index would show the reverse change as
// staged. It does nothing in a space that is not guarded.
func Settle(ctx context.Context, writer *write.Writer, w *write.Space) error {
	if !w.Guards() {
		return nil
	}
	_, _, unlock, err := writer.Repository(ctx, w)
	if err != nil {
		return err
	}
	return unlock()
}

// Recatalog updates the index files of a space, if it has any. A foreign file with
// the name of an index file is kept, and cairn index reports it.
func Recatalog(ctx context.Context, writer *write.Writer, w *write.Space) error {
	if w.Policy.Index.File == "" {
		return nil
	}
	_, err := writer.Catalog(ctx, w, false)
	if kb.CodeOf(err) == kb.Conflict {
		return nil
	}
	return err
}

// CommitSettled is Commit for all guarded spaces in which no file was edited for as
// long as their policies require. failed is called for a space with an error.
func CommitSettled(ctx context.Context, sess *memory.Session, failed func(space string, err error)) (done []api.GitCommit, err error) {
	err = each(ctx, sess, failed, func(w *write.Space) error {
		r, err := Settled(ctx, sess, w)
		if r != nil {
			done = append(done, *r)
		}
		return err
	})
	return done, err
}

// Settled is CommitSettled for one space; nil if nothing was committed or left
// over, or the space is not guarded. The answer has the error as well.
func Settled(ctx context.Context, sess *memory.Session, w *write.Space) (*api.GitCommit, error) {
	if !w.Guards() {
		return nil, nil
	}
	out, err := commitSettled(ctx, sess, w)
	if err != nil {
		refusal := kb.AsError(err)
		files, _ := refusal.Details["paths"].([]string)
		out.Refused = &api.GitRefusal{Code: refusal.Code, Message: refusal.Error(), Hint: sess.Hint.Of(refusal), Files: files}
	}
	if out.Held == 0 && out.Commit == "" && len(out.Left) == 0 && out.Refused == nil {
		return nil, nil
	}
	return &out, err
}

func commitSettled(ctx context.Context, sess *memory.Session, w *write.Space) (api.GitCommit, error) {
	settle := time.Duration(w.Policy.Guard.Settle) * time.Second
	out := api.GitCommit{Space: w.Name, Files: []string{}, Left: []api.Fault{}}
	var err error
	if out.Held, err = sess.Writer.CommitPending(ctx, w); err == nil {
		err = Settle(ctx, sess.Writer, w)
	}
	if err != nil || settle == 0 {
		return out, err
	}
	outside, err := sess.Writer.Outside(ctx, w)
	if err != nil {
		return out, err
	}
	if len(outside.Changed) == 0 {
		return out, mend(ctx, sess, w)
	}
	for _, p := range outside.Changed {
		// A time far in the future comes from another clock, and is ignored.
		if info, err := w.Files.Lstat(p); err == nil && sess.Now().Sub(info.ModTime()).Abs() < settle {
			return out, nil // somebody is editing
		}
	}
	if _, err := freshness.Sync(ctx, sess, w.Space, freshness.Request{}); err != nil {
		return out, err
	}
	r, err := commitFiles(ctx, sess, w, nil, Request{})
	r.Held += out.Held
	return r, err
}

// each calls a function for every guarded space.
func each(ctx context.Context, sess *memory.Session, failed func(space string, err error), do func(w *write.Space) error) error {
	spaces, err := sess.Spaces.Directories(ctx)
	if err != nil {
		return err
	}
	for _, s := range spaces {
		w, err := sess.Spaces.OpenSpace(ctx, s)
		if err != nil || !w.Guards() {
			continue // sync reports an unavailable directory
		}
		if err := do(w); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			failed(s.Name, err)
		}
	}
	return nil
}

// Push pushes the commits of a space to its branch's upstream.
func Push(ctx context.Context, sess *memory.Session) (api.GitPush, error) {
	w, err := current(ctx, sess)
	if err != nil {
		return api.GitPush{}, err
	}
	return pushBranch(ctx, sess, w)
}

// PushAll is Push for all spaces with unpushed commits and policies that require
// pushing.
func PushAll(ctx context.Context, sess *memory.Session, failed func(space string, err error)) (done []api.GitPush, err error) {
	err = each(ctx, sess, failed, func(w *write.Space) error {
		if !w.Policy.Guard.Push {
			return nil
		}
		state, err := stateOf(ctx, w)
		if err != nil || state.Upstream == "" || state.Ahead == 0 {
			return err
		}
		r, err := pushBranch(ctx, sess, w)
		if r.Pushed > 0 {
			done = append(done, r)
		}
		return err
	})
	return done, err
}

func stateOf(ctx context.Context, w *write.Space) (*git.State, error) {
	t := w.Tree()
	r, err := t.Open(ctx)
	if err != nil {
		return nil, err
	}
	return t.Branch(ctx, r)
}

// unaccepted reports whether git was not run because the repository names programs
// or remotes that are not accepted.
func unaccepted(err error) bool { return err != nil && kb.AsError(err).Reason == kb.GitPrograms }

func pushBranch(ctx context.Context, sess *memory.Session, w *write.Space) (api.GitPush, error) {
	out := api.GitPush{Space: w.Name}
	// Lint reports why the index cannot be repaired; the commit continues.
	if err := mend(ctx, sess, w); err != nil && ctx.Err() != nil {
		return out, err
	}
	t := w.Tree()
	r, err := t.Open(ctx)
	if err != nil {
		return out, err
	}
	state, err := t.Branch(ctx, r)
	if err != nil {
		return out, err
	}
	state.Under = "" // it does not affect commits
	if err := follows(state, "Nothing was pushed."); err != nil {
		return out, err
	}
	out.Branch, out.Upstream = state.Branch, state.Upstream
	if state.Ahead > 0 {
		err = t.Push(ctx, state.Branch)
	}
	outcome := outcome{At: sess.Now().UTC()}
	if unaccepted(err) {
		outcome.Error = kb.AsError(err).Error()
	} else if err != nil && ctx.Err() == nil {
		// The remote may have diverged: fetch, record that, and leave it to a
		// person.
		_ = fetch(ctx, sess, w, t, state.Branch, false) // the push reports the problem
		if after, look := t.Branch(ctx, r); look == nil && after.Diverged() {
			err = kb.Errorf(kb.Conflict, "%s and %s have diverged: %d ahead, %d behind", after.Branch, after.Upstream, after.Ahead, after.Behind).
				WithHint("Nothing was pushed, and nothing is lost.").WithReason(kb.GitDiverged).Because(err)
		} else {
			err = kb.Errorf(kb.Conflict, "could not push: %w", err).WithHint("Nothing is lost: the commits are here.")
		}
		outcome.Error = kb.AsError(err).Error()
	}
	pushed := err == nil
	noteErr := note(ctx, sess, w.ID, func(s *noted) {
		if s.Push = &outcome; pushed && state.Ahead > 0 && s.Fetch != nil {
			s.Fetch.Error = "" // the remote answered
		}
	})
	if pushed {
		noteErr = errors.Join(noteErr, sess.DB.Update(ctx, func(tx store.Tx) error { return runs.Succeeded(ctx, tx, "push") }))
	}
	if err == nil {
		err = noteErr
	}
	if err == nil {
		out.Pushed = state.Ahead
	}
	return out, err
}

// StateOf is State of a space by its row; errors from opening its directory are
// reported elsewhere.
func StateOf(ctx context.Context, sess *memory.Session, s kb.Space) (*api.GitState, error) {
	if s.Kind != kb.DirectorySpace {
		return nil, nil
	}
	w, err := sess.Spaces.OpenSpace(ctx, s)
	if err != nil {
		return nil, ctx.Err()
	}
	return State(ctx, sess, w)
}

// States returns the states of all guarded spaces.
func States(ctx context.Context, sess *memory.Session) (all []api.GitState, err error) {
	known, err := sess.Spaces.Directories(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range known {
		state, err := StateOf(ctx, sess, s)
		if err != nil {
			return nil, err
		}
		if state != nil {
			all = append(all, *state)
		}
	}
	return all, nil
}

// State returns the state of the repository of a guarded space; nil for any
// other space.
func State(ctx context.Context, sess *memory.Session, w *write.Space) (*api.GitState, error) {
	if !w.Guards() {
		return nil, nil
	}
	out, changed := &api.GitState{Space: w.Name}, map[string]bool{}
	state, err := sess.Writer.Outside(ctx, w)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		out.Error = kb.AsError(err).Error()
	} else {
		out.Branch, out.Upstream, out.Ahead, out.Behind, out.Underway = state.Branch, state.Upstream, state.Ahead, state.Behind, state.Under
		out.Diverged = state.Diverged()
		out.Changed = len(state.Changed) + len(state.Staged)
		for _, p := range state.Changed {
			changed[p] = true
		}
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		waiting, err := write.PendingCommits(ctx, tx, w.ID)
		if err != nil {
			return err
		}
		out.Held = len(waiting)
		if len(waiting) > 0 {
			out.HeldWhy = waiting[0].Why
		}
		no, err := write.LastHookRefusal(ctx, tx, w.ID)
		if err != nil {
			return err
		}
		for _, p := range no.Files {
			if changed[p] { // otherwise it was committed since
				out.Refused, out.RefusedWhy = append(out.Refused, p), no.Why
			}
		}
		n, err := notedIn(ctx, tx, w.ID)
		if err != nil {
			return err
		}
		out.Failing = n.Failing
		if state != nil {
			out.Failing = slices.DeleteFunc(out.Failing, func(p string) bool { return !changed[p] })
		}
		if n.Push != nil {
			out.PushedAt, out.PushError = &n.Push.At, n.Push.Error
		}
		if n.Fetch != nil {
			out.FetchedAt, out.FetchError = &n.Fetch.At, n.Fetch.Error
		}
		return nil
	})
	return out, err
}

// Waits reports whether there are guarded spaces, whether any has uncommitted
// changes, and whether any has unpushed commits.
func Waits(ctx context.Context, sess *memory.Session) (guarded, commit, push bool, err error) {
	err = each(ctx, sess, func(string, error) { commit = true }, func(w *write.Space) error {
		guarded = true
		state, err := sess.Writer.Outside(ctx, w)
		if err != nil {
			return err // the job reports the problem
		}
		push = push || w.Policy.Guard.Push && state.Upstream != "" && state.Ahead > 0
		var (
			waits int
			known noted
		)
		err = sess.DB.View(ctx, func(tx store.Tx) error {
			waiting, err := write.PendingCommits(ctx, tx, w.ID)
			if waits = len(waiting); err == nil {
				known, err = notedIn(ctx, tx, w.ID)
			}
			return err
		})
		if err != nil || waits > 0 || w.Policy.Guard.Settle == 0 {
			commit = commit || waits > 0
			return err
		}
		commit = commit || len(state.Changed) > 0 || w.Policy.Index.File != "" && known.Indexed != state.Head
		return nil
	})
	return guarded, commit, push, err
}
