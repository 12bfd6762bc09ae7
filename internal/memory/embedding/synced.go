package embedding

import (
	"context"
	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"

	"github.com/cairn-kb/cairn/internal/memory/freshness"
)

// EmbedSynced first syncs the directories of the pages, and then calls Embed.
// Progress receives the progress of the sync.
func EmbedSynced(ctx context.Context, sess *memory.Session, req Request, progress func(space, phase string, done, total int)) (api.EmbedReport, error) {
	start := sess.Now()
	active, err := ActiveModel(ctx, sess)
	if err != nil {
		return api.EmbedReport{}, err // before a sync that may take long
	}
	notes, err := freshness.Meant(ctx, sess, req.Refs, req.All, progress)
	if err != nil {
		return api.EmbedReport{Model: active.Model(), Notes: notes}, err
	}
	r, err := Embed(ctx, sess, req)
	r.Notes = append(notes, r.Notes...)
	if r.Millis > 0 {
		r.Millis = sess.Now().Sub(start).Milliseconds()
	}
	return r, err
}
