package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// writers is how many clients write at once.
const writers = 32

// measureAgents measures what an agent's client sees of cairn mcp: the start to
// the list of tools, questions over the first vault, and writes, one after the
// other and by many clients at once, each a process of its own.
func measureAgents(ctx context.Context, c *config, r *report) error {
	db := filepath.Join(c.temp, "agents", "memory.db")
	if err := os.MkdirAll(filepath.Dir(db), 0o700); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"init", "-q"}, {"space", "add", "--database", "--name", "pages", "-q"},
		{"space", "add", c.vaults[0], "--name", "vault", "-q"}, {"sync", "--space", "vault", "-q"},
	} {
		if _, err := process(ctx, c, db, c.bin, args...); err != nil {
			return err
		}
	}
	rows := []latency{
		{name: "start to the list of tools", aim: "p50 25 ms"},
		{name: "recall, warm"},
		{name: "remember, one after the other"},
	}
	for range c.quick {
		begin := time.Now()
		s, err := connectAgent(ctx, c, db)
		if err != nil {
			return err
		}
		err = s.ask("tools/list", `{}`)
		rows[0].took = append(rows[0].took, time.Since(begin))
		if err := errors.Join(err, s.close()); err != nil {
			return err
		}
	}
	if err := sequential(ctx, c, db, rows[1:]); err != nil {
		return err
	}
	rate, err := together(ctx, c, db)
	if err != nil {
		return err
	}
	r.section("Agents over standard streams, on " + filepath.Base(c.vaults[0]))
	r.linef("| operation | n | p50 | p95 | aim |\n|---|---|---|---|---|")
	for _, x := range rows {
		r.linef("| %s | %d | %s | %s | %s |", x.name, len(x.took), short(percentile(x.took, 50)), short(percentile(x.took, 95)), x.aim)
	}
	r.linef("\n%d clients writing at once, %d pages each: %.0f durable writes/s (aim 1,000)", writers, c.puts/10, rate)
	return nil
}

// sequential asks and writes in one session.
func sequential(ctx context.Context, c *config, db string, rows []latency) error {
	s, err := connectAgent(ctx, c, db)
	if err != nil {
		return err
	}
	questions := []string{"how are exceptions caught", "thread local storage", "iterator invalidation", "linker warning"}
	for i := range c.queries + 1 {
		took, err := timed(func() error {
			return s.call("recall", map[string]any{"query": questions[i%len(questions)], "space": "vault"})
		})
		if err != nil {
			return errors.Join(err, s.close())
		}
		if i > 0 { // the first loads the model
			rows[0].took = append(rows[0].took, took)
		}
	}
	for i := range min(c.puts, 100) {
		took, err := timed(func() error { return s.remember(fmt.Sprintf("One after the other %d", i)) })
		if err != nil {
			return errors.Join(err, s.close())
		}
		rows[1].took = append(rows[1].took, took)
	}
	return s.close()
}

// together returns how many writes a second many clients make.
func together(ctx context.Context, c *config, db string) (rate float64, err error) {
	sessions := make([]*agent, writers)
	for i := range sessions {
		if sessions[i], err = connectAgent(ctx, c, db); err != nil {
			return 0, err
		}
	}
	each := c.puts / 10
	errs := make([]error, writers)
	begin := time.Now()
	var all sync.WaitGroup
	for i, s := range sessions {
		all.Go(func() {
			for j := range each {
				errs[i] = errors.Join(errs[i], s.remember(fmt.Sprintf("Client %d, page %d", i, j)))
			}
		})
	}
	all.Wait()
	took := time.Since(begin)
	for _, s := range sessions {
		errs = append(errs, s.close())
	}
	return float64(writers*each) / took.Seconds(), errors.Join(errs...)
}

// agent is a client's session with a process of cairn mcp.
type agent struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	id  int
}

func connectAgent(ctx context.Context, c *config, db string) (*agent, error) {
	cmd := exec.CommandContext(ctx, c.bin, "mcp")
	cmd.Dir = c.temp
	cmd.Env = append(os.Environ(), "HOME="+c.temp, "CAIRN_DB="+db)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s := &agent{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<20)}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	err = s.ask("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`)
	if err == nil {
		_, err = io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	}
	return s, err
}

// ask sends a request and waits for its answer, which must be none that it
// failed.
func (s *agent) ask(method, params string) error {
	s.id++
	if _, err := fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", s.id, method, params); err != nil {
		return err
	}
	for {
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			return err
		}
		if !bytes.Contains(line, fmt.Appendf(nil, `"id":%d,`, s.id)) {
			continue // a notification
		}
		if bytes.Contains(line, []byte(`"isError":true`)) || bytes.Contains(line, []byte(`"error":{"code":-`)) {
			return fmt.Errorf("%s: %s", method, strings.TrimSpace(string(line)))
		}
		return nil
	}
}

func (s *agent) call(tool string, args map[string]any) error {
	text, err := json.Marshal(map[string]any{"name": tool, "arguments": args})
	if err != nil {
		return err
	}
	return s.ask("tools/call", string(text))
}

func (s *agent) remember(title string) error {
	return s.call("remember", map[string]any{"text": "A note of an agent, with a few words.", "title": title, "space": "pages"})
}

func (s *agent) close() error { return errors.Join(s.in.Close(), s.cmd.Wait()) }
