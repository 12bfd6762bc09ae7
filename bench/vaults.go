package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// measureVaults measures what a user of a directory of notes waits for, as
// whole processes.
func measureVaults(ctx context.Context, c *setup, r *report) error {
	for i, dir := range c.vaults {
		notes, bytes, err := walk(dir, false)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("%s: %d notes, %.1f MB", filepath.Base(dir), notes, float64(bytes)/1e6)
		if err := measureVault(ctx, c, r, dir, name, filepath.Join(c.temp, fmt.Sprintf("vault-%d", i))); err != nil {
			return err
		}
	}
	return nil
}

func measureVault(ctx context.Context, c *setup, r *report, dir, name, data string) error {
	db := filepath.Join(data, "memory.db")
	cairn := func(args ...string) func(context.Context) (sample, error) {
		return func(ctx context.Context) (sample, error) { return process(ctx, c, db, c.bin, args...) }
	}
	bare := func(kind string) func(context.Context) (sample, error) {
		return func(ctx context.Context) (sample, error) { return process(ctx, c, db, c.self, walkCommand, kind, dir) }
	}
	first, err := takeTurns(ctx, c.rounds, []kase{
		{name: "bare walk: read and SHA-256", run: bare("hash")},
		{name: "first sync, to searchable", run: func(ctx context.Context) (sample, error) {
			if err := os.RemoveAll(data); err != nil {
				return sample{}, err
			}
			return cairn("sync", "--quiet", "--in", dir)(ctx)
		}},
	})
	if err != nil {
		return err
	}
	r.section("First sync, " + name)
	r.turns(first)

	ref, word, err := sampleNote(dir)
	if err != nil {
		return err
	}
	quick, err := takeTurns(ctx, c.quick, []kase{
		{name: "bare walk: stat", run: bare("stat")},
		{name: "sync, nothing changed", aim: "3× stat walk", run: cairn("sync", "--quiet", "--in", dir)},
		{name: "search, with the sync before it", run: cairn("search", "--quiet", "--in", dir, word)},
		{name: "tasks --open, with the sync before it", run: cairn("tasks", "--open", "--quiet", "--in", dir)},
		{name: "get", aim: "15 ms", run: cairn("get", ref)},
		{name: "get --in DIR", run: cairn("get", "--in", dir, ref)},
		{name: "version: starts and does nothing", run: cairn("version")},
	})
	if err != nil {
		return err
	}
	r.section("Nothing changed, " + name)
	r.turns(quick)
	return nil
}
