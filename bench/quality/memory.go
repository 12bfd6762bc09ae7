package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/search/embed/packed"
	"github.com/cairn-kb/cairn/internal/upkeep"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// remember writes the notes of a set below dir, and returns a memory that has
// them synced. What an earlier run left there is used again.
func remember(ctx context.Context, dir string, s *set) (_ *memory.Session, err error) {
	dir = filepath.Join(dir, fmt.Sprintf("%s-%d", s.name, len(s.notes)))
	notes := filepath.Join(dir, "notes")
	for _, n := range s.notes {
		if err := writeNote(filepath.Join(notes, filepath.FromSlash(n.path)), n.text); err != nil {
			return nil, err
		}
	}
	a, err := memory.Open(ctx, memory.Options{
		Hooks: upkeep.Hooks(),
		Place: space.Place{Env: os.Getenv, Dir: notes, Home: dir, DB: filepath.Join(dir, "memory.db")}, Actor: kb.Actor{Kind: kb.Human, Name: "bench"},
		Now: time.Now,
	}, true)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.Close())
		}
	}()
	if _, err := a.Spaces.Attach(ctx, notes); err != nil {
		return nil, err
	}
	_, err = gitsync.Sync(ctx, a, gitsync.SyncRequest{})
	return a, err
}

// use searches and embeds with a model from here on: in a directory, the multilingual one
// in a packed file, or the built-in one when path is empty. Vectors that are there are
// used again.
func use(ctx context.Context, a *memory.Session, path string, progress io.Writer) error {
	name := bge.Name
	if path != "" {
		add := embedding.ModelAdd{Name: "dir:" + path}
		if filepath.Ext(path) == ".pack" {
			add = embedding.ModelAdd{Name: packed.Multilingual.Name, File: path}
		}
		m, err := embedding.AddModel(ctx, a, add)
		if err != nil {
			return err
		}
		name = m.Name
	}
	if _, err := embedding.UseModel(ctx, a, name); err != nil {
		return err
	}
	r, err := embedding.Embed(ctx, a, embedding.Request{Progress: func(phase string, done, total int) {
		fmt.Fprintf(progress, "%s: %s %d of %d\n", name, phase, done, total)
	}})
	if err == nil && r.Left > 0 {
		err = fmt.Errorf("%s: %d notes were not embedded", name, r.Left)
	}
	return err
}

// writeNote writes a file unless it is there already, so that a later run
// finds nothing changed.
func writeNote(path string, text []byte) error {
	old, err := os.ReadFile(path)
	if err == nil && bytes.Equal(old, text) {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}
