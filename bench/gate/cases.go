package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// sizes are how much is measured.
type sizes struct {
	notes     int // of the generated vault
	documents int // with long text
	pairs     int // of a case that takes long
	quick     int // of a case that takes milliseconds
	questions int // in one process
}

var (
	short = sizes{notes: 1500, documents: 60, pairs: 5, quick: 15, questions: 40}
	long  = sizes{notes: 20_000, documents: 600, pairs: 9, quick: 41, questions: 200}
)

// kase is one kind of work.
type kase struct {
	name  string
	pairs func(sizes) int
	// prepare makes what the work needs and returns the work; turn counts its
	// runs.
	prepare func(ctx context.Context, s *side, size sizes) (work func(turn int) (sample, error), err error)
}

var cases = []kase{
	{"sync-notes", func(s sizes) int { return s.pairs }, func(ctx context.Context, s *side, size sizes) (func(int) (sample, error), error) {
		return firstSync(ctx, s, "notes", func(dir string) error { return writeNotes(dir, size.notes) })
	}},
	{"sync-long", func(s sizes) int { return s.pairs }, func(ctx context.Context, s *side, size sizes) (func(int) (sample, error), error) {
		return firstSync(ctx, s, "long", func(dir string) error { return writeLong(dir, size.documents) })
	}},
	{"search", quick, func(ctx context.Context, s *side, size sizes) (func(int) (sample, error), error) {
		dir, db, err := synced(ctx, s, "search", size)
		return func(int) (sample, error) {
			return s.process(ctx, db, "search", "--quiet", "--in", dir, question(1))
		}, err
	}},
	{"put", quick, func(ctx context.Context, s *side, size sizes) (func(int) (sample, error), error) {
		dir, db, err := synced(ctx, s, "put", size)
		return func(turn int) (sample, error) {
			text := fmt.Sprintf("# A page %d\n\nWith a few words, and a link to [[%s]].\n", turn, noteName(turn))
			return s.process(ctx, db, "put", "--quiet", "--in", dir, fmt.Sprintf("new/page-%d", turn), text)
		}, err
	}},
	{"recall", quick, func(ctx context.Context, s *side, size sizes) (func(int) (sample, error), error) {
		_, db, err := synced(ctx, s, "recall", size)
		questions := make([]string, size.questions)
		for i := range questions {
			questions[i] = question(i)
		}
		return func(int) (sample, error) { return s.recalls(ctx, db, questions) }, err
	}},
}

func quick(s sizes) int { return s.quick }

// firstSync syncs a directory into a database that does not exist yet.
func firstSync(ctx context.Context, s *side, name string, write func(dir string) error) (func(int) (sample, error), error) {
	dir, data := filepath.Join(s.dir, name), filepath.Join(s.dir, name+"-data")
	if err := write(dir); err != nil {
		return nil, err
	}
	return func(int) (sample, error) {
		if err := os.RemoveAll(data); err != nil {
			return sample{}, err
		}
		return s.process(ctx, filepath.Join(data, "memory.db"), "sync", "--quiet", "--in", dir)
	}, nil
}

// synced makes a directory of notes that a database knows.
func synced(ctx context.Context, s *side, name string, size sizes) (dir, db string, err error) {
	dir, db = filepath.Join(s.dir, name), filepath.Join(s.dir, name+"-data", "memory.db")
	if err := writeNotes(dir, size.notes); err != nil {
		return "", "", err
	}
	if _, err := s.process(ctx, db, "space", "add", dir, "--name", "vault", "--quiet"); err != nil {
		return "", "", err
	}
	_, err = s.process(ctx, db, "sync", "--space", "vault", "--quiet")
	return dir, db, err
}
