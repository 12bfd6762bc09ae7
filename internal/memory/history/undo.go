package history

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/store"
)

// UndoRequest selects writes to undo: one by number, the last one of the current
// space, or every one of an actor in that space since a time.
type UndoRequest struct {
	api.WriteOptions
	Write int64  // 0: the newest in effect that is not a sync; for an agent only its own writes
	Own   bool   // without a number: the newest of the caller
	Last  int64  // with Write: all writes of its actor from Write to this one
	Page  string // with Write: of this page only
	Actor string // every write of this actor ...
	Since string // ... since this date or date phrase
	All   bool   // without a number: of all spaces
	Force bool   // undo pages with later changes too, if the changes can be separated

	Hunk    int // with Page: only the part of the difference that begins at this line of the new text
	Version int // with Hunk: the version of the page with that difference; 0 is the newest that has it

	document Document // of Page
}

// partly reports whether the request covers only a part of a write or several
// writes.
func (r UndoRequest) partly() bool { return r.Last > r.Write || r.Page != "" }

// RedoRequest reverts the last undo of the current space.
type RedoRequest struct {
	api.WriteOptions
	Own   bool // the last undo of the caller; always set for an agent
	All   bool // of all spaces
	Force bool // redo pages with later changes too, if the changes can be separated
}

// PlanRedo plans to revert the last undo in one apply, as PlanUndo does.
func PlanRedo(ctx context.Context, sess *memory.Session, req RedoRequest) (write.Request, []api.Skipped, error) {
	return makePlan(ctx, sess, UndoRequest{WriteOptions: req.WriteOptions, Own: req.Own, All: req.All, Force: req.Force}, true)
}

// PlanUndo plans to undo writes in one apply. Pages with later changes are left and
// listed. With Force the changes of the writes are reverted in such pages if later
// changes do not overlap them, and only the other pages are left. A request without
// changes means that all pages are left.
func PlanUndo(ctx context.Context, sess *memory.Session, req UndoRequest) (write.Request, []api.Skipped, error) {
	if (req.Actor == "") != (req.Since == "") {
		return write.Request{}, nil, kb.Errorf(kb.Usage, "to undo an actor's writes, give the actor and the time").
			WithReason(kb.UndoUnbounded)
	}
	switch {
	case req.Write == 0 && (req.Last != 0 || req.Page != ""):
		return write.Request{}, nil, kb.Errorf(kb.Usage, "a last write and a page need the first write")
	case req.Last != 0 && req.Last < req.Write:
		return write.Request{}, nil, kb.Errorf(kb.Usage, "write %d is before write %d", req.Last, req.Write)
	case req.Hunk != 0 && req.Page == "":
		return write.Request{}, nil, kb.Errorf(kb.Usage, "a part of a difference needs its page")
	}
	if req.Page != "" {
		d, err := Find(ctx, sess, req.Page)
		if err != nil {
			return write.Request{}, nil, err
		}
		req.document = d
	}
	return makePlan(ctx, sess, req, false)
}

func makePlan(ctx context.Context, sess *memory.Session, req UndoRequest, redo bool) (write.Request, []api.Skipped, error) {
	var plan *undoPlan
	err := sess.DB.View(ctx, func(tx store.Tx) (err error) {
		plan, err = planPages(ctx, sess, tx, req, redo)
		return err
	})
	if err != nil {
		return write.Request{}, nil, err
	}
	changes, skipped := plan.sum()
	return write.Request{
		Actor: sess.Actor, Operation: plan.operation, Message: plan.message(req.Message), Undoes: plan.undoes,
		Changes: changes, DryRun: req.DryRun, AllowSecrets: req.AllowSecrets, TakesBack: plan.takesBack,
	}, skipped, nil
}

// undoPlan is the plan of an undo.
type undoPlan struct {
	operation string // undo or redo
	undoes    int64
	about     int64 // the write for display: for a redo the one that is restored
	writes    int
	pages     []*pageUndo // the most recently written first
	takesBack bool        // see write.Request
}

// takeBackTime is how long an agent may undo the creation of its own page: about a
// session.
const takeBackTime = 24 * time.Hour

// sum returns the changes to all pages, and the skipped ones.
func (p *undoPlan) sum() (changes []write.Change, skipped []api.Skipped) {
	for _, page := range p.pages {
		changes = append(changes, page.changes...)
		if page.left != nil {
			skipped = append(skipped, *page.left)
		}
	}
	return changes, skipped
}

func (p *undoPlan) message(own string) string {
	switch {
	case own != "":
		return own
	case p.undoes != 0:
		return fmt.Sprintf("%s of write %d", p.operation, p.about)
	}
	return fmt.Sprintf("%s of %d writes", p.operation, p.writes)
}

// pageKey identifies a page of any space.
type pageKey struct {
	space int64
	page  kb.ID
}

func planPages(ctx context.Context, sess *memory.Session, tx store.Tx, req UndoRequest, redo bool) (*undoPlan, error) {
	plan := &undoPlan{operation: "undo"}
	if err := checkForgotten(ctx, tx, req.Write, req.Last); err != nil {
		return nil, err
	}
	f, err := whoseToUndo(ctx, sess, tx, req)
	if err != nil {
		return nil, err
	}
	switch {
	case redo:
		w, back, err := writeToRedo(ctx, tx, f)
		if err != nil {
			return nil, err
		}
		plan.operation, plan.undoes, plan.about = "redo", w, back
	case req.Actor == "":
		w, err := writeToUndo(ctx, tx, req.Write, f)
		if err != nil {
			return nil, err
		}
		if err := mayUndo(ctx, tx, sess.Actor, w); err != nil {
			return nil, err
		}
		plan.undoes, plan.about = w, w
	}
	if req.partly() {
		if f, err = rangeOf(ctx, tx, req); err != nil {
			return nil, err
		}
		plan.undoes = 0
	}
	if plan.undoes != 0 && !req.partly() {
		f = store.VersionFilter{Write: plan.undoes}
	}
	touched, _, err := tx.History().Versions(ctx, f, 1<<30, 0) // newest first
	if err != nil {
		return nil, err
	}
	if touched = onlyOwn(sess.Actor, touched); len(touched) == 0 {
		return nil, nothingToUndo(f)
	}
	plan.takesBack = !redo && sess.Actor.Kind == kb.Agent && !slices.ContainsFunc(touched, func(v kb.Version) bool {
		return v.Actor != sess.Actor || sess.Now().Sub(v.Time) > takeBackTime
	})
	byPage := map[pageKey][]kb.Version{}
	var order []pageKey
	writes := map[int64]bool{}
	for _, v := range touched {
		k := pageKey{v.Space, v.Page}
		if byPage[k] == nil {
			order = append(order, k)
		}
		byPage[k] = append(byPage[k], v)
		writes[v.Write] = true
	}
	plan.writes = len(writes)
	spaces := map[int64]*write.Space{}
	for _, k := range order {
		if spaces[k.space] == nil {
			if spaces[k.space], err = sess.Spaces.OpenTx(ctx, tx, k.space); err != nil {
				return nil, err
			}
		}
		undoIn := func() (*pageUndo, error) {
			if req.Hunk != 0 {
				return undoHunk(ctx, tx, sess.Codecs, spaces[k.space], byPage[k], req.Hunk, req.Version)
			}
			return undoPage(ctx, tx, sess.Codecs, spaces[k.space], byPage[k], req.Force)
		}
		page, err := undoIn()
		if err != nil {
			return nil, err
		}
		plan.pages = append(plan.pages, page)
	}
	return plan, plan.keepLinks(ctx, tx)
}

// rangeOf limits the versions to those of the actor of the first write.
func rangeOf(ctx context.Context, tx store.Tx, req UndoRequest) (store.VersionFilter, error) {
	f := store.VersionFilter{Write: req.Write, Last: req.Last}
	if req.Page != "" {
		f.Spaces, f.Page = []int64{req.document.Space.Row}, req.document.ID
	}
	first, err := tx.History().Write(ctx, req.Write)
	f.Actor = first.Actor
	return f, err
}

// followers returns the versions of a page after a version, newest first, if all of
// them only follow other writes; none if any does not. If the page was changed
// since and returned to that version, or to one of its followers, there are none,
// and again is true.
func followers(ctx context.Context, tx store.Tx, v kb.Version) (since []kb.Version, again bool, err error) {
	since, _, err = tx.History().Versions(ctx, store.VersionFilter{Spaces: []int64{v.Space}, Page: v.Page, After: v.Seq}, 0, 0)
	if err != nil {
		return nil, false, err
	}
	follow := make([]bool, len(since))
	for i, s := range since {
		w, err := tx.History().Write(ctx, s.Write)
		if err != nil {
			return nil, false, err
		}
		follow[i] = w.Operation == follows
	}
	first := len(since) // followers of v itself
	for first > 0 && follow[first-1] {
		first--
	}
	if first == 0 {
		return since, false, nil
	}
	its := append(slices.Clone(since[first:]), v)
	for i, s := range since[:first] {
		if slices.ContainsFunc(its, func(o kb.Version) bool { return sameState(s, o) }) {
			return nil, true, nil
		}
		if !follow[i] {
			break
		}
	}
	return nil, false, nil
}

// whoseToUndo limits the writes to choose from: to the current space, and for an
// agent to its own. A number refers to a write of any space.
func whoseToUndo(ctx context.Context, sess *memory.Session, tx store.Tx, req UndoRequest) (f store.VersionFilter, err error) {
	if req.Write != 0 {
		return f, nil
	}
	if !req.All || sess.Spaces.Pinned != "" {
		s, err := sess.Spaces.CurrentTx(ctx, tx)
		if err != nil {
			return f, err
		}
		f.Spaces = []int64{s.Row}
	}
	switch {
	case req.Actor != "":
		if f.Actor, err = ownActor(sess.Actor, ParseActor(req.Actor)); err != nil {
			return f, err
		}
		f.Since, err = query.Since(req.Since, sess.Now())
	case req.Own || sess.Actor.Kind == kb.Agent:
		f.Actor = sess.Actor
	}
	return f, err
}

// ByActor returns the versions that a request for every write of an actor since a
// time covers, newest first, up to a write.
func ByActor(ctx context.Context, sess *memory.Session, req UndoRequest, before int64) (found []kb.Version, err error) {
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		f, err := whoseToUndo(ctx, sess, tx, req)
		if err != nil {
			return err
		}
		found, _, err = tx.History().Versions(ctx, f, 1<<30, 0)
		found = slices.DeleteFunc(found, func(v kb.Version) bool { return v.Write >= before })
		return err
	})
	return found, err
}

// nothingToUndo reports the range that was searched.
func nothingToUndo(f store.VersionFilter) error {
	e := kb.Errorf(kb.NotFound, "there is nothing to undo")
	if f.Actor != (kb.Actor{}) {
		e = kb.Errorf(kb.NotFound, "there is nothing by %s to undo", f.Actor)
	}
	return e.WithReason(kb.NothingToUndo)
}
