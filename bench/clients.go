package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
)

// way is how clients reach a memory: sessions or calls, and the processor time
// of the processes that served them, once those are closed; 0 where it cannot
// be told from the clients'.
type way struct {
	name  string
	open  func() (write []func(space, slug string) error, err error)
	close func() (cpu time.Duration, err error)
}

// measureClients measures how many durable writes a second clients make that
// write at once, each one page after the other.
func measureClients(ctx context.Context, c *setup, r *report) error {
	r.linef("\n%d clients writing new pages at once, %d each; the CPU is of the processes that serve them, their starts included\n", c.clients, c.puts/10)
	r.linef("| through | space | durable writes/s | CPU a write | aim |\n|---|---|---|---|---|")
	for i, open := range []func(ctx context.Context, c *setup, db string) *way{inProcess, oneServer, manyProcesses} {
		for _, space := range []string{databaseSpace, directorySpace} {
			db, err := agentMemory(ctx, c, fmt.Sprintf("clients-%d-%s", i, space))
			if err != nil {
				return err
			}
			w := open(ctx, c, db)
			rate, cpu, err := w.measure(space, c.puts/10)
			if err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
			aim := ""
			if space == databaseSpace {
				aim = "1,000"
			}
			r.linef("| %s | %s | %.0f | %s | %s |", w.name, kind(space), rate, cpuOf(cpu), aim)
		}
	}
	return nil
}

func kind(space string) string {
	if space == databaseSpace {
		return "database"
	}
	return "directory"
}

func cpuOf(d time.Duration) string {
	if d == 0 {
		return "–"
	}
	return short(d)
}

// measure lets all clients write at once.
func (w *way) measure(space string, each int) (rate float64, cpu time.Duration, err error) {
	write, err := w.open()
	if err != nil {
		return 0, 0, err
	}
	errs := make([]error, len(write))
	begin := time.Now()
	var all sync.WaitGroup
	for i, f := range write {
		all.Go(func() {
			for j := range each {
				if errs[i] = f(space, fmt.Sprintf("client-%d/page-%d-%d", i, i, j)); errs[i] != nil {
					return
				}
			}
		})
	}
	all.Wait()
	took := time.Since(begin)
	cpu, err = w.close()
	n := len(write) * each
	return float64(n) / took.Seconds(), cpu / time.Duration(n), errors.Join(append(errs, err)...)
}

// inProcess are clients within this process, as what the surfaces have in
// common.
func inProcess(ctx context.Context, c *setup, db string) *way {
	var a *memory.Session
	return &way{
		name: "one process, no protocol",
		open: func() (write []func(space, slug string) error, err error) {
			if a, err = open(ctx, c, db); err != nil {
				return nil, err
			}
			for range c.clients {
				write = append(write, func(space, slug string) error {
					_, err := change.Put(ctx, a, change.PutRequest{Ref: space + ":" + slug, Text: []byte(noteText)})
					return err
				})
			}
			return write, nil
		},
		close: func() (time.Duration, error) { return 0, a.Close() },
	}
}

// oneServer are sessions of MCP with one cairn serve --http.
func oneServer(ctx context.Context, c *setup, db string) *way {
	var s *server
	return &way{
		name: "one server, MCP over HTTP",
		open: func() (write []func(space, slug string) error, err error) {
			if s, err = serve(ctx, c, db); err != nil {
				return nil, err
			}
			for range c.clients {
				h, err := s.connect(ctx)
				if err != nil {
					return nil, errors.Join(err, s.close())
				}
				write = append(write, func(space, slug string) error { return writePage(h, space, slug) })
			}
			return write, nil
		},
		close: func() (time.Duration, error) {
			err := s.close()
			return used(s.cmd), err
		},
	}
}

// manyProcesses are sessions with a process of cairn mcp each.
func manyProcesses(ctx context.Context, c *setup, db string) *way {
	var all []*overStreams
	return &way{
		name: fmt.Sprintf("%d processes, MCP over streams", c.clients),
		open: func() (write []func(space, slug string) error, err error) {
			for range c.clients {
				s, err := connectStreams(ctx, c, db)
				if err != nil {
					return nil, err
				}
				all = append(all, s)
				write = append(write, func(space, slug string) error { return writePage(s, space, slug) })
			}
			return write, nil
		},
		close: func() (cpu time.Duration, err error) {
			for _, s := range all {
				err = errors.Join(err, s.close())
				cpu += s.cpu()
			}
			return cpu, err
		},
	}
}
