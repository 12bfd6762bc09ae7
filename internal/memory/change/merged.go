package change

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/merge"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// putMerged stores a whole page. A text based on an older version is merged with
// the changes since. If both changed the same lines, it fails as it would without
// merging, and the detail "lines" has these lines of the current page.
func putMerged(ctx context.Context, sess *memory.Session, space *write.Space, p string, ours []byte, req PutRequest) (api.Written, error) {
	opts, text, note := req.WriteOptions, ours, ""
	for n := 1; ; n++ {
		out, err := Apply(ctx, sess, "put", opts, []write.Change{{
			Space: space, Path: p, Expected: opts.Expected, Action: write.Put{Bytes: text, Overwrite: req.Overwrite, KeepID: true, Declare: true},
		}})
		changed := err != nil && overtaken(err) && req.Expected != nil && *req.Expected > 0
		if !changed || kb.AsError(err).Details["current_version"] == 0 || n == maxAttempts {
			if note != "" && len(out.Pages) > 0 {
				out.Pages[0].Notes = append(out.Pages[0].Notes, note)
			}
			return out, err
		}
		merged, by, lines, merr := mergedWith(ctx, sess, space, p, ours, *req.Expected)
		if merr != nil {
			return out, errors.Join(err, merr)
		}
		if merged == nil {
			kb.AsError(err).With("lines", lines)
			return out, err
		}
		text, opts.Expected = merged, &by.Version
		note = fmt.Sprintf("merged with version %d by %s", by.Version, by.Actor)
	}
}

// mergedWith merges a text based on a version of a page with the current page. On a
// conflict, lines are those of the current page that both changed.
func mergedWith(ctx context.Context, sess *memory.Session, space *write.Space, p string, ours []byte, from int) (merged []byte, by kb.Version, lines [][2]int, err error) {
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		pages, err := tx.Pages().ByPath(ctx, space.Row, p)
		if err != nil || len(pages) == 0 {
			return err
		}
		if by, err = tx.History().Version(ctx, space.Row, pages[0].ID, 0); err != nil {
			return err
		}
		base, err := tx.History().Version(ctx, space.Row, pages[0].ID, from)
		if err != nil {
			return err
		}
		was, err := history.StateOf(ctx, tx, base)
		if err != nil {
			return err
		}
		is, err := history.StateOf(ctx, tx, by)
		if err != nil {
			return err
		}
		var conflicts []merge.Lines
		merged, conflicts = merge.Merge(doc.ForNote(sess.Codecs, space.Syntax, p), p, was.Text, ours, is.Text)
		for _, c := range conflicts {
			lines = append(lines, [2]int{c.From, c.To})
		}
		return nil
	})
	return merged, by, lines, err
}
