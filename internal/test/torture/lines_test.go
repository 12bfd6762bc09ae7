package torture

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// talker is a cairn that is asked by lines and answers by lines: cairn pipe,
// or cairn mcp. Several may ask at once.
type talker struct {
	t     *testing.T
	cmd   *exec.Cmd
	mcp   bool
	says  bytes.Buffer // its complaints
	ended chan struct{}

	mu      sync.Mutex
	in      io.WriteCloser
	next    int
	waiting map[int]chan json.RawMessage
	over    bool
}

// talk starts "pipe" or "mcp", which is killed at the end of the test unless
// it has ended.
func talk(t *testing.T, home, actor, what string) *talker {
	t.Helper()
	args := []string{what}
	if what == "mcp" {
		args = append(args, "--toolsets", "all")
	}
	c := &talker{t: t, mcp: what == "mcp", ended: make(chan struct{}), waiting: map[int]chan json.RawMessage{}}
	c.cmd = newCommands(t, home, actor).command(args...)
	if c.mcp { // with --space it would serve that space alone
		c.cmd.Args = slices.DeleteFunc(c.cmd.Args, func(arg string) bool { return arg == "--space" || arg == "notes" })
	}
	c.cmd.Stderr = &c.says
	out := apptest.OK(c.cmd.StdoutPipe())(t)
	c.in = apptest.OK(c.cmd.StdinPipe())(t)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go c.listen(out)
	t.Cleanup(func() { _ = c.kill() })
	if c.mcp {
		var hello any
		if err := c.ask("initialize", map[string]any{
			"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": actor, "version": "1"},
		}, &hello); err != nil {
			t.Fatal(err)
		}
		c.line([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	}
	return c
}

// listen hands answers on until there are no more.
func (c *talker) listen(out io.Reader) {
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break // a part of a line is no answer
		}
		var answer struct{ ID json.RawMessage }
		if jerr := json.Unmarshal(line, &answer); jerr != nil {
			c.t.Errorf("it said %.200q: %v", line, jerr)
		}
		id, err := strconv.Atoi(string(answer.ID))
		c.mu.Lock()
		if w := c.waiting[id]; err == nil && w != nil {
			w <- line
			delete(c.waiting, id)
		}
		c.mu.Unlock()
	}
	c.mu.Lock()
	c.over = true
	for _, w := range c.waiting {
		close(w)
	}
	c.mu.Unlock()
	close(c.ended)
}

// line sends one line; that nobody reads it any more shows in the answers.
func (c *talker) line(text []byte) {
	_, _ = c.in.Write(append(text, '\n'))
}

// send asks without waiting. The channel gets the answer, or is closed when
// there will be none.
func (c *talker) send(method string, params any) <-chan json.RawMessage {
	c.t.Helper()
	answer := make(chan json.RawMessage, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next++
	msg := map[string]any{"id": c.next, "tool": method, "input": params}
	if c.mcp {
		if method != "initialize" {
			method, params = "tools/call", map[string]any{"name": method, "arguments": params}
		}
		msg = map[string]any{"jsonrpc": "2.0", "id": c.next, "method": method, "params": params}
	}
	text, err := json.Marshal(msg)
	if err != nil {
		c.t.Error(err)
	}
	if c.over {
		close(answer)
		return answer
	}
	c.waiting[c.next] = answer
	c.line(text)
	return answer
}

// ask asks and reads the answer into v.
func (c *talker) ask(method string, params, v any) error {
	line, open := <-c.send(method, params)
	if !open {
		return errKilled
	}
	return c.read(line, v)
}

func (c *talker) read(line json.RawMessage, v any) error {
	type failure struct{ Error *kb.Error }
	var pipe struct {
		failure
		Output json.RawMessage
		Result struct {
			StructuredContent json.RawMessage
			Content           []struct{ Text string }
			IsError           bool
		}
	}
	if err := json.Unmarshal(line, &pipe); err != nil {
		return fmt.Errorf("%w in %.200q", err, line)
	}
	switch {
	case pipe.Error != nil:
		return pipe.Error
	case pipe.Result.IsError:
		var f failure
		if err := json.Unmarshal([]byte(pipe.Result.Content[0].Text), &f); err != nil {
			return fmt.Errorf("%w in %.200q", err, line)
		}
		return f.Error
	case !c.mcp:
		return json.Unmarshal(pipe.Output, v)
	case pipe.Result.StructuredContent != nil:
		return json.Unmarshal(pipe.Result.StructuredContent, v)
	}
	return nil // initialize
}

func (c *talker) kill() error {
	if err := c.cmd.Process.Kill(); err != nil && c.cmd.ProcessState == nil {
		return err
	}
	<-c.ended
	_ = c.cmd.Wait() // killed, so always an error
	return nil
}

// finish closes its standard input and awaits its end.
func (c *talker) finish() error {
	err := c.in.Close()
	<-c.ended
	return errors.Join(err, c.cmd.Wait())
}

func (c *talker) write(tool string, opts api.WriteOptions, input map[string]any) (w api.Written, err error) {
	if opts.Expected != nil {
		input["expected_version"] = *opts.Expected
	}
	err = c.ask(tool, input, &w)
	return w, err
}

func (c *talker) Put(_ context.Context, req change.PutRequest) (api.Written, error) {
	if req.Overwrite {
		return api.Written{}, errors.New("no tool overwrites without an expected version")
	}
	return c.write("write", req.WriteOptions, map[string]any{"ref": req.Ref, "text": string(req.Text)})
}

func (c *talker) Edit(_ context.Context, req change.EditRequest) (api.Written, error) {
	var edits []any
	for _, e := range req.Edits {
		switch e := e.(type) {
		case doc.SetProperty:
			edits = append(edits, map[string]any{"do": "set", "key": e.Key, "text": e.Value})
		case doc.Append:
			edits = append(edits, map[string]any{"do": "append", "text": e.Text})
		default:
			return api.Written{}, fmt.Errorf("no tool for %T", e)
		}
	}
	return c.write("edit", req.WriteOptions, map[string]any{"ref": req.Ref, "edits": edits})
}

func (c *talker) EditText(ctx context.Context, req change.EditTextRequest) (api.Written, error) {
	return c.Put(ctx, change.PutRequest{WriteOptions: req.WriteOptions, Ref: req.Ref, Text: req.Text})
}

func (c *talker) Move(_ context.Context, req change.MoveRequest) (api.Written, error) {
	return c.write("move", req.WriteOptions, map[string]any{"ref": req.Ref, "to": req.To})
}

func (c *talker) Delete(_ context.Context, req change.DeleteRequest) (api.Written, error) {
	return c.write("delete", req.WriteOptions, map[string]any{"ref": req.Ref})
}

func (c *talker) Undo(_ context.Context, req history.UndoRequest) (api.Written, error) {
	return c.write("undo", req.WriteOptions, map[string]any{"write": req.Write})
}

func (c *talker) Get(_ context.Context, req read.GetRequest) (page api.Text, err error) {
	err = c.ask("read", map[string]any{"ref": req.Ref, "budget": 200_000}, &page)
	page.Bytes = []byte(page.Text)
	return page, err
}

func (c *talker) Sync(context.Context, gitsync.SyncRequest) ([]api.SyncReport, error) {
	var list api.List[api.SyncReport]
	err := c.ask("sync", map[string]any{}, &list)
	return list.Items, err
}
