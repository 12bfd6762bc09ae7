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
)

// State caches the state of spaces while the program runs, so that a check
// costs nothing. The zero value is an empty cache. It is safe for concurrent
// use.
type State struct {
	mu   sync.Mutex
	rest map[int64]rest
}

// rest is a time in which there is nothing to do.
type rest struct{ from, until time.Time }

const (
	// lookAgain is how soon a page is looked at again that is of this day: an editor
	// may have brought back an old one.
	lookAgain = time.Minute
	// retry is how soon one is that could not be turned.
	retry = 5 * time.Second
)

func (s *State) rests(space int64, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.rest[space]
	return ok && !now.Before(r.from) && now.Before(r.until)
}

func (s *State) set(space int64, r rest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rest == nil {
		s.rest = map[int64]rest{}
	}
	s.rest[space] = r
}

// RotateDue rotates the due pages of a space, unless somebody just checked.
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

// nextDay returns when the next day of a space begins, zero where no page is of a day.
func nextDay(ctx context.Context, sess *memory.Session, s kb.Space, now time.Time) (time.Time, error) {
	space, err := sess.Spaces.OpenSpace(ctx, s)
	if err != nil || len(space.Policy.Rotate) == 0 {
		return time.Time{}, err
	}
	return space.Policy.Calendar(now.Location()).Next(now), nil
}

// Rotation rotates the pages with days that are over.
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
			if !yield(again(ctx)) {
				return
			}
		}
	}
}

// plan decides on a page and makes the changes of it.
func plan(ctx context.Context, sess *memory.Session, space *write.Space, r policy.Rotation, days dates.Days, now time.Time) (api.RotationReport, []write.Change, error) {
	out := api.RotationReport{Space: space.Name, Page: r.Page}
	page, err := change.At(ctx, sess, space, r.Page)
	if err != nil {
		return out, nil, err
	}
	today := days.Of(now)
	date, known := dateOf(page.Doc, r.Key)
	out.Action, out.Date = decide(r, page.Exists(), known, date, today), today.String()
	if known {
		out.From = date.String()
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

// turn makes the changes by which the day of a page is over.
func turn(ctx context.Context, sess *memory.Session, space *write.Space, r policy.Rotation, page *change.Document, today dates.Date, days dates.Days, out *api.RotationReport) ([]write.Change, error) {
	to, err := change.At(ctx, sess, space, r.To)
	if err != nil {
		return nil, err
	}
	out.To = r.To
	var changes []write.Change
	if to.Exists() && r.Keep != "" && !isHeld(to.Codec, r, to.Doc, page.Doc) {
		kept, err := keep(ctx, sess, space, r, to, days)
		if err != nil {
			return nil, err
		}
		if kept != nil {
			out.Kept, changes = kept.Path, append(changes, *kept)
		}
	}
	text, err := copied(page.Codec, page.Doc)
	if err != nil {
		return nil, err
	}
	anew, err := fresh(page.Codec, r.Page, r, today, page.Doc)
	if err != nil {
		return nil, err
	}
	return append(changes, to.Put(text), page.Put(anew)), nil
}

// Unrecorded are the paths of the records that are missing of days that are over.
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

// most is how many pages may be kept of one date.
const most = 1000

// keep makes the change by which the text of a page stays, nil where its date is
// recorded or the text is kept already.
func keep(ctx context.Context, sess *memory.Session, space *write.Space, r policy.Rotation, to *change.Document, days dates.Days) (*write.Change, error) {
	date, known := dateOf(to.Doc, r.Key)
	if !known {
		date = days.Of(to.Row.Recorded)
	} else if r.Record != "" {
		recorded, err := change.At(ctx, sess, space, r.Record.Of(date))
		if err != nil || recorded.Exists() {
			return nil, err
		}
	}
	text, err := copied(to.Codec, to.Doc)
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
		if !there.Exists() {
			c := there.Put(text)
			return &c, nil
		}
		if string(there.Doc.Source) == string(text) {
			return nil, nil
		}
	}
	return nil, kb.Errorf(kb.Conflict, "%s and %d more exist already", name, most-1).WithHint("Read them and remove those not needed.")
}
