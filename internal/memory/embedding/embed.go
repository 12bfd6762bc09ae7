package embedding

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc/chunk"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/store"
)

// ChunkOptions configure how pages are split for embedding. Their version is part
// of the version of a page's vectors, together with chunk.Version.
func ChunkOptions() chunk.Options { return chunk.Default() }

// chunkOptionsVersion is raised when some pages are split into different chunks:
// because of other options, or other titles and texts (3: credentials are masked in
// titles; 4: no longer than the model takes, where that is less; 5: link
// destinations, comments and HTML tags are left out; 6: renamed files are cut with
// their new names; 7: sentences end where titles and summaries have them end). All
// pages are then split again, and only new chunks are computed.
const chunkOptionsVersion = 7

// Version identifies how the present binary computes vectors from a document.
func Version() string { return fmt.Sprintf("%d.%d", chunk.Version, chunkOptionsVersion) }

const (
	// PortionPages is the number of waiting pages in a portion.
	PortionPages = 64
	// embedChunks and embedTokens, by the estimate, limit how much the model is
	// given at once: enough to keep its threads busy, which wait for one another at
	// the end, and little enough that a budget is kept and memory stays small for
	// pages of any size.
	embedChunks = 64
	embedTokens = 4096
	// budgetTokens replaces embedTokens when there is a budget: others want the
	// processors soon.
	budgetTokens = 1024
	// portionChunks is the number of chunks that ends a portion of pages, which are
	// committed together.
	portionChunks = 256
)

// embedPatience is how long to wait for other processes that embed; each releases
// the lease long before.
const embedPatience = 10 * time.Minute

const (
	// anyVersion is a version that no vectors have: all pages are stale for it.
	anyVersion = ""
	// partVersion marks vectors of a part of a page. The page stays stale, and
	// existing vectors are not computed again.
	partVersion = "part"
)

// Request asks for pages to be embedded.
type Request struct {
	All    bool          // of every space, not of the current one
	Refs   []string      // only these pages; a document's own page includes all nodes in it
	Again  bool          // recompute existing vectors
	Quick  bool          // only work that takes no noticeable time, see quick
	Rows   []int64       // only these pages, in this order
	Budget time.Duration // start no new work after this long; 0 means no limit
	Yield  func() bool   // start no new work once it is true, except for some minimum progress; may be nil
	Limit  time.Duration // cancel after this long; 0 means no limit
	// Progress receives the progress in pages, or in chunks of one page, depending
	// on phase.
	Progress func(phase string, done, total int)
	// Work is called before Progress with the number of bytes done when pages are
	// counted: the remaining time depends on the text, not on the number of pages.
	Work func(done, total int64)
}

// Embed computes the vectors of pages that have none, or that changed since. It
// commits as it goes: work done before an interruption or a failure is kept, even
// for a part of a page. Several processes that embed at the same time take turns,
// so that nothing is computed twice.
func Embed(ctx context.Context, sess *memory.Session, req Request) (api.EmbedReport, error) {
	start := sess.Now()
	m, err := ActiveModel(ctx, sess)
	if err != nil {
		return api.EmbedReport{}, err
	}
	r := api.EmbedReport{Model: m.Model()}
	run := &run{engine: sess, m: m, again: req.Again, version: Version(), wait: embedPatience, report: req.Progress, work: req.Work, r: &r}
	if req.Again {
		run.version = anyVersion
	}
	run.atOnce = embedTokens
	if req.Budget > 0 {
		run.wait, run.atOnce = req.Budget, budgetTokens
	}
	run.spent = func() bool {
		return run.late || req.Budget > 0 && sess.Now().Sub(start) >= req.Budget || req.Yield != nil && req.Yield()
	}
	if req.Limit > 0 {
		run.left = func() time.Duration { return req.Limit - sess.Now().Sub(start) }
		limited, cancel := context.WithTimeout(ctx, req.Limit)
		defer cancel()
		ctx = limited
	}
	// Finding damage requires reading all vectors: with a short limit that is only
	// done after a search has met some.
	if req.Budget == 0 && !req.Quick || DamagedPages(sess) > 0 {
		if err := dropDamaged(ctx, sess, store.Model{Name: m.Model(), Dims: m.Dimensions()}); err != nil {
			return r, err
		}
	}
	if req.Again { // if the active model has changed, these belong to the previous one
		if err := sess.DB.Update(ctx, func(tx store.Tx) error { return tx.Vectors().ForgetSpare(ctx) }); err != nil {
			return r, err
		}
	}
	run.total, err = run.choose(ctx, req)
	if err != nil || run.total == 0 {
		return r, err
	}
	for { // make some progress, however small the budget
		more, err := run.lease(ctx)
		if err != nil {
			r.Left = run.total - r.Pages // an approximation: an interrupted run cannot count
			return r, err
		}
		if !more || run.spent() {
			break
		}
		if err := run.pause(ctx); err != nil {
			return r, err
		}
	}
	if r.Refused > 0 {
		r.Notes = append(r.Notes, api.Plural(r.Refused, "chunk")+" too long for the model: words alone find them")
	}
	if req.Quick || req.Rows != nil {
		return r, run.notTaken
	}
	r.Left, err = Waiting(ctx, sess, m.Model(), run.spaces)
	r.Millis = sess.Now().Sub(start).Milliseconds()
	return r, errors.Join(err, run.notTaken)
}

// Waiting counts the pages of the spaces without current vectors of a model.
func Waiting(ctx context.Context, sess *memory.Session, model string, spaces []int64) (stale int, err error) {
	err = store.ViewAt(ctx, sess.DB, func(tx store.Tx, mark int64) error {
		n, err := CountCoverage(ctx, sess, tx, model, spaces, mark)
		stale = n.Left
		return err
	})
	return stale, err
}
