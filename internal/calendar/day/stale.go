package day

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
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

// An editor knows nothing of days: it saves the page of a past day over that of a newer
// one, or has emptied the file that it is about to write.

// saving is the age up to which an empty file is taken for one that an editor is writing.
const saving = 10 * time.Second

// eachVersion calls f with the versions of a document before another, newest first, until it
// returns false or a text has been pruned. Deletions are left out.
func eachVersion(ctx context.Context, tx store.Tx, d *change.Document, before int64, f func(kb.Version, *doc.Document) bool) error {
	for n := d.Row.Version; n > 0; n-- {
		v, err := tx.History().Version(ctx, d.Space.Row, d.Row.ID, n)
		if err != nil {
			return err
		}
		if v.Seq >= before || v.Hash == (kb.Hash{}) {
			continue
		}
		text, err := tx.History().Bytes(ctx, v.Hash)
		if kb.CodeOf(err) == kb.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
		if !f(v, d.Codec.Parse(d.Path, text)) {
			return nil
		}
	}
	return nil
}

// overwritten returns the text of a newer period over which somebody saved that of date, nil
// for none, and where the page still has all of it.
func overwritten(ctx context.Context, sess *memory.Session, r policy.Rotation, page *change.Document, date dates.Date) (newer *doc.Document, err error) {
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		saved, last := false, false
		return eachVersion(ctx, tx, page, math.MaxInt64, func(v kb.Version, d *doc.Document) bool {
			if of, known := dateOf(d, r.Key); known && r.Every.First(of) > r.Every.First(date) {
				newer = d
			}
			if newer != nil || last {
				return false
			}
			// The schedule began the day there, or set the date of a newer one back while a clock
			// was wrong.
			last = v.Actor.Kind == kb.Schedule
			saved = saved || !last
			return saved
		})
	})
	if newer == nil || err != nil {
		return nil, err
	}
	same, err := page.Codec.Apply(newer, "", doc.SetProperty{Key: r.Key, Value: date.String()})
	if err != nil || within(same, page.Doc.Source) {
		return nil, err
	}
	return newer, nil
}

// wasOf makes the text of an empty page the one that it had, if that is of a past period. It
// reports false otherwise.
func wasOf(ctx context.Context, sess *memory.Session, r policy.Rotation, page *change.Document, today dates.Date) (past bool, err error) {
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		return eachVersion(ctx, tx, page, math.MaxInt64, func(_ kb.Version, d *doc.Document) bool {
			if blank(d) {
				return true
			}
			if of, known := dateOf(d, r.Key); known && r.Every.First(of) < r.Every.First(today) {
				page.Doc, past = d, true
			}
			return false
		})
	})
	return past, err
}

// restored plans the changes that bring back the text of a newer day, of the page or of the
// one of the past day, over which somebody saved that of an older one. What was saved is kept.
func restored(ctx context.Context, sess *memory.Session, space *write.Space, r policy.Rotation, page *change.Document, date dates.Date, days dates.Days, out *api.RotationReport) ([]write.Change, error) {
	to, err := change.At(ctx, sess, space, r.To)
	if err != nil {
		return nil, err
	}
	of, dated := dateOf(to.Doc, r.Key)
	if out.Action == api.RotationTurned {
		newer, err := overwritten(ctx, sess, r, page, date)
		if err != nil {
			return nil, err
		}
		if newer != nil {
			return restoredPage(ctx, sess, space, r, page, to, newer, days, out)
		}
	}
	// The day before the page's is not looked for.
	if !to.Exists() || !dated || r.Every.First(of) >= r.Every.First(r.Every.First(date)-1) {
		return nil, nil
	}
	newer, err := overwritten(ctx, sess, r, to, of)
	if newer == nil || err != nil {
		return nil, err
	}
	back, _ := dateOf(newer, r.Key)
	*out = api.RotationReport{Space: space.Name, Page: r.To, Action: api.RotationRestored, From: of.String(), Date: back.String()}
	changes, err := kept(ctx, sess, space, r, to, of, &out.To)
	return append(changes, to.Put(newer.Source)), err
}

// restoredPage is restored of the page of the day: newer is its text. What was saved replaces
// that of the past day, unless that is newer.
func restoredPage(ctx context.Context, sess *memory.Session, space *write.Space, r policy.Rotation, page, to *change.Document, newer *doc.Document, days dates.Days, out *api.RotationReport) (changes []write.Change, err error) {
	date, _ := dateOf(page.Doc, r.Key)
	back, _ := dateOf(newer, r.Key)
	of, dated := dateOf(to.Doc, r.Key)
	out.Action, out.Date = api.RotationRestored, back.String()
	text := newer.Source
	switch {
	case dated && r.Every.First(of) > r.Every.First(date):
		changes, err = kept(ctx, sess, space, r, page, date, &out.To)
	case dated && of == date && within(page.Doc.Source, to.Doc.Source):
		out.To = r.To
	default:
		if changes, err = replaced(ctx, sess, space, r, to, page, days, out); err == nil {
			text, err = handed(page.Codec, r, newer, page.Doc, to.Doc)
		}
	}
	return append(changes, page.Put(text)), err
}

// kept is keepText as changes, with the path.
func kept(ctx context.Context, sess *memory.Session, space *write.Space, r policy.Rotation, d *change.Document, date dates.Date, path *string) ([]write.Change, error) {
	if r.Keep == "" {
		return nil, nil
	}
	c, err := keepText(ctx, sess, space, r, d, date)
	if c == nil || err != nil {
		return nil, err
	}
	*path = c.Path
	return []write.Change{*c}, nil
}

// handed returns the text of a day with what the carried sections of a past day have, but
// neither it nor the past day as it was before.
func handed(codec doc.Codec, r policy.Rotation, d, past, before *doc.Document) ([]byte, error) {
	known := map[string]bool{"": true}
	for line := range strings.Lines(string(d.Source) + "\n" + string(before.Source)) {
		known[strings.TrimSpace(line)] = true
	}
	var edits []doc.Edit
	for _, heading := range r.Carry {
		lines := slices.DeleteFunc(strings.Split(section(past, heading), "\n"), func(line string) bool { return known[strings.TrimSpace(line)] })
		if len(lines) > 0 {
			edits = append(edits, carried(codec, d, cmp.Or(r.Into, heading), strings.Join(lines, "\n")))
		}
	}
	return codec.Apply(d, "", edits...)
}
