package brief

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc/chunk"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/ageing"
	"github.com/cairn-kb/cairn/internal/knowledge/curate"
	"github.com/cairn-kb/cairn/internal/knowledge/sessions"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/contradiction"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	config "github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/search/embed/kernel"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// PrimeRequest asks for the text for the start of a session.
type PrimeRequest struct {
	Budget int    // tokens of the built-in model; 0 is 800, with the pages injected by the policy in addition
	Since  string // changes since this date or date phrase; "" is since the caller's last session
	// Brief omits the list of commands and tools, for a client that has it in
	// its instructions and the tools themselves.
	Brief bool
	// HasInstructions omits the rule as well, for a client with instructions
	// that contain it.
	HasInstructions bool
	// Source is the reason why the client's hook ran, in the terms of Claude Code:
	// startup, resume, clear or compact; "" if unknown.
	Source string
	// PrimeWaits reports that the directory has a PRIME.md that nobody accepted.
	PrimeWaits bool
}

// Check rejects an invalid request, with or without a memory.
func (r PrimeRequest) Check(now time.Time) error {
	if r.Since == "" {
		return nil
	}
	_, err := query.Since(r.Since, now)
	return err
}

const (
	defaultPrimeBudget = 800
	// maxInjected is the total number of tokens for injected pages when the caller
	// set no budget.
	maxInjected = 12000
	// maxChecked is the maximum number of pages in a space for counting
	// contradictions: more would delay the start of a session too long.
	maxChecked = 3000
	// markTime bounds how long a session waits to record its start while another
	// process writes.
	markTime = time.Second
)

// composePrime describes the memory and its use, counts stale pages and open gaps,
// and lists: decisions; open tasks of the working directory's project and tasks
// that are due; changes since the caller was last in this project; and pages. Pages
// are those of the project, pinned ones with their text, the most linked and the
// newest; a new caller also gets folders and tags. For speed it does not sync.
//
// If no space is chosen for the working directory, it uses the current one,
// provided that this one is stored in the memory, and so has no directory, or has
// pages of the project. Otherwise it discloses nothing of notes in other
// directories except the rules of their spaces, and returns an empty Text when
// there are none.
func composePrime(ctx context.Context, sess *memory.Session, req PrimeRequest) (api.Prime, error) {
	whole := req.Budget <= 0 // injected pages have their own budgets
	if whole {
		req.Budget = defaultPrimeBudget
	}
	out := api.Prime{Budget: req.Budget, Pinned: []string{}}
	space, all, err := spaceToTell(ctx, sess)
	switch {
	case err != nil:
		return out, err
	case space.Row == 0 && all != nil:
		return primeElsewhere(ctx, sess, all, req, out)
	case space.Row == 0:
		return out, nil
	}
	out.Space = space.Name
	pol, _, err := sess.Spaces.Policy(ctx, space, nil)
	if err != nil {
		pol = &policy.Policy{} // an unreadable policy pins nothing; doctor reports it
	}
	if out.Git, err = gitsync.StateOf(ctx, sess, space); err != nil {
		return out, err
	}
	if len(pol.Routines)+len(pol.Rotate)+len(pol.Inbox.Paths) > 0 {
		waiting, err := waiting(ctx, sess, space)
		if err != nil {
			return out, err
		}
		if !nothingWaits(waiting) {
			out.Due = &waiting
		}
	}
	for _, part := range sess.Spaces.Waiting(ctx, space, pol) {
		out.Waiting = append(out.Waiting, part.Name)
	}
	if req.PrimeWaits && !slices.Contains(out.Waiting, kb.PrimePart) {
		out.Waiting = append(out.Waiting, kb.PrimePart)
	}
	turned, err := ageing.Ready(ctx, sess, ageing.ReadyRequest{Spaces: []kb.Space{space}, Daily: true})
	if err != nil {
		return out, err
	}
	past, err := sessions.OfProject(ctx, sess, sess.Place.Dir, maxPast)
	if err != nil && ctx.Err() != nil {
		return out, err // cairn sessions reports other errors
	}
	text := primeText{count: wordPieces(sess.Place), left: req.Budget}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		statuses, err := tx.Pages().Statuses(ctx, []int64{space.Row})
		if err != nil {
			return err
		}
		for _, s := range statuses {
			out.Pages += s.N
			if s.Value == string(kb.Stale) {
				out.Stale = s.N
			}
		}
		places, err := tx.Lives().Places(ctx, slices.Sorted(maps.Keys(turned)))
		if err != nil {
			return err
		}
		for _, p := range places {
			switch to := turned.Status(p.Page, p.Status); {
			case to == p.Status:
			case to == kb.Stale:
				out.Stale++
			case p.Status == kb.Stale:
				out.Stale--
			}
		}
		if out.Gaps, err = tx.Gaps().Open(ctx, []int64{space.Row}); err != nil {
			return err
		}
		if out.Pages > maxChecked {
			out.Uncounted = len(pol.Predicates.Single) > 0 || pol.Lifecycle.BehindDays > 0
		} else if out.Disputes, err = contradiction.Count(ctx, sess, tx, []int64{space.Row}); err != nil {
			return err
		}
		if !text.about(out, req, pol) {
			return nil // nothing fits into such a budget
		}
		text.lines(RuleLines(pol))
		text.repository(out.Git)
		if len(out.Waiting) > 0 {
			text.add(waitingLine(out.Waiting))
		}
		due, err := curate.Due(ctx, sess, tx, space, pol)
		if err != nil {
			return err
		}
		if due != nil && due.Due {
			out.Curation = due
			text.add("Curation " + due.Summary() + " (cairn curate, tool curate; a person decides).")
		}
		if out.Due != nil {
			text.lines(dueLines(*out.Due))
		}
		for _, r := range pol.Rotate {
			text.today(r)
		}
		text.lines(pastLines(past))
		own := text.left
		if whole {
			text.left = maxInjected
		}
		var injected []kb.Page
		if out.Pinned, injected, err = primeInjected(ctx, sess, tx, space, pol, &text); err != nil {
			return err
		}
		if whole {
			text.left = own
		}
		changes, first, err := primeChanges(ctx, sess, tx, space, pol, req, &out)
		if err != nil {
			return err
		}
		if first {
			if changes, err = folders(ctx, tx, space, out.Pages); err != nil {
				return err
			}
		}
		// Changes are short and go out of date: their share is reserved before
		// pinned pages, which precede them, take the rest.
		news := primeText{count: text.count, left: text.left / 3}
		if first {
			news.lines(changes)
		} else {
			news.changes(changes, out.Changes)
		}
		text.left -= text.left/3 - news.left
		decided, err := primeDecisions(ctx, sess, tx, space, pol, injected, turned, &text)
		if err != nil {
			return err
		}
		if err := primeTasks(ctx, sess, tx, space, pol, turned, &text); err != nil {
			return err
		}
		if !first {
			text.WriteString(news.String())
		}
		named, err := primeProject(ctx, sess, tx, decided, turned, &text)
		if err != nil {
			return err
		}
		named = append(named, decided...)
		pinned, err := primePinned(ctx, sess, tx, space, injected, &text)
		if err != nil {
			return err
		}
		out.Pinned = append(out.Pinned, pinned...)
		named = append(named, out.Pinned...)
		for _, p := range injected {
			named = append(named, p.Ref())
		}
		if pol.Brief.Lists() {
			err = primeBrief(ctx, sess, tx, space, pol.Brief.Pages(), named, turned, &text)
		} else {
			err = primeOthers(ctx, sess, tx, space, pol, named, turned, &text)
		}
		if first {
			text.WriteString(news.String())
		}
		return err
	})
	if err != nil {
		return api.Prime{}, err
	}
	out.Text = text.String()
	out.Tokens = text.count(out.Text)
	return out, nil
}

// spaceToTell returns the space for sessions in the working directory, none if they
// get no text. If several match and none is chosen, it returns them all.
func spaceToTell(ctx context.Context, sess *memory.Session) (space kb.Space, all []kb.Space, err error) {
	space, all, err = sess.Spaces.Chosen(ctx)
	if err != nil || space.Row != 0 {
		return space, nil, err
	}
	space, err = sess.Spaces.Current(ctx)
	if kb.CodeOf(err) == kb.Ambiguous || kb.CodeOf(err) == kb.NotFound {
		return kb.Space{}, all, nil
	}
	if err != nil || space.Kind != kb.DirectorySpace {
		return space, nil, err
	}
	if about, err := aboutProject(ctx, sess, space); err != nil || !about {
		return kb.Space{}, all, err
	}
	return space, nil, nil
}

// Primed records that the caller received Prime's answer. A failure to record
// it, because another process writes, is ignored: the same changes are then
// reported again.
func Primed(ctx context.Context, sess *memory.Session, p api.Prime) error {
	if p.Mark.Key == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, markTime)
	defer cancel()
	err := sess.DB.Update(ctx, func(tx store.Tx) error { return tx.Settings().Set(ctx, p.Mark.Key, p.Mark.Value) })
	if errors.Is(err, context.DeadlineExceeded) || kb.CodeOf(err) == kb.Conflict {
		return nil
	}
	return err
}

// wordPieces counts tokens with the built-in model's tokenizer, which is ready
// in a millisecond, regardless of the memory's model. A build without the model
// estimates.
func wordPieces(o config.Place) func(string) int {
	m, err := bge.New(o.Env(kernel.EnvVar), 1)
	if err != nil {
		return retrieve.WithUnseen(chunk.Estimate)
	}
	return retrieve.WithUnseen(func(text string) int {
		n, err := m.CountTokens(text)
		if err != nil {
			return len(text) // no token is shorter than a byte
		}
		return n
	})
}

// primeWindow is the number of versions read for the list of changes.
const primeWindow = 64

// primeChanges returns the changes since the caller's last session, changes by
// others first, and counts them in out. first is true when the caller was never in
// this project and the request sets no other time.
func primeChanges(ctx context.Context, sess *memory.Session, tx store.Tx, space kb.Space, pol *policy.Policy, req PrimeRequest, out *api.Prime) (lines []string, first bool, err error) {
	key := markKey(sess, space)
	text, err := tx.Settings().Get(ctx, key)
	if err != nil {
		return nil, false, err
	}
	f := store.VersionFilter{Spaces: []int64{space.Row}}
	from := req.Since
	was, badMark := parseMark(text)
	note := func(newest int64) {
		if value := was.shown(newest, req.Source, sess.Now()).String(); value != text {
			out.Mark = api.PrimeMark{Key: key, Value: value}
		}
	}
	// The mark is the newest change reported to the caller. Checking it first
	// avoids counting the whole history.
	f.After = was.newest
	if badMark != nil && from == "" {
		// The whole history is new to the caller: only its end is needed.
		seq, err := tx.History().Seq(ctx, sess.Now())
		if was = (mark{newest: seq, before: seq, start: seq}); err == nil && seq > 0 && out.Pages > 0 {
			note(seq)
		}
		return nil, true, err
	}
	newest, _, err := tx.History().Versions(ctx, f, 1, 0)
	if err != nil || len(newest) == 0 && from == "" {
		if err == nil && (was.before != was.newest || was.start != was.newest) {
			note(was.newest)
		}
		return nil, false, err
	}
	f.After = 0
	switch {
	case from != "":
		if f.Since, err = query.Since(from, sess.Now()); err != nil {
			return nil, false, err
		}
	case badMark == nil:
		f.After = was.newest
	}
	if !f.Since.IsZero() {
		t := f.Since.UTC()
		out.Since = &t
	}
	if len(newest) > 0 {
		note(newest[0].Seq)
	}
	found, total, err := tx.History().Versions(ctx, f, primeWindow, 0)
	n := len(found)
	found = slices.DeleteFunc(found, func(v kb.Version) bool { return v.Actor.Kind == kb.Schedule && pol.Rebuilds(v.Path) })
	out.Changes = total - n + len(found)
	return changeLines(found, sess.Actor, out.Changes), false, err
}

// changeLines formats changes: a line for each page, or one line for a write that
// changed many. Changes by others than self come first.
func changeLines(found []kb.Version, self kb.Actor, total int) []string {
	const many = 5
	size := map[int64]int{}
	for _, v := range found {
		size[v.Write]++
	}
	var others, own []string
	said := map[string]bool{}
	for _, v := range found {
		day, how := v.Time.UTC().Format(time.DateOnly), "by "+shortName(v.Actor.String())
		if v.Actor.Kind == kb.Sync {
			how = "outside cairn" // a person in an editor, or another program
		}
		line := fmt.Sprintf("> %s: %s %s, %s", primeName(link.Slug(v.Path)), v.Change, how, day)
		id := "page " + string(v.Page) // not its path, which a move changes
		if n := size[v.Write]; n > many {
			id = "write " + strconv.FormatInt(v.Write, 10)
			line = fmt.Sprintf("> %d pages %s, %s", n, how, day)
			if len(found) < total && v.Write == found[len(found)-1].Write {
				line = fmt.Sprintf("> %d pages or more %s, %s", n, how, day)
			}
		}
		if said[id] {
			continue
		}
		said[id] = true
		if v.Actor == self {
			own = append(own, line)
		} else {
			others = append(others, line)
		}
	}
	return append(others, own...)
}
