package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// busyNotes are about how many notes of a vault are embedded.
const busyNotes = 500

// measureBusy measures which part of the processors works while notes of each vault
// are embedded in this process, as the Go scheduler sees it: what else runs on the
// machine makes all of it slower, and the part is the same.
func measureBusy(ctx context.Context, c *setup, r *report) error {
	r.section(fmt.Sprintf("Processors while embedding, %d of them", runtime.GOMAXPROCS(0)))
	r.linef("| vault | notes | chunks | wall | busy |\n|---|---|---|---|---|")
	for i, dir := range c.vaults {
		some := filepath.Join(c.temp, fmt.Sprintf("busy-%d", i))
		if err := copySome(dir, some, min(busyNotes, c.notes)); err != nil {
			return err
		}
		did, wall, busy, err := embedBusy(ctx, c, some, some+".db")
		if err != nil {
			return err
		}
		r.linef("| %s | %d | %d | %s | %.1f %% |", filepath.Base(dir), did.Pages, did.Chunks, short(wall), 100*busy)
	}
	return r.err
}

// copySome copies about n notes of a vault, evenly spread over their paths.
func copySome(from, to string, n int) error {
	var paths []string
	err := eachNote(from, func(path string, _ fs.DirEntry) error {
		paths = append(paths, path)
		return nil
	})
	if err != nil {
		return err
	}
	for i := 0; i < len(paths); i += max(1, len(paths)/n) {
		name, err := filepath.Rel(from, paths[i])
		if err != nil {
			return err
		}
		text, err := os.ReadFile(paths[i])
		if err != nil {
			return err
		}
		target := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(target, text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// embedBusy embeds a directory, and says which part of the processors worked.
func embedBusy(ctx context.Context, c *setup, dir, db string) (did api.EmbedReport, wall time.Duration, busy float64, err error) {
	a, err := open(ctx, c, db)
	if err != nil {
		return did, 0, 0, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if _, err := a.Spaces.Attach(ctx, dir); err != nil {
		return did, 0, 0, err
	}
	if _, err := gitsync.Sync(ctx, a, gitsync.SyncRequest{}); err != nil {
		return did, 0, 0, err
	}
	before := processors()
	wall, err = timed(func() error {
		did, err = embedding.Embed(ctx, a, embedding.Request{All: true})
		return err
	})
	after := processors()
	return did, wall, 1 - (after.idle-before.idle)/(after.all-before.all), err
}

// share is time of the processors, in seconds.
type share struct{ idle, all float64 }

// processors says how long they have been idle. The runtime counts with each
// garbage collection.
func processors() share {
	runtime.GC()
	samples := []metrics.Sample{{Name: "/cpu/classes/idle:cpu-seconds"}, {Name: "/cpu/classes/total:cpu-seconds"}}
	metrics.Read(samples)
	return share{samples[0].Value.Float64(), samples[1].Value.Float64()}
}
