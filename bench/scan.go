package main

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"runtime"

	"github.com/cairn-kb/cairn/internal/embed/kernel"
	"github.com/cairn-kb/cairn/internal/search/vector"
)

// kernels are those that cairn would use here.
func kernels() kernel.Set {
	k, err := kernel.Select(os.Getenv(kernel.EnvVar))
	if err != nil {
		k = kernel.Portable{}
	}
	return k
}

// measureScan measures the search of many vectors that are in memory.
func measureScan(ctx context.Context, c *config, r *report) error {
	before := heap()
	random := rand.New(rand.NewSource(seed))
	x := vector.New(dimensions, kernels().Dots)
	// A few hundred pages over and over: a scan does not care.
	blobs := make([][]byte, 256)
	for i := range blobs {
		var err error
		if blobs[i], err = vector.Pack(dimensions, someVectors(random, chunksPerNote)); err != nil {
			return err
		}
	}
	for page := range c.vectors / chunksPerNote {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := x.Put(int64(page), blobs[page%len(blobs)]); err != nil {
			return err
		}
	}
	used := heap() - before
	rows := []latency{{name: "10 nearest", aim: "25 ms at 1,000,000"}, {name: "1,000 nearest, as a question asks for"}}
	for i := range c.queries + 1 {
		query := direction(random)
		for j, k := range []int{10, 1000} {
			took, err := timed(func() error {
				_, err := x.Search(query, k, nil)
				return err
			})
			if err != nil {
				return err
			}
			if i > 0 {
				rows[j].took = append(rows[j].took, took)
			}
		}
	}
	runtime.KeepAlive(x)
	r.section(fmt.Sprintf("Exact search of %d vectors of %d dimensions with the %s kernels, %d MB", c.vectors, dimensions, kernels().Name(), used>>20))
	r.latencies(rows)
	return nil
}

// heap returns the bytes that are in use.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
