package app

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/chunk"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/embed"
	"github.com/cairn-kb/cairn/internal/embed/bge"
	"github.com/cairn-kb/cairn/internal/embed/kernel"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/vector"
	"github.com/cairn-kb/cairn/internal/store"
)

// chunkOptions are how pages are cut for embedding. Their version is part of
// what decides whether a page's vectors are up to date, with chunk.Version.
func chunkOptions() chunk.Options { return chunk.Default() }

const chunkOptionsVersion = 1

// vectorVersion names how vectors are made from a document by the present
// binary.
func vectorVersion() string { return fmt.Sprintf("%d.%d", chunk.Version, chunkOptionsVersion) }

// embedPages is how many pages are embedded and committed together.
const embedPages = 64

// EmbedRequest asks for pages to be made searchable by meaning.
type EmbedRequest struct {
	All      bool          // of every space, not of the current one
	Again    bool          // drop what is there first
	Budget   time.Duration // stop after this long; 0 is no limit
	Progress func(done, total int)
}

// EmbedReport says what was embedded.
type EmbedReport struct {
	Model  string `json:"model"`
	Pages  int    `json:"pages"`
	Chunks int    `json:"chunks"` // computed now
	Reused int    `json:"reused"` // chunks whose vectors were there already
	Left   int    `json:"left"`   // pages that still wait
	Millis int64  `json:"took_ms"`
}

// Embed computes the vectors of pages that have none, or that changed since.
// It commits as it goes: what was done before an interruption stays.
func (a *App) Embed(ctx context.Context, req EmbedRequest) (EmbedReport, error) {
	start := a.opts.Now()
	m, err := a.activeModel(ctx)
	if err != nil {
		return EmbedReport{}, err
	}
	spaces, err := a.scope(ctx, req.All)
	if err != nil {
		return EmbedReport{}, err
	}
	if req.Again {
		if err := a.db.Update(ctx, func(tx store.Tx) error { return tx.Vectors().Drop(ctx, m.Model()) }); err != nil {
			return EmbedReport{}, err
		}
	}
	r := EmbedReport{Model: m.Model()}
	total, err := a.unembedded(ctx, m.Model(), spaces)
	if err != nil {
		return r, err
	}
	for after := int64(0); ; {
		if req.Budget > 0 && a.opts.Now().Sub(start) >= req.Budget {
			break
		}
		rows, err := a.embedBatch(ctx, m, spaces, after, &r)
		if err != nil {
			return r, err
		}
		if len(rows) == 0 {
			break
		}
		after = rows[len(rows)-1]
		if req.Progress != nil {
			req.Progress(r.Pages, total)
		}
	}
	r.Left, err = a.unembedded(ctx, m.Model(), spaces)
	r.Millis = a.opts.Now().Sub(start).Milliseconds()
	return r, err
}

func (a *App) unembedded(ctx context.Context, model string, spaces []int64) (stale int, err error) {
	err = a.db.View(ctx, func(tx store.Tx) error {
		_, stale, err = tx.Vectors().Counts(ctx, model, vectorVersion(), spaces)
		return err
	})
	return stale, err
}

// pageJob is a page on its way to its vectors.
type pageJob struct {
	row    int64
	hash   kb.Hash
	chunks []chunk.Chunk
	known  map[[vector.HashSize]byte]vector.Vector
}

// embedBatch embeds the next pages that wait, and returns their rows.
func (a *App) embedBatch(ctx context.Context, m embed.Embedder, spaces []int64, after int64, r *EmbedReport) ([]int64, error) {
	var (
		rows []int64
		jobs []pageJob
	)
	err := a.db.View(ctx, func(tx store.Tx) error {
		var err error
		if rows, err = tx.Vectors().Stale(ctx, m.Model(), vectorVersion(), spaces, after, embedPages); err != nil {
			return err
		}
		pages, err := tx.Pages().Get(ctx, rows)
		if err != nil {
			return err
		}
		for _, p := range pages {
			job, err := a.pageJob(ctx, tx, m, p)
			if err != nil {
				return err
			}
			jobs = append(jobs, job)
		}
		return nil
	})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	list, err := compute(ctx, m, jobs, r)
	if err != nil {
		return nil, err
	}
	r.Pages += len(list)
	return rows, a.db.Update(ctx, func(tx store.Tx) error { return tx.Vectors().Put(ctx, list) })
}

// pageJob cuts a page, and finds the vectors of chunks that it had before.
func (a *App) pageJob(ctx context.Context, tx store.Tx, m embed.Embedder, p kb.Page) (pageJob, error) {
	job := pageJob{row: p.Row, hash: p.Hash, known: map[[vector.HashSize]byte]vector.Vector{}}
	source, err := tx.History().Bytes(ctx, p.Hash)
	if err != nil {
		return job, err
	}
	d := doc.ForPath(a.codecs, p.Path).Parse(p.Path, source)
	node := slices.IndexFunc(d.Nodes, func(n doc.Node) bool { return n.ID == p.Node })
	if p.Node == "" {
		node = 0
	}
	if node < 0 {
		return job, nil
	}
	if job.chunks, err = cut(m, d, node); err != nil {
		return job, err
	}
	old, err := tx.Vectors().Get(ctx, m.Model(), p.Row)
	if kb.CodeOf(err) == kb.NotFound {
		return job, nil
	}
	if err != nil {
		return job, err
	}
	_, vectors, err := vector.Unpack(old.Blob)
	if kb.CodeOf(err) == kb.Damaged {
		return job, nil // computed anew
	}
	for _, v := range vectors {
		job.known[v.Hash] = v
	}
	return job, err
}

// cut splits a page by the estimate of its tokens, and where that was too low
// for the model by the model's own count, so that nothing is cut silently.
func cut(m embed.Embedder, d *doc.Document, node int) ([]chunk.Chunk, error) {
	masked := *d
	masked.Text = mask(d.Text) // a credential does not become searchable by meaning either
	opts := chunkOptions()
	chunks := chunk.Split(&masked, node, opts)
	// The estimate may be low by half on text without words; what is short in
	// bytes cannot be long in tokens.
	for _, c := range chunks {
		if len(c.Text) <= m.MaxTokens() {
			continue
		}
		n, err := m.CountTokens(c.Text)
		if err != nil {
			return nil, err
		}
		if n > m.MaxTokens() {
			opts.Count = func(text string) int {
				n, err := m.CountTokens(text)
				if err != nil {
					return len(text)
				}
				return n
			}
			return chunk.Split(&masked, node, opts), nil
		}
	}
	return chunks, nil
}

// compute embeds the chunks that have no vectors yet and packs each page.
func compute(ctx context.Context, m embed.Embedder, jobs []pageJob, r *EmbedReport) ([]store.PageVectors, error) {
	var texts []string
	for _, j := range jobs {
		for _, c := range j.chunks {
			if _, ok := j.known[short(c)]; !ok {
				texts = append(texts, c.Text)
			}
		}
	}
	vectors, err := m.Embed(ctx, texts, embed.Passage)
	if err != nil {
		return nil, err
	}
	r.Chunks += len(texts)
	var out []store.PageVectors
	for _, j := range jobs {
		page := make([]vector.Vector, 0, len(j.chunks))
		for _, c := range j.chunks {
			v, ok := j.known[short(c)]
			if ok {
				r.Reused++
			} else {
				v.Hash = short(c)
				v.Values, v.Scale = vector.Quantize(vectors[0])
				vectors = vectors[1:]
			}
			v.Lines = c.Lines
			page = append(page, v)
		}
		blob, err := vector.Pack(m.Dimensions(), page)
		if err != nil {
			return nil, err
		}
		out = append(out, store.PageVectors{
			Page: j.row, Model: m.Model(), Hash: j.hash, Version: vectorVersion(), Chunks: len(page), Blob: blob,
		})
	}
	return out, nil
}

func short(c chunk.Chunk) (h [vector.HashSize]byte) {
	copy(h[:], c.Hash[:])
	return h
}

// activeModel returns the embedder that the memory uses. A memory that has
// chosen none uses the built-in model, where the build has it.
func (a *App) activeModel(ctx context.Context) (embed.Embedder, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.embedder != nil {
		return a.embedder, nil
	}
	e, err := bge.New(bge.Options{CPU: a.opts.Env(kernel.EnvVar), Threads: a.opts.Workers})
	if err != nil {
		return nil, err
	}
	var known bool
	err = a.db.View(ctx, func(tx store.Tx) error {
		models, err := tx.Models().All(ctx)
		known = slices.ContainsFunc(models, func(m store.Model) bool { return m.Name == e.Model() && m.Active })
		return err
	})
	if err != nil {
		return nil, err
	}
	if !known {
		err = a.db.Update(ctx, func(tx store.Tx) error {
			if err := tx.Models().Put(ctx, store.Model{Name: e.Model(), Source: "built-in", Dims: e.Dimensions(), Created: a.opts.Now()}); err != nil {
				return err
			}
			return tx.Models().Activate(ctx, e.Model())
		})
		if err != nil {
			return nil, err
		}
	}
	a.embedder = e
	return e, nil
}

// vectors returns the in-memory index of a model's vectors, brought up to
// date with the transaction.
func (a *App) vectors(ctx context.Context, tx store.Tx, m embed.Embedder) (*vector.Index, error) {
	a.vectorMu.Lock()
	defer a.vectorMu.Unlock()
	if a.vectorIndex == nil {
		k, err := kernel.Select(a.opts.Env(kernel.EnvVar))
		if err != nil {
			return nil, err
		}
		a.vectorIndex, a.vectorSeq = vector.New(m.Dimensions(), k.Dots), 0
	}
	pages, err := tx.Vectors().Changed(ctx, m.Model(), a.vectorSeq, func(p store.PageVectors) error {
		a.vectorSeq = max(a.vectorSeq, p.Seq)
		return a.vectorIndex.Put(p.Page, p.Blob)
	})
	if err != nil {
		return nil, err
	}
	if held, _ := a.vectorIndex.Len(); held == pages {
		return a.vectorIndex, nil
	}
	rows, err := tx.Vectors().Pages(ctx, m.Model())
	if err != nil {
		return nil, err
	}
	var gone []int64
	a.vectorIndex.Pages(func(page int64) bool {
		if _, found := slices.BinarySearch(rows, page); !found {
			gone = append(gone, page)
		}
		return true
	})
	for _, page := range gone {
		a.vectorIndex.Remove(page)
	}
	return a.vectorIndex, nil
}
