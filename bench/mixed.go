package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store/postgres/pgtest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

const (
	// mixedVectors is how many vectors a page of 300 words has.
	mixedVectors = 2
	// mixedCalls are made for each query of the other measurements.
	mixedCalls = 4
	// mixedProcesses share a memory where it has no server.
	mixedProcesses = 8
)

// measureMixed measures clients of MCP that read, search and edit the pages of one large memory
// at once: in a file and in a PostgreSQL server, by one server and by eight processes.
func measureMixed(ctx context.Context, c *setup, r *report) (err error) {
	server, err := startPostgres(r, "-c", "max_connections=300", "-c", "shared_buffers=512MB", "-c", "max_wal_size=1GB")
	if server == nil || err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	file, where := filepath.Join(c.temp, "mixed.db"), server.URL("mixed")
	if err := c.seedMixed(ctx, file); err != nil {
		return err
	}
	copied, err := process(ctx, c, file, c.bin, "db", "copy", file, where, "-q")
	if err != nil {
		return err
	}
	r.section(fmt.Sprintf("%d pages of %d words with %d vectors: clients that search, read and edit", c.notes, wordsPerNote, mixedVectors*c.notes))
	r.linef("Of 20 calls 9 search by words, 3 by words and meaning, 5 read a page, and 3 append a line to one. `cairn db copy` of the file took %s.\n", short(copied.wall))
	r.linef("| memory | through | clients | calls/s | p50 | p95 | p99 | edit p50 | edit p95 | failed | CPU of cairn, a call | CPU of the server | memory of cairn | of the server | bytes an edit |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
	var failed []string
	for _, m := range []mixed{{db: file}, {db: file, processes: mixedProcesses}, {db: where, server: server}, {db: where, server: server, processes: mixedProcesses}} {
		m.setup = c
		text, err := m.measure(ctx, r)
		if err != nil {
			return err
		}
		failed = append(failed, text...)
	}
	for _, text := range failed {
		r.linef("\nA call failed: %s", text)
	}
	return r.err
}

// seedMixed makes the memory in a file.
func (c *setup) seedMixed(ctx context.Context, file string) (err error) {
	if _, err := process(ctx, c, file, c.bin, "config", "set", "embed", "off", "-q"); err != nil {
		return err
	}
	a, err := open(ctx, c, file)
	if err != nil {
		return err
	}
	_, err = gitsync.AddSpace(ctx, a, space.AddRequest{Name: databaseSpace, Database: true})
	if err == nil {
		err = seedPages(ctx, a, newLexicon(rand.New(rand.NewSource(seed))), c.notes)
	}
	if err := errors.Join(err, a.Close()); err != nil {
		return err
	}
	version, err := vectorVersion(ctx, c, file, databaseSpace+":old/"+nameOf(0))
	if err == nil {
		_, err = fillVectors(ctx, c, file, version, mixedVectors)
	}
	return err
}

// mixed is a memory and how its clients reach it.
type mixed struct {
	*setup
	db        string
	server    *pgtest.Server // nil for a file
	processes int            // of cairn mcp; 0 for one cairn serve

	pids  []int
	join  func(client int) (session, error)
	close func() error
}

func (m *mixed) start(ctx context.Context) error {
	if m.processes == 0 {
		s, err := serve(ctx, m.setup, m.db)
		if err != nil {
			return err
		}
		m.pids, m.close = []int{s.cmd.Process.Pid}, s.close
		m.join = func(int) (session, error) { return s.connect(ctx) }
		return nil
	}
	var all []*shared
	m.close = func() error {
		var errs []error
		for _, s := range all {
			errs = append(errs, s.close())
		}
		return errors.Join(errs...)
	}
	for range m.processes {
		s, err := connectStreams(ctx, m.setup, m.db)
		if err != nil {
			return errors.Join(err, m.close())
		}
		all, m.pids = append(all, together(s)), append(m.pids, s.cmd.Process.Pid)
	}
	m.join = func(client int) (session, error) { return all[client%len(all)], nil }
	return nil
}

// measure writes a row for each number of clients, and returns an error of each.
func (m *mixed) measure(ctx context.Context, r *report) (failed []string, err error) {
	if err := m.start(ctx); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.close()) }()
	memory, through := "file", "one server"
	if m.server != nil {
		memory = "PostgreSQL"
	}
	if m.processes > 0 {
		through = fmt.Sprintf("%d processes", m.processes)
	}
	for _, n := range []int{1, 8, serversClients} {
		each := max(mixedCalls*m.queries/n, 1)
		clients := make([]session, n)
		for i := range clients {
			if clients[i], err = m.join(i); err != nil {
				return nil, err
			}
		}
		if n == 1 { // each process loads the model and the vectors
			for i := range max(m.processes, 1) {
				s, err := m.join(i)
				if err != nil {
					return nil, err
				}
				if err := call(s, "recall", map[string]any{"query": "keepers of the lighthouse", "space": databaseSpace}); err != nil {
					return nil, err
				}
			}
		}
		before, err := m.usage()
		if err != nil {
			return nil, err
		}
		begin := time.Now()
		all, edits, wrong, one := m.run(clients, each)
		wall := time.Since(begin)
		after, err := m.usage()
		if err != nil {
			return nil, err
		}
		if one != nil {
			failed = append(failed, fmt.Sprintf("%s, %s, %d clients: %v", memory, through, n, one))
		}
		calls := time.Duration(max(len(all), 1))
		of, store := "–", "–"
		if m.server != nil {
			of, store = short((after.server-before.server)/calls), mebibytes(after.serverMemory)
		}
		r.linef("| %s | %s | %d | %.0f | %s | %s | %s | %s | %s | %d | %s | %s | %s | %s | %d |", memory, through, n, float64(len(all))/wall.Seconds(),
			short(percentile(all, 50)), short(percentile(all, 95)), short(percentile(all, 99)), short(percentile(edits, 50)), short(percentile(edits, 95)),
			wrong, short((after.cpu-before.cpu)/calls), of, mebibytes(after.memory), store, (after.written-before.written)/int64(max(len(edits), 1)))
	}
	return failed, nil
}

func mebibytes(n int64) string { return fmt.Sprintf("%d MiB", n>>20) }

// run has all clients call, one call after the other, and returns how long all calls and the
// edits took.
func (m *mixed) run(clients []session, each int) (took, edits []time.Duration, failed int, err error) {
	var (
		mu   sync.Mutex
		done sync.WaitGroup
	)
	for i, s := range clients {
		done.Go(func() {
			random := rand.New(rand.NewSource(int64(len(clients)*1000 + i)))
			words := newLexicon(rand.New(rand.NewSource(seed)))
			words.zipf = rand.NewZipf(random, zipfExponent, zipfOffset, vocabulary-1)
			for k := range each {
				tool, args := m.draw(random, words, fmt.Sprintf("%d %d %d", len(clients), i, k))
				t, e := timed(func() error { return call(s, tool, args) })
				mu.Lock()
				took = append(took, t)
				if tool == "edit" {
					edits = append(edits, t)
				}
				if e != nil {
					failed, err = failed+1, e
				}
				mu.Unlock()
			}
		})
	}
	done.Wait()
	return took, edits, failed, err
}

// draw is a call of a client.
func (m *mixed) draw(random *rand.Rand, words *lexicon, name string) (tool string, args map[string]any) {
	page := databaseSpace + ":old/" + nameOf(random.Intn(m.notes))
	switch n := random.Intn(20); {
	case n < 9:
		return "recall", map[string]any{"query": strings.Join(words.distinct(2), " "), "mode": "fts", "space": databaseSpace, "limit": 5}
	case n < 12:
		return "recall", map[string]any{"query": strings.Join(words.distinct(queryWords), " "), "space": databaseSpace, "limit": 5}
	case n < 17:
		return "read", map[string]any{"ref": page}
	}
	return "edit", map[string]any{"ref": page, "edits": []map[string]any{{"do": "append", "text": "\nSeen by client " + name + ".\n"}}}
}

// usage is what the processes have used so far.
type usage struct {
	cpu, server          time.Duration
	memory, serverMemory int64 // at present
	written              int64 // bytes of WAL, or of a file and its WAL
}

var writtenLine = regexp.MustCompile(`(?m)^write_bytes: (\d+)$`)

func (m *mixed) usage() (u usage, err error) {
	for _, pid := range m.pids {
		cpu, err := cpuOfProcess(pid)
		if err != nil {
			return u, err
		}
		resident, err := residentOf(pid)
		if err != nil {
			return u, err
		}
		io, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return u, err
		}
		u.cpu, u.memory = u.cpu+cpu, u.memory+resident.own
		if found := writtenLine.FindSubmatch(io); found != nil && m.server == nil {
			n, err := strconv.ParseInt(string(found[1]), 10, 64)
			if err != nil {
				return u, err
			}
			u.written += n
		}
	}
	if m.server == nil {
		return u, nil
	}
	if u.server, err = serverTime(m.server); err != nil {
		return u, err
	}
	wal, err := sql(m.server, "SELECT wal_bytes FROM pg_stat_wal")
	if err != nil {
		return u, err
	}
	if u.written, err = strconv.ParseInt(wal, 10, 64); err != nil {
		return u, err
	}
	out, err := m.server.Script(`p=$(head -1 data/postmaster.pid); for q in $p $(pgrep -P $p); do cat /proc/$q/smaps_rollup 2>&-; done | awk '/^Pss:/ {n+=$2} END {print n+0}'`)
	if err != nil {
		return u, fmt.Errorf("%w: %s", err, out)
	}
	kib, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	u.serverMemory = kib << 10
	return u, err
}

// cpuOfProcess is the processor time of a process that runs.
func cpuOfProcess(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	var ticks int64
	for _, field := range fields[11:13] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * tick, nil
}

// shared is a session with a process of cairn mcp in which several clients call at once.
type shared struct {
	s     *overStreams
	mu    sync.Mutex
	waits map[int]chan []byte // by the number of the request
	ended error
}

func together(s *overStreams) *shared {
	h := &shared{s: s, waits: map[int]chan []byte{}}
	go h.read(s.out)
	return h
}

// read hands the answers to those who wait.
func (h *shared) read(from *bufio.Reader) {
	for {
		line, err := from.ReadBytes('\n')
		var head struct {
			ID int `json:"id"`
		}
		if err == nil {
			err = json.Unmarshal(line, &head)
		}
		h.mu.Lock()
		if err != nil {
			h.ended = err
			for _, wait := range h.waits {
				close(wait)
			}
			h.mu.Unlock()
			return
		}
		if wait := h.waits[head.ID]; wait != nil {
			wait <- line
			delete(h.waits, head.ID)
		}
		h.mu.Unlock()
	}
}

func (h *shared) ask(method, params string) error {
	wait := make(chan []byte, 1)
	h.mu.Lock()
	if h.ended != nil {
		h.mu.Unlock()
		return h.ended
	}
	h.s.id++
	h.waits[h.s.id] = wait
	_, err := fmt.Fprintf(h.s.in, request+"\n", h.s.id, method, params)
	h.mu.Unlock()
	if err != nil {
		return err
	}
	line, ok := <-wait
	if !ok {
		return errors.New("the process ended")
	}
	return refused(method, line)
}

func (h *shared) close() error { return h.s.close() }
