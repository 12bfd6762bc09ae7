package retrieve

import (
	"context"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/store"
)

// TasksRequest narrows a list of tasks.
type TasksRequest struct {
	Within
	Open, Done    bool   // both or none of them: all
	Due           string // a date or date phrase: due by its end
	AsOf          string // a time or date phrase: the tasks of that time
	Limit, Offset int    // Limit 0 is all
}

// Tasks lists tasks: those that are due first, then those that are scheduled.
func Tasks(ctx context.Context, sess *memory.Session, req TasksRequest) (out api.List[api.Task], err error) {
	if asOf := req.AsOf; asOf != "" {
		req.AsOf = ""
		err = Past(ctx, sess, asOf, req.All, func(then *memory.Session) error {
			out, err = Tasks(ctx, then, req)
			return err
		})
		return out, err
	}
	out.Items = []api.Task{}
	f := store.ItemFilter{Kind: kb.TaskItem}
	if req.Open != req.Done {
		f.Done = &req.Done
	}
	if f.Pages, err = readFilter(ctx, sess, req.Within); err != nil {
		return out, err
	}
	if req.Due != "" {
		r, ok := query.ParseRange(req.Due, sess.Now())
		if !ok {
			return out, kb.Errorf(kb.Usage, "%q is not a date", req.Due).WithHint("Write 2026-03-01, today, or next friday.")
		}
		f.DueEnd = r.To.Add(-time.Nanosecond).AddDate(0, 0, 1).Format(time.DateOnly)
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		if f.Pages.Spaces, err = sess.Spaces.ScopeTx(ctx, tx, req.All); err != nil {
			return err
		}
		found, total, err := tx.Items().List(ctx, f, api.Limit(req.Limit), req.Offset)
		out.Total, out.Next = total, api.Next(req.Offset, len(found), total)
		for _, it := range found {
			out.Items = append(out.Items, api.Task{
				Page: it.Page.Ref(), Path: it.Page.Path, Line: it.Line, Text: it.Text, State: it.State, Done: it.Done,
				Due: it.Due, Scheduled: it.Scheduled, Start: it.Start, Completed: it.Completed, Created: it.Created,
			})
		}
		return err
	})
	return out, err
}
