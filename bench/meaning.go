package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand"
	"path/filepath"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/search/vector"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/sqlite"
)

const (
	// chunksPerNote synthetic vectors stand in for those of a note: to embed
	// 50,000 chunks takes a quarter of an hour, and a scan takes as long
	// whatever they say.
	chunksPerNote = 5
	dimensions    = 384
	// questionWords make some 16 tokens.
	questionWords = 6
)

// measureMeaning measures questions by words and meaning over generated notes,
// in one process and as processes, and the load of the vectors.
func measureMeaning(ctx context.Context, c *setup, r *report) (err error) {
	notes := c.chunks / chunksPerNote
	dir, db := filepath.Join(c.temp, "meaning"), filepath.Join(c.temp, "meaning.db", "memory.db")
	if err := generate(ctx, dir, notes); err != nil {
		return err
	}
	if _, err := process(ctx, c, db, c.bin, "sync", "--quiet", "--in", dir); err != nil {
		return err
	}
	version, err := vectorVersion(ctx, c, db, "--in", dir, nameOf(0))
	if err != nil {
		return err
	}
	load, err := fillVectors(ctx, c, db, version, chunksPerNote)
	if err != nil {
		return err
	}
	a, err := open(ctx, c, db)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if _, err := a.Spaces.Attach(ctx, dir); err != nil {
		return err
	}
	rows, err := questions(ctx, c, a)
	if err != nil {
		return err
	}
	r.section(fmt.Sprintf("Questions of %d words to %d notes with %d vectors, one process, 5 answers with texts", questionWords, notes, c.chunks))
	r.latencies(append(rows, load))

	words := newLexicon(rand.New(rand.NewSource(seed)))
	question := strings.Join(words.distinct(questionWords), " ")
	query := func(args ...string) func(context.Context) (sample, error) {
		args = append([]string{"query", "--in", dir, "--no-embed", "--json"}, args...)
		return func(ctx context.Context) (sample, error) {
			return process(ctx, c, db, c.bin, append(args, question)...)
		}
	}
	results, err := takeTurns(ctx, c.quick, []kase{
		{name: "`cairn version`", run: func(ctx context.Context) (sample, error) { return process(ctx, c, db, c.bin, "version") }},
		{name: "`cairn query`", aim: "80 ms", run: query("--no-sync")},
		{name: "`cairn query`, with its sync", run: query()},
		{name: "`cairn query --mode fts`", run: query("--no-sync", "--mode", "fts")},
	})
	if err != nil {
		return err
	}
	r.section("The same as whole processes, nothing in memory")
	r.turns(results)
	return nil
}

// vectorVersion has one page embedded and returns what its vectors say of how
// they were made.
func vectorVersion(ctx context.Context, c *setup, db string, page ...string) (version string, err error) {
	if _, err := process(ctx, c, db, c.bin, append([]string{"embed"}, page...)...); err != nil {
		return "", err
	}
	m, err := sqlite.Open(ctx, db, sqlite.Options{MustExist: true})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	return version, m.View(ctx, func(tx store.Tx) error {
		return tx.Vectors().Each(ctx, bge.Name, func(p store.PageVectors) error {
			version = p.Version
			return nil
		})
	})
}

// fillVectors gives every page vectors, and times reading them all back into
// an index.
func fillVectors(ctx context.Context, c *setup, db, version string, chunks int) (load latency, err error) {
	m, err := sqlite.Open(ctx, db, sqlite.Options{MustExist: true})
	if err != nil {
		return load, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	random := rand.New(rand.NewSource(seed))
	err = m.Update(ctx, func(tx store.Tx) error {
		rows, err := tx.Pages().Rows(ctx, store.Filter{})
		if err != nil {
			return err
		}
		pages, err := tx.Pages().Get(ctx, rows)
		if err != nil {
			return err
		}
		list := make([]store.PageVectors, len(pages))
		for i, p := range pages {
			info, values, err := vector.Pack(dimensions, someVectors(random, chunks))
			if err != nil {
				return err
			}
			list[i] = store.PageVectors{Page: p.Row, Model: bge.Name, Hash: p.Hash, Version: version, Chunks: chunks, Info: info, Values: values}
		}
		return tx.Vectors().Put(ctx, list)
	})
	if err != nil {
		return load, err
	}
	load = latency{name: "load of all vectors into an empty index", aim: "30 ms"}
	for range c.rounds {
		took, err := timed(func() error {
			x := vector.New(dimensions, kernels().Dots)
			return m.View(ctx, func(tx store.Tx) error {
				_, _, err := tx.Vectors().Changed(ctx, bge.Name, 0, func(b store.Bundle) error {
					pages := make([]vector.Page, len(b.Pages))
					for i, p := range b.Pages {
						pages[i] = vector.Page(p)
					}
					x.Put(b.Number, pages, b.Values)
					return nil
				})
				return err
			})
		})
		if err != nil {
			return load, err
		}
		load.took = append(load.took, took)
	}
	return load, nil
}

// someVectors returns vectors of length one in all directions.
func someVectors(r *rand.Rand, n int) []vector.Vector {
	out := make([]vector.Vector, n)
	for i := range out {
		out[i].Values, out[i].Scale = vector.Quantize(direction(r))
		out[i].Lines = [2]int{i + 1, i + 1}
		r.Read(out[i].Hash[:])
	}
	return out
}

func direction(r *rand.Rand) []float32 {
	v, sum := make([]float32, dimensions), 0.0
	for i := range v {
		x := r.NormFloat64()
		v[i], sum = float32(x), sum+x*x
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// questions asks in all modes in turn. Each question is new, as a person's is.
func questions(ctx context.Context, c *setup, a *memory.Session) ([]latency, error) {
	words := newLexicon(rand.New(rand.NewSource(seed + 1)))
	rows := []latency{
		{name: "query", aim: "10 ms with VNNI, 15 with AVX2"},
		{name: "query --mode vector"},
		{name: "query --mode fts"},
	}
	modes := []api.Mode{api.ModeHybrid, api.ModeVector, api.ModeWords}
	for i := range c.queries + 1 {
		question := strings.Join(words.distinct(questionWords), " ")
		for j, mode := range modes {
			start := time.Now()
			_, err := read.Query(ctx, a, retrieve.QueryRequest{SearchRequest: retrieve.SearchRequest{Query: question, Mode: mode, Limit: 5}})
			if err != nil {
				return nil, err
			}
			if i > 0 { // the first loads model and vectors
				rows[j].took = append(rows[j].took, time.Since(start))
			}
		}
	}
	return rows, nil
}
