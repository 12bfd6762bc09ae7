package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store/postgres/pgtest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// serversClients write at once, to all servers together.
const serversClients = 64

// measureServers measures clients of one and of several servers that write new pages to one
// space of a PostgreSQL memory. The servers are handles of this process that share nothing.
func measureServers(ctx context.Context, c *setup, r *report) (err error) {
	server, err := startPostgres(r, "-c", "max_connections=300", "-c", "shared_preload_libraries=pg_stat_statements")
	if server == nil || err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	if _, err := sql(server, "CREATE EXTENSION pg_stat_statements"); err != nil {
		return err
	}
	r.section(fmt.Sprintf("%d clients writing new pages to one space of %d pages, with as many writes before", serversClients, min(putVault, c.notes)))
	r.linef("| servers (0: a file) | pages | failed | durable writes/s (aim 1,000) | p50 | p95 | CPU of cairn, a write | CPU of the server | writes a commit | statements a write | wait for locks, a commit | WAL records | WAL bytes |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|")
	for _, k := range serversRows {
		if err := c.clientsOfServers(ctx, r, server, k); err != nil {
			return err
		}
	}
	return nil
}

// serversRow is what clients write, and where.
type serversRow struct {
	servers int // 0 for one, and a memory in a file
	pages   string
}

const (
	longPages  = "of 300 words with five links"
	shortPages = "notes of an agent"
	samePages  = "as the first, titles shared by all"
)

var serversRows = []serversRow{{0, longPages}, {0, shortPages}, {1, longPages}, {1, shortPages}, {4, longPages}, {4, shortPages}, {4, samePages}}

// clientsOfServers is one row.
func (c *setup) clientsOfServers(ctx context.Context, r *report, server *pgtest.Server, k serversRow) (err error) {
	where, servers := server.URL(fmt.Sprintf("s%d_%d", k.servers, len(k.pages))), max(k.servers, 1)
	if k.servers == 0 {
		where = filepath.Join(c.temp, fmt.Sprintf("servers-%d.db", len(k.pages)))
	}
	var all []*memory.Session
	for range servers {
		a, err := open(ctx, c, where)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, a.Close()) }()
		if len(all) == 0 {
			if _, err := gitsync.AddSpace(ctx, a, space.AddRequest{Name: "pages", Database: true}); err != nil {
				return err
			}
		}
		all = append(all, a)
	}
	words := newLexicon(rand.New(rand.NewSource(seed)))
	each := max(c.puts/20, 1)
	write := func(client, i int) error {
		var b bytes.Buffer
		random := rand.New(rand.NewSource(int64(client*each + i)))
		l := *words
		l.zipf = rand.NewZipf(random, zipfExponent, zipfOffset, uint64(len(l.words)-1))
		note(&b, random, &l, 2*client*each+i, putVault)
		text := b.String()
		switch k.pages {
		case shortPages:
			text = strings.Replace(noteText, "learned", "learned by "+nameOf(2*client*each+i), 1)
		case samePages:
			text = strings.Replace(text, "title: ", fmt.Sprintf("title: %s\nwas: ", nameOf(i)), 1)
		}
		_, err := change.Put(ctx, all[client%servers], change.PutRequest{Ref: fmt.Sprintf("pages:c%d/new-%d-%d", client, client, i), Text: []byte(text)})
		return err
	}
	if err := seedPages(ctx, all[0], words, min(putVault, c.notes)); err != nil {
		return err
	}
	_, _, _ = clientsWrite(each, func(client, i int) error { return write(client, each+i) }) // connections and plans
	before, err := serverCounts(server, where, k)
	if err != nil {
		return err
	}
	used, begin := cpuTime(), time.Now()
	times, wrong, _ := clientsWrite(each, write)
	wall, cpu := time.Since(begin), cpuTime()-used
	after, err := serverCounts(server, where, k)
	if err != nil {
		return err
	}
	d := after.minus(before)
	n := float64(max(len(times)-wrong, 1))
	r.linef("| %d | %s | %d | %.0f | %s | %s | %s | %s |", k.servers, k.pages, wrong, n/wall.Seconds(),
		short(percentile(times, 50)), short(percentile(times, 95)), short(cpu/time.Duration(n)), k.of(d, n))
	return nil
}

// clientsWrite has all clients write at once, one page after the other. Err is one of the errors.
func clientsWrite(each int, write func(client, i int) error) (took []time.Duration, failed int, err error) {
	var (
		mu  sync.Mutex
		all sync.WaitGroup
	)
	for client := range serversClients {
		all.Go(func() {
			for i := range each {
				t, e := timed(func() error { return write(client, i) })
				mu.Lock()
				if took = append(took, t); e != nil {
					failed, err = failed+1, e
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return took, failed, err
}

// seedPages writes pages of the space, many at once.
func seedPages(ctx context.Context, a *memory.Session, words *lexicon, n int) error {
	pages, err := a.Spaces.OpenNamed(ctx, "pages")
	if err != nil {
		return err
	}
	const atOnce = 200
	random := rand.New(rand.NewSource(seed))
	for i := 0; i < n; i += atOnce {
		var all []write.Change
		for j := i; j < min(i+atOnce, n); j++ {
			var b bytes.Buffer
			note(&b, random, words, j, n)
			all = append(all, write.Change{Space: pages, Path: "old/" + nameOf(j) + ".md", Action: write.Put{Bytes: b.Bytes()}})
		}
		if _, err := change.Apply(ctx, a, "put", api.WriteOptions{}, all); err != nil {
			return err
		}
	}
	return nil
}

// of are the columns of a server, for so many writes.
func (k serversRow) of(d counts, n float64) string {
	if k.servers == 0 {
		return "– | – | – | – | – | –"
	}
	commits := max(d.commits, 1)
	return fmt.Sprintf("%s | %.1f | %.0f | %s | %.0f | %.0f", short(d.cpu/time.Duration(n)), n/commits, d.statements/n,
		short(time.Duration(d.waited/commits*float64(time.Millisecond))), d.records/n, d.bytes/n)
}

// counts are those of a server since it began.
type counts struct {
	cpu                                         time.Duration
	commits, statements, waited, records, bytes float64
}

func (c counts) minus(o counts) counts {
	return counts{c.cpu - o.cpu, c.commits - o.commits, c.statements - o.statements, c.waited - o.waited, c.records - o.records, c.bytes - o.bytes}
}

func serverCounts(s *pgtest.Server, where string, k serversRow) (c counts, err error) {
	if k.servers == 0 {
		return c, nil
	}
	_, name, _ := strings.Cut(where, "memory=")
	out, err := sql(s, `SELECT (SELECT changes FROM cairn_`+name+`.meta), sum(calls), sum(total_exec_time) FILTER (WHERE query ~* 'pg_advisory_xact_lock'), sum(wal_records),
(SELECT wal_bytes FROM pg_stat_wal) FROM pg_stat_statements`)
	if err != nil {
		return c, err
	}
	for i, text := range strings.Split(out, "|") {
		if text == "" {
			text = "0"
		}
		if *[]*float64{&c.commits, &c.statements, &c.waited, &c.records, &c.bytes}[i], err = strconv.ParseFloat(text, 64); err != nil {
			return c, err
		}
	}
	c.cpu, err = serverTime(s)
	return c, err
}

// tick is the unit in which the system counts the time of processes.
const tick = 10 * time.Millisecond

// serverTime is the processor time of a server and of its processes.
func serverTime(s *pgtest.Server) (time.Duration, error) {
	// Fields 14 to 17 of a process are its ticks and those of children that ended.
	out, err := s.Script(`p=$(head -1 data/postmaster.pid); for q in $p $(pgrep -P $p); do cat /proc/$q/stat 2>&-; done | awk '{n+=$14+$15+$16+$17} END {print n}'`)
	if err != nil {
		return 0, fmt.Errorf("%w: %s", err, out)
	}
	ticks, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	return time.Duration(ticks) * tick, err
}

// sql runs a statement and returns what psql prints.
func sql(s *pgtest.Server, statement string) (string, error) {
	out, err := s.Script(`psql -qXAt -h "$PWD" -U cairn -d postgres -c "` + statement + `"`)
	if err != nil {
		return "", fmt.Errorf("psql: %w: %s", err, out)
	}
	return strings.TrimSpace(string(out)), nil
}
