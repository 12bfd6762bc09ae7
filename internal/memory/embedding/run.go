package embedding

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/chunk"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/memory/turn"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/search/embed"
	"github.com/cairn-kb/cairn/internal/search/vector"
	"github.com/cairn-kb/cairn/internal/store"
)

// maxNotes limits the pages listed in a report.
const maxNotes = 10

// done counts completed pages, and records parts without vectors.
func (e *run) done(jobs []*pageJob) {
	e.r.Pages += len(jobs)
	for _, j := range jobs {
		e.worked += e.bytes[j.row]
		if j.left == 0 {
			continue
		}
		e.r.Beyond += j.left
		if len(e.r.Notes) < maxNotes {
			e.r.Notes = append(e.r.Notes, TooLong(j.ref, j.chunks, j.left))
		}
	}
}

// TooLong describes the part of a page that semantic search does not find.
func TooLong(ref string, chunks []chunk.Chunk, left int) string {
	return fmt.Sprintf("%s is too long to be found whole by meaning: words alone find what follows line %d (%d chunks are embedded, %d are not)",
		ref, chunks[len(chunks)-1].Lines[1], len(chunks), left)
}

// run is one pass over the waiting pages.
type run struct {
	engine  *memory.Session
	m       embed.Embedder
	again   bool
	version string // pages with this version are skipped
	spaces  []int64
	only    []int64         // rows of the selected pages, in order
	bytes   map[int64]int64 // estimated work of each page, if known
	allWork int64           // the sum of bytes
	worked  int64           // of the completed pages
	taken   int             // number of pages of only that were taken
	most    int             // tokens beyond which no portion is started; 0 means no limit
	atOnce  int             // tokens passed to the model at once
	wait    time.Duration   // timeout for another process that embeds
	spent   func() bool     // whether to start no new work
	until   time.Time       // end of the lease
	begun   *pageJob        // the next page, when a part of it is done
	total   int             // number of pages at the start
	r       *api.EmbedReport
	report  func(phase string, done, total int) // may be nil
	work    func(done, total int64)             // may be nil
	// left returns the time until unfinished work is lost; nil if it is not.
	left func() time.Duration
	pace pace
	late bool // further work would not be ready in time
	// recent caches vectors computed in this run, for other pages with the same
	// chunks.
	recent map[[vector.HashSize]byte]vector.Vector
	// notTaken is the first error of the model for a chunk that is not too long. It
	// fails the run after all other work is done.
	notTaken error
}

// pageJob is the work for one page.
type pageJob struct {
	row    int64
	ref    string
	path   string
	hash   kb.Hash
	chunks []chunk.Chunk
	left   int // chunks omitted at the end of an overlong page
	known  map[[vector.HashSize]byte]vector.Vector
	// refused holds chunks rejected by the model. If the value is true, the chunk
	// is too long, and the page is complete without it, since another request would
	// have the same result. If it is false, the model did not accept the chunk now,
	// and the page waits for another run.
	refused map[[vector.HashSize]byte]bool
	old     []vector.Vector // stored vectors, which are valid for the same chunks elsewhere
	added   int             // number of known vectors that were not stored with the page
	waiting int             // number of chunks without a vector so far
	fresh   bool            // no work is left
}

// task is a chunk to be embedded, for the pages that have it.
type task struct {
	jobs []*pageJob // in the order of the portion
	chunk.Chunk
}

// portion embeds and commits the next waiting pages, or a part of a long one, and
// reports whether there may be more.
func (e *run) portion(ctx context.Context) (more bool, err error) {
	var jobs []*pageJob
	waiting := 0
	rows := e.only[e.taken:min(e.taken+PortionPages, len(e.only))]
	err = e.engine.DB.View(ctx, func(tx store.Tx) error {
		pages, err := tx.Pages().Get(ctx, rows)
		if err != nil {
			return err
		}
		all := e.taken + len(rows) // including deleted ones
		for _, p := range pages {
			e.take(p.Row)
			job, err := e.job(ctx, tx, p)
			if err != nil {
				return err
			}
			if job.fresh {
				continue
			}
			jobs = append(jobs, job)
			if waiting += len(job.lacking()); waiting >= portionChunks {
				return e.recall(ctx, tx, jobs)
			}
		}
		e.taken = all
		return e.recall(ctx, tx, jobs)
	})
	tasks := tasksOf(jobs)
	switch {
	case err != nil || e.most > 0 && tokens(tasks) > e.most:
		return false, err
	case len(jobs) == 0:
		return len(rows) > 0, nil
	}
	for _, j := range jobs {
		left := len(j.lacking())
		e.r.Reused += j.waiting - left
		j.waiting = left
	}
	done, err := e.compute(ctx, tasks)
	if done < len(tasks) {
		e.begun = tasks[done].jobs[0]
		e.giveBack(e.begun.row)
		jobs = jobs[:slices.Index(jobs, e.begun)+1]
	}
	if err := errors.Join(err, e.commit(ctx, jobs)); err != nil {
		return false, err
	}
	e.progress(nil)
	return true, nil
}

// take marks a page and those before it as processed.
func (e *run) take(row int64) { e.taken += slices.Index(e.only[e.taken:], row) + 1 }

// giveBack makes a taken page the next one again.
func (e *run) giveBack(row int64) { e.taken = slices.Index(e.only, row) }

// tokens estimates the remaining work.
func tokens(tasks []task) (sum int) {
	for _, t := range tasks {
		sum += chunk.Estimate(t.Text)
	}
	return sum
}

// tasksOf returns the chunks to compute for pages, each text once.
func tasksOf(jobs []*pageJob) []task {
	var out []task
	at := map[[vector.HashSize]byte]int{} // index in out
	for _, j := range jobs {
		for _, c := range j.lacking() {
			h := ShortHash(c)
			if i, found := at[h]; found {
				out[i].jobs = append(out[i].jobs, j)
				continue
			}
			at[h] = len(out)
			out = append(out, task{[]*pageJob{j}, c})
		}
	}
	return out
}

// lacking returns the chunks of a page without vectors, except rejected ones, each
// text once.
func (j *pageJob) lacking() []chunk.Chunk {
	var out []chunk.Chunk
	seen := map[[vector.HashSize]byte]bool{}
	for _, c := range j.chunks {
		h := ShortHash(c)
		_, known := j.known[h]
		if _, refused := j.refused[h]; !known && !refused && !seen[h] {
			seen[h] = true
			out = append(out, c)
		}
	}
	return out
}

// compute embeds chunks, in small batches, and returns how many: all, or those
// before the lease ended or an error.
func (e *run) compute(ctx context.Context, tasks []task) (done int, err error) {
	for done < len(tasks) && (done == 0 || !e.pausing()) {
		n := few(tasks[done:], e.atOnce)
		if e.left != nil {
			if n = e.pace.next(tasks[done:], e.left()); n == 0 {
				e.late = true
				break
			}
		}
		begun := e.engine.Now()
		if err := e.embedBatch(ctx, tasks[done:done+n]); err != nil {
			return done, err
		}
		e.pace.last = e.engine.Now().Sub(begun)
		done += n
		e.progress(tasks[done-1].jobs[0])
	}
	return done, nil
}

// embedBatch embeds chunks together.
func (e *run) embedBatch(ctx context.Context, tasks []task) error {
	texts := make([]string, len(tasks))
	for i, t := range tasks {
		texts[i] = t.Text
	}
	vectors, refused, err := embedEach(ctx, e.m, texts, embed.Passage)
	if err != nil {
		return err
	}
	for i, t := range tasks {
		if no := refused[i]; no != nil {
			e.refuse(t, no)
			continue
		}
		v := vector.Vector{Hash: ShortHash(t.Chunk)}
		v.Values, v.Scale = vector.Quantize(vectors[i])
		e.remember(v)
		for _, j := range t.jobs {
			j.take(v)
			j.waiting--
		}
		e.r.Reused += len(t.jobs) - 1
	}
	e.r.Chunks += len(tasks) - len(refused)
	return nil
}

// refuse records that the model rejects a chunk.
func (e *run) refuse(t task, why *kb.Error) {
	tooLong := !errors.Is(why, embed.ErrNotTaken)
	for _, j := range t.jobs {
		j.waiting--
		j.refused[ShortHash(t.Chunk)] = tooLong
	}
	if tooLong {
		e.r.Refused++
	} else if e.notTaken == nil {
		e.notTaken = why
	}
}

// save commits the vectors computed so far, and returns the complete pages. An
// incomplete page without a new vector keeps its stored ones.
func (e *run) save(ctx context.Context, jobs []*pageJob) (whole []*pageJob, err error) {
	var list []store.PageVectors
	for _, j := range jobs {
		p, err := j.pack(e.m)
		if err != nil {
			return nil, err
		}
		if p.Version != partVersion {
			whole = append(whole, j)
		} else if j.added == 0 {
			continue
		}
		list = append(list, p)
	}
	if len(list) == 0 {
		return nil, nil
	}
	return whole, e.engine.DB.Update(ctx, func(tx store.Tx) error {
		if err := outdateMoved(ctx, tx, list, jobs); err != nil {
			return err
		}
		return tx.Vectors().Put(ctx, list)
	})
}

// outdateMoved marks vectors of pages that moved in the meantime as stale: the
// title and the format of their text may have changed.
func outdateMoved(ctx context.Context, tx store.Tx, list []store.PageVectors, jobs []*pageJob) error {
	paths, rows := map[int64]string{}, make([]int64, len(list))
	for _, j := range jobs {
		paths[j.row] = j.path
	}
	for i, v := range list {
		rows[i] = v.Page
	}
	pages, err := tx.Pages().Get(ctx, rows)
	for _, p := range pages {
		if p.Path != paths[p.Row] {
			list[slices.Index(rows, p.Row)].Hash = kb.Hash{}
		}
	}
	return err
}

// pack encodes the vectors of a page for storage.
func (j *pageJob) pack(m embed.Embedder) (store.PageVectors, error) {
	out := store.PageVectors{Page: j.row, Model: m.Model(), Hash: j.hash, Version: Version()}
	page := make([]vector.Vector, 0, len(j.chunks))
	has := map[[vector.HashSize]byte]bool{}
	for _, c := range j.chunks {
		has[ShortHash(c)] = true
		if j.refused[ShortHash(c)] {
			continue
		}
		v, ok := j.known[ShortHash(c)]
		if !ok {
			out.Version = partVersion
			continue
		}
		v.Lines = c.Lines
		page = append(page, v)
	}
	var err error
	out.Chunks = len(page)
	if out.Info, out.Values, err = vector.Pack(m.Dimensions(), page); err != nil {
		return out, err
	}
	spare := slices.DeleteFunc(slices.Clone(j.old), func(v vector.Vector) bool { return has[v.Hash] })
	if len(spare) > 0 {
		out.SpareInfo, out.SpareValues, err = vector.Pack(m.Dimensions(), spare)
	}
	return out, err
}

// newPageJob splits a page into chunks and finds the existing vectors for them.
func newPageJob(ctx context.Context, sess *memory.Session, tx store.Tx, m embed.Embedder, p kb.Page, again bool) (*pageJob, error) {
	job := &pageJob{row: p.Row, ref: p.Ref(), path: p.Path, hash: p.Hash, known: map[[vector.HashSize]byte]vector.Vector{},
		refused: map[[vector.HashSize]byte]bool{}}
	var err error
	if job.chunks, job.left, err = CutPage(ctx, sess, tx, m, p); err != nil || job.chunks == nil {
		return job, err
	}
	job.waiting = len(job.chunks)
	if again {
		return job, nil
	}
	return job, job.load(ctx, tx, m.Model())
}

// CutPage splits an indexed page; nil if its document does not contain it.
func CutPage(ctx context.Context, sess *memory.Session, tx store.Tx, m embed.Embedder, p kb.Page) (chunks []chunk.Chunk, left int, err error) {
	ctx, over, err := turn.Alone(ctx, sess.DB, p.Size)
	if err != nil {
		return nil, 0, err
	}
	defer over()
	source, err := tx.History().Bytes(ctx, p.Hash)
	if err != nil {
		return nil, 0, err
	}
	codec := doc.ForNote(sess.Codecs, p.Syntax, p.Path)
	// Credentials must not be embedded either.
	d := index.Hide(codec, codec.Parse(p.Path, source), secrets.Hide)
	node := slices.IndexFunc(d.Nodes, func(n doc.Node) bool { return n.ID == p.Node })
	if p.Node == "" {
		node = 0
	}
	if node < 0 {
		return nil, 0, nil
	}
	return Cut(m, d, node)
}

// load finds the stored vectors of a page, for its present or an earlier text.
func (j *pageJob) load(ctx context.Context, tx store.Tx, model string) error {
	old, err := tx.Vectors().Get(ctx, model, j.row)
	if kb.CodeOf(err) == kb.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	_, vectors, err := vector.Unpack(old.Info, old.Values)
	if kb.CodeOf(err) == kb.Damaged {
		return nil // recomputed
	}
	j.fresh = old.Hash == j.hash && old.Version == Version()
	if old.Version == Version() || old.Version == partVersion {
		j.old = vectors
	}
	for _, v := range vectors {
		j.known[v.Hash] = v
	}
	return err
}

// ShortHash returns the hash that identifies a chunk in the store.
func ShortHash(c chunk.Chunk) (h [vector.HashSize]byte) {
	copy(h[:], c.Hash[:])
	return h
}
