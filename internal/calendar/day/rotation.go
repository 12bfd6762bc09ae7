package day

import (
	"context"
	"fmt"
	"iter"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/calendar"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/dates"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// State caches the state of spaces while the program runs, so that a check
// costs nothing. The zero value is an empty cache. It is safe for concurrent
// use.
type State struct {
	mu    sync.Mutex
	rest  map[int64]rest
	texts map[int64]string    // of the pages of the day at the last sync
	saved map[int64]time.Time // until then an empty page is left to an editor
}

// rest is a period in which no rotation can become due.
type rest struct{ from, until time.Time }

const (
	// lookAgain is the interval for rechecking a page that is up to date: an editor
	// may have saved an old text over it.
	lookAgain = time.Minute
	// retry is the interval after a failed rotation.
	retry = 5 * time.Second
)

func (s *State) rests(space int64, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.rest[space]
	return ok && !now.Before(r.from) && now.Before(r.until)
}

// changed stores the texts of a space's rotating pages, and reports whether they
// differ from the stored ones. If so, the space has to be checked.
func (s *State) changed(space int64, texts string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.texts[space] == texts {
		return false
	}
	if s.texts == nil {
		s.texts = map[int64]string{}
	}
	s.texts[space] = texts
	delete(s.rest, space)
	return true
}

func (s *State) set(space int64, r rest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if saved := s.saved[space]; r.from.Before(saved) && saved.Before(r.until) {
		r.until = saved
	}
	if s.rest == nil {
		s.rest = map[int64]rest{}
	}
	s.rest[space] = r
}

func (s *State) leave(space int64, until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.saved == nil {
		s.saved = map[int64]time.Time{}
	}
	s.saved[space] = until
}

// RotateDue rotates the due pages of a space, unless it was checked just before.
func RotateDue(ctx context.Context, sess *memory.Session, s kb.Space) ([]api.RotationReport, error) {
	now := sess.Now()
	if memory.Keep[State](sess).rests(s.Row, now) {
		return nil, nil
	}
	out, err := Rotation.Run(ctx, sess, s, false)
	until := now.Add(lookAgain)
	if err != nil {
		until = now.Add(retry)
	} else if next, err := nextDay(ctx, sess, s, now); err == nil && !next.IsZero() && next.Before(until) {
		until = next
	}
	if ctx.Err() == nil {
		memory.Keep[State](sess).set(s.Row, rest{now, until})
	}
	return out, err
}

// RotateChanged is RotateDue after a sync. It rechecks rotating pages that changed
// since the last check, since an editor may have saved an old text over a new one.
func RotateChanged(ctx context.Context, sess *memory.Session, s kb.Space) ([]api.RotationReport, error) {
	pol, _, err := sess.Spaces.Policy(ctx, s, nil)
	if err != nil || len(pol.Rotate) == 0 {
		return nil, nil // an unreadable policy rotates nothing; doctor reports it
	}
	var hashes strings.Builder
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		for _, r := range pol.Rotate {
			for _, page := range []string{r.Page, r.To} {
				d, err := tx.Documents().ByPath(ctx, s.Row, page)
				if err != nil && kb.CodeOf(err) != kb.NotFound {
					return err
				}
				if err == nil {
					fmt.Fprintf(&hashes, "%s %x\n", page, d.Hash)
				}
			}
		}
		return nil
	})
	if err != nil || !memory.Keep[State](sess).changed(s.Row, hashes.String()) {
		return nil, err
	}
	return RotateDue(ctx, sess, s)
}

// nextDay returns the start of the next day of a space, zero when it has no
// rotating pages.
func nextDay(ctx context.Context, sess *memory.Session, s kb.Space, now time.Time) (time.Time, error) {
	space, err := sess.Spaces.OpenSpace(ctx, s)
	if err != nil || len(space.Policy.Rotate) == 0 {
		return time.Time{}, err
	}
	return space.Policy.Calendar(now.Location()).Next(now), nil
}

// Rotation rotates the pages with a date in the past.
var Rotation = calendar.Work[api.RotationReport]{
	Operation: "rotate",
	Failed:    "could not be turned over",
	Wants:     func(p *policy.Policy) bool { return len(p.Rotate) > 0 },
	Plan:      planRotation,
}

func planRotation(ctx context.Context, sess *memory.Session, space *write.Space, now time.Time) iter.Seq[calendar.Step[api.RotationReport]] {
	days := space.Policy.Calendar(now.Location())
	return func(yield func(calendar.Step[api.RotationReport]) bool) {
		for _, r := range space.Policy.Rotate {
			var again func(context.Context) calendar.Step[api.RotationReport]
			again = func(ctx context.Context) calendar.Step[api.RotationReport] {
				report, changes, err := plan(ctx, sess, space, r, days, now)
				step := calendar.Step[api.RotationReport]{
					Page: r.Page, Message: report.String(), Changes: changes, Err: err, Again: again,
					Wrote: func(all []api.RotationReport, id int64) { all[0].Write = id },
				}
				if report.Action != api.RotationNone {
					step.Reports = []api.RotationReport{report}
				}
				return step
			}
			var restored api.RotationReport
			for {
				step := again(ctx)
				if !yield(step) {
					return
				}
				// What was restored may be due itself.
				if len(step.Reports) == 0 || step.Reports[0].Action != api.RotationRestored || step.Message == restored.String() {
					break
				}
				restored = step.Reports[0]
			}
		}
	}
}

// plan decides on a page and plans its changes.
func plan(ctx context.Context, sess *memory.Session, space *write.Space, r policy.Rotation, days dates.Days, now time.Time) (api.RotationReport, []write.Change, error) {
	out := api.RotationReport{Space: space.Name, Page: r.Page}
	page, err := change.At(ctx, sess, space, r.Page)
	if err != nil {
		return out, nil, err
	}
	today := days.Of(now)
	there := page.Exists()
	if there && blank(page.Doc) {
		if changed := now.Sub(page.Row.ModTime).Abs(); changed < saving {
			memory.Keep[State](sess).leave(space.Row, now.Add(saving-changed))
			return out, nil, nil
		}
		there, err = wasOf(ctx, sess, r, page, today)
		if err != nil {
			return out, nil, err
		}
	}
	date, known := dateOf(page.Doc, r.Key)
	out.Action, out.Date = decide(r, there, known, date, today), today.String()
	if known {
		out.From = date.String()
		changes, err := restored(ctx, sess, space, r, page, date, days, &out)
		if err != nil || changes != nil {
			return out, changes, err
		}
	}
	switch out.Action {
	case api.RotationMade:
		text, err := fresh(page.Codec, r.Page, r, today, nil)
		return out, []write.Change{page.Put(text)}, err
	case api.RotationDated, api.RotationCorrected:
		edit := doc.SetProperty{Key: r.Key, Value: out.Date}
		return out, []write.Change{page.Change(write.Edit{Edits: []doc.Edit{edit}})}, nil
	case api.RotationTurned:
		changes, err := turn(ctx, sess, space, r, page, today, days, &out)
		return out, changes, err
	}
	return out, nil, nil
}

// turn plans the changes that end the day of a page.
func turn(ctx context.Context, sess *memory.Session, space *write.Space, r policy.Rotation, page *change.Document, today dates.Date, days dates.Days, out *api.RotationReport) ([]write.Change, error) {
	to, err := change.At(ctx, sess, space, r.To)
	if err != nil {
		return nil, err
	}
	changes, err := replaced(ctx, sess, space, r, to, page, days, out)
	if err != nil {
		return nil, err
	}
	anew, err := fresh(page.Codec, r.Page, r, today, page.Doc)
	return append(changes, page.Put(anew)), err
}

// replaced plans the changes that replace the text of the page to by that of a page, and
// keep the text that it had.
func replaced(ctx context.Context, sess *memory.Session, space *write.Space, r policy.Rotation, to, page *change.Document, days dates.Days, out *api.RotationReport) (changes []write.Change, err error) {
	out.To = r.To
	if to.Exists() && r.Keep != "" && !isHeld(to.Codec, r, to.Doc, page.Doc) {
		changed, err := lastChange(ctx, sess, r, to, page)
		if err != nil {
			return nil, err
		}
		kept, err := keep(ctx, sess, space, r, to, days, changed)
		if err != nil {
			return nil, err
		}
		if kept != nil {
			out.Kept, changes = kept.Path, append(changes, *kept)
		}
	}
	text, err := copied(page.Codec, page.Doc)
	return append(changes, to.Put(text)), err
}

// Unrecorded returns the paths of the missing records of past days.
func Unrecorded(ctx context.Context, sess *memory.Session, space *write.Space) (out []string, err error) {
	for _, r := range space.Policy.Rotate {
		if r.Record == "" {
			continue
		}
		to, err := change.At(ctx, sess, space, r.To)
		if err != nil {
			return nil, err
		}
		date, known := dateOf(to.Doc, r.Key)
		if !to.Exists() || !known {
			continue
		}
		recorded, err := change.At(ctx, sess, space, r.Record.Of(date))
		if err != nil {
			return nil, err
		}
		if !recorded.Exists() {
			out = append(out, r.Record.Of(date))
		}
	}
	return out, nil
}

// most limits how many pages are kept for one date.
const most = 1000

// lastChange returns the newest version that changed the day copied from a page to the
// page to, the zero version if nobody changed it. Timestamps are not used: a clock may be
// wrong.
func lastChange(ctx context.Context, sess *memory.Session, r policy.Rotation, to, page *change.Document) (last kb.Version, err error) {
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		turned, err := tx.History().Version(ctx, to.Space.Row, to.Row.ID, 0)
		if err != nil || turned.Actor.Kind != kb.Schedule {
			last = turned
			return err
		}
		date, dated := dateOf(to.Doc, r.Key)
		if !dated || !page.Exists() {
			return nil
		}
		return eachVersion(ctx, tx, page, turned.Seq, func(v kb.Version, d *doc.Document) bool {
			of, known := dateOf(d, r.Key)
			earlier := known && r.Every.First(of) < r.Every.First(date)
			if v.Actor.Kind == kb.Schedule {
				return !earlier // an earlier day began there
			}
			if !earlier { // else it was saved over the day, which is back
				last = v
			}
			return earlier
		})
	})
	return last, err
}

// writtenAfter reports whether the newest version of a document was written after
// another version. For files found changed by the same sync, file times decide.
func writtenAfter(ctx context.Context, sess *memory.Session, d *change.Document, last kb.Version) (after bool, err error) {
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		v, err := tx.History().Version(ctx, d.Space.Row, d.Row.ID, 0)
		after = v.Seq > last.Seq
		if v.Write == last.Write {
			after = v.ModTime.After(last.ModTime)
		}
		return err
	})
	return after, err
}

// keep plans the change that keeps the text of a page. It returns nil when nobody
// changed the page, when its date was recorded after the last change, or when the
// text is kept already.
func keep(ctx context.Context, sess *memory.Session, space *write.Space, r policy.Rotation, to *change.Document, days dates.Days, changed kb.Version) (*write.Change, error) {
	if changed.Seq == 0 && r.Into != "" {
		return nil, nil // only carried-over text, which the previous day's page has as well
	}
	date, known := dateOf(to.Doc, r.Key)
	if !known {
		date = days.Of(to.Row.Recorded)
	} else if r.Record != "" {
		recorded, err := change.At(ctx, sess, space, r.Record.Of(date))
		if err != nil {
			return nil, err
		}
		if recorded.Exists() {
			if after, err := writtenAfter(ctx, sess, recorded, changed); err != nil || after {
				return nil, err
			}
		}
	}
	return keepText(ctx, sess, space, r, to, date)
}

// keepText plans the change that keeps the text of a date. It returns nil when a page
// that is kept has all of it.
func keepText(ctx context.Context, sess *memory.Session, space *write.Space, r policy.Rotation, d *change.Document, date dates.Date) (*write.Change, error) {
	text, err := copied(d.Codec, d.Doc)
	if err != nil {
		return nil, err
	}
	name := r.Keep.Of(date)
	ext := path.Ext(name)
	for n := 1; n <= most; n++ {
		at := name
		if n > 1 {
			at = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ext), n, ext)
		}
		there, err := change.At(ctx, sess, space, at)
		if err != nil {
			return nil, err
		}
		if there.Exists() && within(text, there.Doc.Source) {
			return nil, nil
		}
		if !there.Exists() || within(there.Doc.Source, text) {
			c := there.Put(text)
			return &c, nil
		}
	}
	return nil, kb.Errorf(kb.Conflict, "%s and %d more exist already", name, most-1).WithHint("Read them and remove those not needed.")
}
