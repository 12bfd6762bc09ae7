package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"time"

	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// putVault is how many notes the spaces hold that puts go to.
const putVault = 2000

// measurePut measures durable writes of single new pages in one process: into
// a directory, where the file and the database are synced to disk, and into a
// database space, which has no file.
func measurePut(ctx context.Context, c *setup, r *report) (err error) {
	dir := filepath.Join(c.temp, "put", "notes")
	if err := generate(ctx, dir, min(putVault, c.notes)); err != nil {
		return err
	}
	bare := filepath.Join(c.temp, "put", "bare")
	if err := os.MkdirAll(bare, 0o755); err != nil {
		return err
	}
	a, err := open(ctx, c, filepath.Join(c.temp, "put", "memory.db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if _, err := gitsync.AddSpace(ctx, a, space.AddRequest{Name: "pages", Database: true}); err != nil {
		return err
	}
	space, err := a.Spaces.Attach(ctx, dir)
	if err != nil {
		return err
	}
	if _, err := gitsync.Sync(ctx, a, gitsync.SyncRequest{}); err != nil {
		return err
	}
	rows := []latency{
		{name: "bare atomic write of the file with fsync"},
		{name: "put, directory", aim: "p50 5 ms"},
		{name: "put, database space"},
	}
	random := rand.New(rand.NewSource(seed))
	words := newLexicon(random)
	for i := range c.puts {
		var b bytes.Buffer
		note(&b, random, words, i, putVault)
		name := fmt.Sprintf("put-%04d", i)
		put := func(ref string) func() error {
			return func() error {
				_, err := change.Put(ctx, a, change.PutRequest{Ref: ref, Text: b.Bytes()})
				return err
			}
		}
		for j, f := range []func() error{
			func() error { return atomicWrite(filepath.Join(bare, name+".md"), b.Bytes()) },
			put(space.Name + ":new/" + name),
			put("pages:new/" + name),
		} {
			var took time.Duration
			if took, err = timed(f); err != nil {
				return err
			}
			rows[j].took = append(rows[j].took, took)
		}
	}
	r.section(fmt.Sprintf("Put of a new page of %d words, beside %d notes, one process", wordsPerNote, min(putVault, c.notes)))
	r.latencies(rows)
	return nil
}
