package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand"
	"os"
	"runtime"

	"github.com/cairn-kb/cairn/internal/search/embed/kernel"
	"github.com/cairn-kb/cairn/internal/search/vector"
)

// bundlePages is how many pages' vectors a store keeps together.
const bundlePages = 32

// kernels are those that cairn would use here.
func kernels() kernel.Set {
	k, err := kernel.Select(os.Getenv(kernel.EnvVar))
	if err != nil {
		k = kernel.Portable{}
	}
	return k
}

// measureScan measures the search of many vectors that are in memory.
func measureScan(ctx context.Context, c *setup, r *report) error {
	before := heap()
	random := rand.New(rand.NewSource(seed))
	x := vector.New(dimensions, kernels().Dots)
	// A few pages over and over, each time in memory of their own: a scan does
	// not care.
	var infos, values [257][]byte
	for i := range infos {
		var err error
		if infos[i], values[i], err = vector.Pack(dimensions, someVectors(random, chunksPerNote)); err != nil {
			return err
		}
	}
	for number := range int64(c.vectors / chunksPerNote / bundlePages) {
		if err := ctx.Err(); err != nil {
			return err
		}
		pages, all := make([]vector.Page, bundlePages), make([]byte, 0, bundlePages*len(values[0]))
		for i := range pages {
			page := number*bundlePages + int64(i)
			of := page % int64(len(infos))
			pages[i] = vector.Page{Page: page, Info: bytes.Clone(infos[of]), Size: len(values[of])}
			all = append(all, values[of]...)
		}
		x.Put(number, pages, all)
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
	r.section(fmt.Sprintf("Exact search of %d vectors of %d dimensions with the %s kernels, %d MB", x.Len(), dimensions, kernels().Name(), used>>20))
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
