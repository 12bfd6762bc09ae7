package change

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/store"
)

// maxStaleDiff limits the difference in an error, in bytes: enough for an edit or
// two, and short for a model.
const maxStaleDiff = 4 << 10

// sayWhatChanged adds the later changes of the page to the error of a write that
// expected an older version: the author and time of the last change, and the
// difference, so that the caller can repeat its change without another read. If a
// text was not found it adds the nearest lines. Credentials are masked in both.
func sayWhatChanged(ctx context.Context, db store.Memory, req write.Request, err error) error {
	var e *kb.Error
	if !errors.As(err, &e) || e.Code != kb.Conflict {
		return err
	}
	var missing *doc.NotThere
	if errors.As(err, &missing) {
		if diff := missing.Difference(hide); diff != "" {
			e.WithHint("the difference shows the nearest lines").With("diff", diff)
		}
	}
	current, _ := e.Details["current_version"].(int)
	expected, _ := e.Details["expected_version"].(int)
	where, _ := e.Details["path"].(string)
	i := slices.IndexFunc(req.Changes, func(c write.Change) bool { return c.Path == where })
	if i < 0 || current == 0 || expected < 1 || expected > current {
		return err
	}
	verr := db.View(ctx, func(tx store.Tx) error {
		space := req.Changes[i].Space.Row
		pages, err := tx.Pages().ByPath(ctx, space, where)
		if err != nil || len(pages) == 0 {
			return err
		}
		var ends [2]history.State
		for n, number := range []int{expected, current} {
			v, err := tx.History().Version(ctx, space, pages[0].ID, number)
			if err != nil {
				return err
			}
			e.With("changed_by", v.Actor.String()).With("changed_at", v.Time.UTC().Format(time.RFC3339))
			if ends[n], err = history.StateOf(ctx, tx, v); err != nil {
				return err
			}
			ends[n].Text, ends[n].Side = hide(ends[n].Text), hide(ends[n].Side)
			ends[n].Path = where
		}
		diff := ends[0].ChangedLines(ends[1])
		if len(diff) > maxStaleDiff {
			diff = diff[:strings.LastIndexByte(diff[:maxStaleDiff], '\n')+1]
			e.With("diff_cut", true)
		}
		e.With("diff", diff)
		return nil
	})
	if kb.CodeOf(verr) == kb.NotFound {
		return err // that version is pruned
	}
	return errors.Join(err, verr)
}

// hide masks credentials in existing text.
func hide(text []byte) []byte {
	if text == nil {
		return nil
	}
	return secrets.Hide(text)
}
