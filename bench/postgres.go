package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store/postgres/pgtest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// startPostgres starts a server of PostgreSQL with these settings. Where it is not installed it
// reports that, and returns nil.
func startPostgres(r *report, settings ...string) (*pgtest.Server, error) {
	server, err := pgtest.New(append([]string{"-c", "jit=off"}, settings...)...)
	if pgtest.Missing(err) {
		r.section("PostgreSQL is not installed: " + pgtest.Install)
		return nil, nil
	}
	return server, err
}

// measurePostgres compares a memory in a PostgreSQL server on this machine, with fsync, with
// one in a file, operation by operation. The first line is the commit of one row by pgbench.
func measurePostgres(ctx context.Context, c *setup, r *report) (err error) {
	server, err := startPostgres(r)
	if server == nil || err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	var all []*memory.Session
	for _, where := range []string{filepath.Join(c.temp, "postgres.db"), server.URL("bench")} {
		a, err := open(ctx, c, where)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, a.Close()) }()
		if _, err := gitsync.AddSpace(ctx, a, space.AddRequest{Name: "pages", Database: true}); err != nil {
			return err
		}
		all = append(all, a)
	}
	rows := []latency{
		{name: "commit of one row, pgbench"},
		{name: "put of a new page, file"}, {name: "put of a new page, PostgreSQL", aim: "2 × pgbench"},
		{name: "replacement of a page, file"}, {name: "replacement of a page, PostgreSQL"},
		{name: "get, file"}, {name: "get, PostgreSQL"},
		{name: "search after a write, file"}, {name: "search after a write, PostgreSQL"},
		{name: "the same search, file"}, {name: "the same search, PostgreSQL", aim: "file + 1 ms"},
	}
	random := rand.New(rand.NewSource(seed))
	words := newLexicon(random)
	for i := range c.puts {
		took, err := oneRow(server)
		if err != nil {
			return err
		}
		rows[0].took = append(rows[0].took, took)
		var b bytes.Buffer
		note(&b, random, words, i, c.puts)
		query := retrieve.SearchRequest{Query: words.word()}
		for j, a := range all {
			reader := a.For(memory.Caller{Actor: kb.Actor{Kind: kb.Human, Name: "bench"}, Suggests: true})
			put := func(i int) func() error {
				return func() error {
					_, err := change.Put(ctx, a, change.PutRequest{Ref: fmt.Sprintf("pages:new/put-%04d", i), Text: b.Bytes(), Overwrite: true})
					return err
				}
			}
			search := func() error { _, err := read.Search(ctx, reader, query); return err }
			for k, f := range []func() error{
				put(i), put(random.Intn(i + 1)),
				func() error {
					_, err := read.Get(ctx, reader, read.GetRequest{Ref: fmt.Sprintf("new/put-%04d", i)})
					return err
				},
				search, search,
			} {
				took, err := timed(f)
				if err != nil {
					return err
				}
				rows[1+2*k+j].took = append(rows[1+2*k+j].took, took)
			}
		}
	}
	r.section(fmt.Sprintf("PostgreSQL beside a file, up to %d pages of %d words, one process and one client", c.puts, wordsPerNote))
	r.latencies(rows)
	return nil
}

var perTransaction = regexp.MustCompile(`latency average = ([0-9.]+) ms`)

// oneRow is how long pgbench takes to commit one row, of a few.
func oneRow(s *pgtest.Server) (time.Duration, error) {
	const script = `echo 'INSERT INTO one_row VALUES (1)' >one.sql; psql -qX -h "$PWD" -U cairn -d postgres -c 'SET client_min_messages = error; CREATE TABLE IF NOT EXISTS one_row (n bigint)'
pgbench -n -h "$PWD" -U cairn -t 10 -f one.sql postgres`
	out, err := s.Script(script)
	m := perTransaction.FindSubmatch(out)
	if err != nil || m == nil {
		return 0, fmt.Errorf("pgbench: %w: %s", err, out)
	}
	ms, err := strconv.ParseFloat(string(m[1]), 64)
	return time.Duration(ms * float64(time.Millisecond)), err
}
