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

// ChunkOptions are how pages are cut for embedding. Their version is part of
// what decides whether a page's vectors are up to date, with chunk.Version.
func ChunkOptions() chunk.Options { return chunk.Default() }

// chunkOptionsVersion is raised when other chunks are made of some pages: by
// other options, or of other titles and texts (3: credentials are masked in
// titles; 4: no longer than the model takes, where that is less; 5: link
// destinations, comments and HTML tags are left out; 6: renamed files are cut with
// their new names; 7: sentences end where titles and summaries have them end). All
// pages are then cut again, and only chunks that are new are computed.
const chunkOptionsVersion = 7

// Version names how vectors are made from a document by the present
// binary.
func Version() string { return fmt.Sprintf("%d.%d", chunk.Version, chunkOptionsVersion) }

const (
	// PortionPages is how many waiting pages are looked at together.
	PortionPages = 64
	// embedChunks and embedTokens, by the estimate, are how much the model is
	// given at once: enough that its threads, which wait for one another at the
	// end, are busy, and little enough that a budget is kept and memory stays
	// small for pages of any size.
	embedChunks = 64
	embedTokens = 4096
	// budgetTokens takes the place of embedTokens where there is a budget: others
	// want the processors soon.
	budgetTokens = 1024
	// portionChunks ends a portion of pages, which are committed together.
	portionChunks = 256
)

// embedPatience is how long to wait for other processes that embed; each lets
// others have the lease long before.
const embedPatience = 10 * time.Minute

const (
	// anyVersion is the version of no vectors: all pages are stale for it.
	anyVersion = ""
	// partVersion marks vectors of a part of a page. The page stays stale, and
	// existing vectors are not computed again.
	partVersion = "part"
)

// Request asks for pages to be made searchable by meaning.
type Request struct {
	All    bool          // of every space, not of the current one
	Refs   []string      // only these pages; a document's own page includes all nodes in it
	Again  bool          // recompute existing vectors
	Quick  bool          // only what takes no time that anybody would notice, see quick
	Rows   []int64       // only these pages, in this order
	Budget time.Duration // begin nothing new after this long; 0 means no limit
	Yield  func() bool   // begin nothing new once it is true, but for some progress; may be nil
	Limit  time.Duration // cancel after this long; 0 means no limit
	// Progress receives the progress of the work, in pages or in chunks of one,
	// depending on phase.
	Progress func(phase string, done, total int)
	// Work is called before Progress with the bytes of text done where pages are
	// counted: the remaining time depends on the text, not on the number of
	// pages.
	Work func(done, total int64)
}

// Embed computes the vectors of pages that have none, or that changed since. It
// commits as it goes: work done before an interruption or a failure stays, also
// a part of a page. Where several processes embed at once they take turns, so
// that nothing is computed twice.
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
	// To look for damage takes reading all there is: in a short while that is
	// done only where a search has met some.
	if req.Budget == 0 && !req.Quick || DamagedPages(sess) > 0 {
		if err := dropDamaged(ctx, sess, store.Model{Name: m.Model(), Dims: m.Dimensions()}); err != nil {
			return r, err
		}
	}
	if req.Again { // where the model is another now, these are of the one before
		if err := sess.DB.Update(ctx, func(tx store.Tx) error { return tx.Vectors().ForgetSpare(ctx) }); err != nil {
			return r, err
		}
	}
	run.total, err = run.choose(ctx, req)
	if err != nil || run.total == 0 {
		return r, err
	}
	for { // some progress, however small the budget
		more, err := run.lease(ctx)
		if err != nil {
			r.Left = run.total - r.Pages // as good as known: a run that is stopped cannot look
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

// Waiting returns how many pages of the spaces have no vectors of a model that
// are up to date.
func Waiting(ctx context.Context, sess *memory.Session, model string, spaces []int64) (stale int, err error) {
	err = store.ViewAt(ctx, sess.DB, func(tx store.Tx, mark int64) error {
		n, err := CountCoverage(ctx, sess, tx, model, spaces, mark)
		stale = n.Left
		return err
	})
	return stale, err
}
