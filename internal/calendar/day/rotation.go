package day

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/dates"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// Report says what became of a page.
type Report struct {
	Space  string `json:"space"`
	Page   string `json:"page"` // path
	Action Action `json:"action"`
	From   string `json:"from,omitempty"` // date that the page was of
	Date   string `json:"date"`           // date that it is of now
	To     string `json:"to,omitempty"`   // path of the page that has the text now
	Kept   string `json:"kept,omitempty"` // path of what that page held before
	Write  int64  `json:"write,omitempty"`
}

// String says it in words.
func (r Report) String() string {
	switch r.Action {
	case Made:
		return fmt.Sprintf("%s was missing and begins with %s", r.Page, r.Date)
	case Dated:
		return fmt.Sprintf("%s did not say of which day it is: it is of %s now", r.Page, r.Date)
	case SetRight:
		return fmt.Sprintf("%s was of %s, a day to come: it is of %s now", r.Page, r.From, r.Date)
	}
	out := fmt.Sprintf("%s of %s is %s now", r.Page, r.From, r.To)
	if r.Kept != "" {
		out += ", which is kept as " + r.Kept
	}
	return out
}

// State is what is remembered of spaces while the program runs, so that a look costs
// nothing. The zero value remembers nothing. It is safe for concurrent use.
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
	// tries is how often a rotation is planned anew because somebody else wrote.
	tries = 5
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

// Turn turns over what is to be turned over in a space, unless somebody looked just
// now.
func RotateDue(ctx context.Context, sess *memory.Session, s kb.Space) ([]Report, error) {
	now := sess.Now()
	if memory.Keep[State](sess).rests(s.Row, now) {
		return nil, nil
	}
	out, next, err := run(ctx, sess, s, now, false)
	until := now.Add(lookAgain)
	if err != nil {
		until = now.Add(retry)
	} else if !next.IsZero() && next.Before(until) {
		until = next
	}
	if ctx.Err() == nil {
		memory.Keep[State](sess).set(s.Row, rest{now, until})
	}
	return out, err
}

// Run is Turn whenever somebody looked, or says what it would do.
func Run(ctx context.Context, sess *memory.Session, s kb.Space, dryRun bool) ([]Report, error) {
	out, _, err := run(ctx, sess, s, sess.Now(), dryRun)
	return out, err
}

// run turns over the pages of a space and returns when its next day begins, zero where
// no page is of a day. One page that cannot be turned keeps no other from it.
func run(ctx context.Context, sess *memory.Session, s kb.Space, now time.Time, dryRun bool) (out []Report, next time.Time, err error) {
	space, err := sess.Spaces.OpenSpace(ctx, s)
	if err != nil || len(space.Policy.Rotate) == 0 {
		return nil, next, err
	}
	if err := space.Present(); err != nil {
		return nil, next, err
	}
	days := space.Policy.Calendar(now.Location())
	var failed []error
	for _, r := range space.Policy.Rotate {
		report, err := rotate(ctx, sess, space, r, days, now, dryRun)
		if ctx.Err() != nil {
			return out, next, ctx.Err()
		}
		if err != nil {
			failed = append(failed, about(r.Page, err))
		} else if report.Action != Nothing {
			out = append(out, report)
		}
	}
	return out, days.Next(now), errors.Join(failed...)
}

// about says of which page an error is.
func about(page string, err error) error {
	e := *kb.AsError(err)
	e.Message = page + " could not be turned over: " + e.Message
	return &e
}

// rotate turns over one page. Where somebody else wrote meanwhile, it looks again.
func rotate(ctx context.Context, sess *memory.Session, space *write.Space, r policy.Rotation, days dates.Days, now time.Time, dryRun bool) (out Report, err error) {
	for range tries {
		var changes []write.Change
		if out, changes, err = plan(ctx, sess, space, r, days, now); err != nil || len(changes) == 0 {
			return out, err
		}
		var w api.Written
		w, err = change.Apply(ctx, sess, "rotate", api.WriteOptions{DryRun: dryRun, Message: out.String()}, changes)
		if err == nil {
			out.Write = w.Write
			return out, nil
		}
		if kb.CodeOf(err) != kb.Conflict || store.IsBusy(err) {
			return out, err
		}
	}
	return out, err
}

// plan decides on a page and makes the changes of it.
func plan(ctx context.Context, sess *memory.Session, space *write.Space, r policy.Rotation, days dates.Days, now time.Time) (Report, []write.Change, error) {
	out := Report{Space: space.Name, Page: r.Page}
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
	case Made:
		text, err := fresh(page.Codec, r.Page, r, today, nil)
		return out, []write.Change{page.Put(text)}, err
	case Dated, SetRight:
		edit := doc.SetProperty{Key: r.Key, Value: out.Date}
		return out, []write.Change{page.Change(write.Edit{Edits: []doc.Edit{edit}})}, nil
	case Turned:
		changes, err := turn(ctx, sess, space, r, page, today, days, &out)
		return out, changes, err
	}
	return out, nil, nil
}

// turn makes the changes by which the day of a page is over.
func turn(ctx context.Context, sess *memory.Session, space *write.Space, r policy.Rotation, page *change.Document, today dates.Date, days dates.Days, out *Report) ([]write.Change, error) {
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
	return nil, kb.Errorf(kb.Conflict, "%s and %d more are there already", name, most-1).WithHint("Read and remove what is not needed.")
}
