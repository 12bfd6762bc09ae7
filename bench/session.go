package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"
)

// session is a client's session with a server of MCP.
type session interface {
	ask(method, params string) error
	close() error
}

// call uses a tool.
func call(s session, tool string, args map[string]any) error {
	text, err := json.Marshal(map[string]any{"name": tool, "arguments": args})
	if err != nil {
		return err
	}
	return s.ask("tools/call", string(text))
}

const (
	hello   = `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`
	ready   = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	request = `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`
)

// refused is the error of an answer that says that the request failed.
func refused(method string, answer []byte) error {
	if bytes.Contains(answer, []byte(`"isError":true`)) || bytes.Contains(answer, []byte(`"error":{"code":-`)) {
		return fmt.Errorf("%s: %s", method, strings.TrimSpace(string(answer)))
	}
	return nil
}

// overStreams is a session with a process of cairn mcp.
type overStreams struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	id  int
}

func connectStreams(ctx context.Context, c *setup, db string) (*overStreams, error) {
	cmd := command(ctx, c, db, c.bin, "mcp")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s := &overStreams{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<20)}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	err = s.ask("initialize", hello)
	if err == nil {
		_, err = io.WriteString(in, ready+"\n")
	}
	return s, err
}

// ask sends a request and waits for its answer, which must be none that it
// failed.
func (s *overStreams) ask(method, params string) error {
	s.id++
	if _, err := fmt.Fprintf(s.in, request+"\n", s.id, method, params); err != nil {
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
		return refused(method, line)
	}
}

func (s *overStreams) close() error { return errors.Join(s.in.Close(), s.cmd.Wait()) }

// cpu is the processor time of the process, once it is closed.
func (s *overStreams) cpu() time.Duration { return used(s.cmd) }

func used(cmd *exec.Cmd) time.Duration {
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// server is a process of cairn serve --http.
type server struct {
	cmd   *exec.Cmd
	mcp   string
	token string
	http  *http.Client
}

func serve(ctx context.Context, c *setup, db string) (*server, error) {
	cmd := command(ctx, c, db, c.bin, "serve", "--http", "--listen", "127.0.0.1:0", "--json")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{cmd: cmd, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: serversClients}}}
	lines := bufio.NewScanner(out)
	for s.mcp == "" && lines.Scan() {
		var line struct {
			Event string `json:"event"`
			MCP   string `json:"mcp"`
			Token string `json:"token_file"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return nil, errors.Join(err, s.close())
		}
		if line.Event != "listening" {
			continue
		}
		token, err := os.ReadFile(line.Token)
		if err != nil {
			return nil, errors.Join(err, s.close())
		}
		s.mcp, s.token = line.MCP, strings.TrimSpace(string(token))
	}
	if s.mcp == "" {
		return nil, errors.Join(errors.New("the server did not say where it listens"), lines.Err(), s.close())
	}
	go func() {
		for lines.Scan() { // what it reports later must not fill the pipe
		}
	}()
	return s, nil
}

// close stops the server as Ctrl-C does.
func (s *server) close() error {
	return errors.Join(s.cmd.Process.Signal(os.Interrupt), s.cmd.Wait())
}

// overHTTP is a session with a server.
type overHTTP struct {
	*server
	ctx context.Context
	key string // names the session
	id  int
}

func (s *server) connect(ctx context.Context) (*overHTTP, error) {
	h := &overHTTP{server: s, ctx: ctx}
	if err := h.ask("initialize", hello); err != nil {
		return nil, err
	}
	_, err := h.post(ready)
	return h, err
}

func (h *overHTTP) ask(method, params string) error {
	h.id++
	answer, err := h.post(fmt.Sprintf(request, h.id, method, params))
	if err != nil {
		return err
	}
	if !bytes.Contains(answer, fmt.Appendf(nil, `"id":%d,`, h.id)) {
		return fmt.Errorf("%s was not answered: %s", method, answer)
	}
	return refused(method, answer)
}

func (h *overHTTP) post(body string) ([]byte, error) {
	req, err := http.NewRequestWithContext(h.ctx, http.MethodPost, h.mcp, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+h.token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if h.key != "" {
		req.Header.Set("Mcp-Session-Id", h.key)
		req.Header.Set("Mcp-Protocol-Version", "2025-06-18")
	}
	res, err := h.http.Do(req)
	if err != nil {
		return nil, err
	}
	answer, err := io.ReadAll(res.Body)
	if cerr := res.Body.Close(); err == nil {
		err = cerr
	}
	if err == nil && res.StatusCode >= http.StatusMultipleChoices {
		err = fmt.Errorf("%s: %s", res.Status, answer)
	}
	if key := res.Header.Get("Mcp-Session-Id"); key != "" {
		h.key = key
	}
	return answer, err
}
