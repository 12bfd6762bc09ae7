package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// measureRename measures the move of a page to which every other page of a directory
// links, and its undo, as processes: each changes all files.
func measureRename(ctx context.Context, c *setup, r *report) error {
	dir, db := filepath.Join(c.temp, "rename"), filepath.Join(c.temp, "rename.db", "memory.db")
	if err := generate(ctx, dir, c.backlinks); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "hub.md"), []byte("# Hub\n"), 0o644); err != nil {
		return err
	}
	for i := range c.backlinks {
		f, err := os.OpenFile(filepath.Join(dir, directoryOf(i), nameOf(i)+".md"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		if _, err := f.WriteString("\nSee [[hub]].\n"); err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	if _, err := process(ctx, c, db, c.bin, "sync", "--quiet", "--in", dir); err != nil {
		return err
	}
	rows, err := takeTurns(ctx, c.rounds, []kase{
		{name: "bare walk: read and SHA-256", run: func(ctx context.Context) (sample, error) {
			return process(ctx, c, db, c.self, walkCommand, "hash", dir)
		}},
		{name: "mv", aim: "3 s at 8,000", run: func(ctx context.Context) (sample, error) {
			return process(ctx, c, db, c.bin, "mv", "--in", dir, "hub", "hubs/center")
		}},
		{name: "undo", aim: "3 s at 8,000", run: func(ctx context.Context) (sample, error) {
			return process(ctx, c, db, c.bin, "undo", "--in", dir)
		}},
	})
	if err != nil {
		return err
	}
	r.section(fmt.Sprintf("Move of a page with %d backlinks, a process each", c.backlinks))
	r.turns(rows)
	return nil
}
