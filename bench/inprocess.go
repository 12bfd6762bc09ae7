package main

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/upkeep"
)

// open opens a memory in this process, as a server does.
func open(ctx context.Context, c *setup, db string) (*memory.Session, error) {
	return memory.Open(ctx, memory.Options{
		Hooks: upkeep.Hooks(),
		Place: space.Place{Env: func(string) string { return "" }, Dir: c.temp, Home: c.temp, DB: db}, Actor: kb.Actor{Kind: kb.Human, Name: "bench"},
		Now: time.Now,
	}, true)
}

// atomicWrite is the least that a durable write of one file takes: temporary
// file, fsync, rename, fsync of the directory.
func atomicWrite(path string, b []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".bare-")
	if err != nil {
		return err
	}
	if _, err = f.Write(b); err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	// Not every system can sync a directory; then there is nothing to measure.
	_ = d.Sync()
	return d.Close()
}

// timed returns how long f took.
func timed(f func() error) (time.Duration, error) {
	start := time.Now()
	err := f()
	return time.Since(start), err
}
