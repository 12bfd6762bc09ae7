package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
)

// measureImports measures imports of many pages into spaces that the memory keeps, and an
// export of them, as whole processes, beside the first sync of the same directory. Each runs once.
func measureImports(ctx context.Context, c *setup, r *report) error {
	dir, db := filepath.Join(c.temp, "imported"), filepath.Join(c.temp, "imports.db", "memory.db")
	if err := generate(ctx, dir, c.notes); err != nil {
		return err
	}
	file := filepath.Join(c.temp, "memory.json")
	if err := generateMemoryJSON(file, c.notes); err != nil {
		return err
	}
	r.section(fmt.Sprintf("Imports and an export of %d pages", c.notes))
	r.linef("| case | wall | CPU | peak of memory | aim |\n|---|---|---|---|---|")
	for _, k := range []struct {
		name, aim string
		args      []string
	}{
		{"first sync", "", []string{"sync", "--quiet", "--in", dir}},
		{"import of the directory", "150 MiB; 1.3× the CPU of a sync", []string{"import", dir, "--into", "copied", "--quiet"}},
		{"import of it once more", "150 MiB", []string{"import", dir, "--into", "copied", "--quiet"}},
		{"import of memory.json", "150 MiB", []string{"import", "memory-json", file, "--into", "entities", "--quiet"}},
		{"export", "150 MiB", []string{"export", "--space", "copied", "--dir", filepath.Join(c.temp, "exported"), "--quiet"}},
	} {
		s, err := process(ctx, c, db, c.bin, k.args...)
		if err != nil {
			return err
		}
		r.linef("| %s | %s | %s | %d MiB | %s |", k.name, short(s.wall), short(s.cpu), s.peak>>20, k.aim)
	}
	return nil
}

// generateMemoryJSON writes n entities with two observations each, then as many relations.
func generateMemoryJSON(file string, n int) (err error) {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	out, random := bufio.NewWriter(f), rand.New(rand.NewSource(seed))
	words := newLexicon(random)
	for i := range n {
		fmt.Fprintf(out, "{\"type\":\"entity\",\"name\":\"Thing %d\",\"entityType\":\"thing\",\"observations\":[\"%s %s\",\"%s %s\"]}\n",
			i, words.word(), words.word(), words.word(), words.word())
	}
	for i := range n {
		fmt.Fprintf(out, "{\"type\":\"relation\",\"from\":\"Thing %d\",\"to\":\"Thing %d\",\"relationType\":\"knows\"}\n", i, random.Intn(n))
	}
	return out.Flush()
}
