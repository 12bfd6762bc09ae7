package doctor

import (
	"context"
	"fmt"
	"math"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// checkEvidence reports pages of a space with append-only timelines where the last
// change, by another program, altered or dropped entries. A later write through
// cairn, such as a restore, clears the report.
func checkEvidence(ctx context.Context, l *Look, in *inspected) ([]api.Check, error) {
	if in.w.Files == nil || !in.w.Policy.Timeline.AppendOnly { // the policy may be in a file, which changes without a commit
		return nil, nil
	}
	c, err := store.Keep(l.kept, l.mark, fmt.Sprint("timelines ", in.Row), func() (c api.Check, err error) {
		err = l.DB.View(ctx, func(tx store.Tx) error {
			c, err = lostEntries(ctx, l.Session, tx, in.w)
			return err
		})
		return c, err
	})
	return []api.Check{c}, err
}

func lostEntries(ctx context.Context, sess *memory.Session, tx store.Tx, s *write.Space) (api.Check, error) {
	c := api.Check{Name: "timelines " + s.Name, State: "ok", Reason: "no entries were lost outside cairn"}
	now, err := tx.History().State(ctx, math.MaxInt64)
	if err != nil {
		return c, err
	}
	pages := 0
	for _, v := range now {
		if v.Space != s.Row || v.Actor.Kind != kb.Sync || v.Version == 1 {
			continue
		}
		lost, err := lostSince(ctx, sess, tx, s, v)
		if err != nil {
			return c, err
		}
		if lost == 0 {
			continue
		}
		if pages++; pages <= maxItems {
			c.Items = append(c.Items, fmt.Sprintf("%s: %d lost that version %d has", v.Path, lost, v.Version-1))
		}
	}
	if pages > 0 {
		c.State, c.Reason = "warning", api.Plural(pages, "page")+" lost timeline entries outside cairn"
		c.Remedy = "bring them back (cairn restore REF N), or say in the timeline why they went (cairn timeline-add REF TEXT)"
	}
	return c, nil
}

// lostSince counts the entries missing from a version that the previous version
// had.
func lostSince(ctx context.Context, sess *memory.Session, tx store.Tx, s *write.Space, v kb.Version) (int, error) {
	before, err := tx.History().Version(ctx, v.Space, v.Page, v.Version-1)
	if err != nil || before.Change == kb.Deleted {
		return 0, err
	}
	var docs [2]*doc.Document
	for i, x := range []kb.Version{before, v} {
		text, err := tx.History().Bytes(ctx, x.Hash)
		if kb.CodeOf(err) == kb.NotFound {
			return 0, nil // pruned
		}
		if err != nil {
			return 0, err
		}
		docs[i] = doc.ForNote(sess.Codecs, s.Syntax, x.Path).Parse(x.Path, text)
	}
	return len(doc.Lost(docs[0], docs[1])), nil
}
