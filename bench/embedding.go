package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// measureEmbedding measures how long it takes until a directory of notes can be
// searched by meaning: its first sync, and the embedding of all of it. Both run
// once, as they take minutes, and show their progress on standard error.
func measureEmbedding(ctx context.Context, c *setup, r *report) error {
	r.section("Import and embedding, once each")
	r.linef("| vault | notes | chunks | sync | sync, CPU | embed | embed, CPU | chunks/s | chunks per CPU second |\n|---|---|---|---|---|---|---|---|---|")
	for i, dir := range c.vaults {
		db := filepath.Join(c.temp, fmt.Sprintf("embedding-%d", i), "memory.db")
		imported, err := loud(ctx, c, db, nil, "sync", "--in", dir)
		if err != nil {
			return err
		}
		var answer bytes.Buffer
		embedded, err := loud(ctx, c, db, &answer, "embed", "--in", dir, "--json")
		if err != nil {
			return err
		}
		var did struct{ Pages, Chunks, Left int }
		if err := json.Unmarshal(answer.Bytes(), &did); err != nil {
			return fmt.Errorf("what embed answered: %w", err)
		}
		if did.Left > 0 {
			return fmt.Errorf("%d pages of %s were not embedded", did.Left, dir)
		}
		per := func(t time.Duration) float64 { return float64(did.Chunks) / t.Seconds() }
		r.linef("| %s | %d | %d | %s | %s | %s | %s | %.1f | %.1f |", filepath.Base(dir), did.Pages, did.Chunks,
			short(imported.wall), short(imported.cpu), short(embedded.wall), short(embedded.cpu), per(embedded.wall), per(embedded.cpu))
	}
	return r.err
}

// loud runs cairn with its progress on standard error.
func loud(ctx context.Context, c *setup, db string, out *bytes.Buffer, args ...string) (sample, error) {
	cmd := command(ctx, c, db, c.bin, args...)
	cmd.Stderr = os.Stderr
	if out != nil {
		cmd.Stdout = out
	}
	return toEnd(cmd)
}
