package ageing

import (
	"context"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy/lifecycle"
)

// SetStatus sets a page's status. In a space with ageing, a page made stale
// records the date and the message as its reason, and a page made active
// records its review: its age counts from then, and nothing older makes it
// stale again.
func SetStatus(ctx context.Context, sess *memory.Session, opts api.WriteOptions, ref, status string) (api.Written, error) {
	to, ok := kb.ParseStatus(status)
	if !ok || strings.TrimSpace(status) == "" {
		return api.Written{}, retrieve.UnknownStatus(status)
	}
	named, space, err := change.Writable(ctx, sess, ref)
	if err != nil {
		return api.Written{}, err
	}
	life := space.Policy.Lifecycle
	if err := life.MayBecome(named.Page.Status, to); err != nil {
		return api.Written{}, err
	}
	edits := []doc.Edit{doc.SetProperty{Key: "status", Value: string(to)}}
	if life.Ages() && named.Part == "" && (named.Page.Status != to || to == kb.Active) {
		day := sess.Now().Format(time.DateOnly)
		edits = write.Restate(lifecycle.Standing{Status: named.Page.Status}, lifecycle.Turn{To: to, Reason: opts.Message}, day)
		if to == kb.Active {
			edits = append(edits, doc.SetProperty{Key: write.KeyReviewed, Value: day})
		}
	}
	edits[0] = doc.SetProperty{Key: "status", Value: space.Policy.StatusWord(to)}
	return change.Edit(ctx, sess, "status", opts, ref, edits...)
}
