package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/cairn-kb/cairn/internal/memory/retrieve"
)

// measureToolTokens counts what the tools of cairn mcp, and of the servers whose
// commands are given, cost an agent before it calls any.
func measureToolTokens(ctx context.Context, c *setup, r *report) error {
	r.section("Tokens of the list of tools")
	r.linef("| server | tools | names, descriptions, input schemas | with output schemas | instructions |\n|---|---|---|---|---|")
	cairn := []string{c.bin + " mcp", c.bin + " mcp --toolsets all"}
	for _, line := range append(cairn, c.servers...) {
		words := strings.Fields(line)
		if len(words) == 0 {
			return errors.New("a server has no command")
		}
		cmd := command(ctx, c, filepath.Join(c.temp, "tools.db"), words[0], words[1:]...)
		list, err := toolList(cmd)
		if err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
		in, all := list.tokens()
		name := strings.Join(append([]string{filepath.Base(words[0])}, words[1:]...), " ")
		r.linef("| `%s` | %d | %d | %d | %d |", name, len(list.tools), in, all, retrieve.CountTokens(list.instructions))
	}
	return nil
}

// tool is what a server says of one. The schemas are as it sent them.
type tool struct {
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema"`
}

type tools struct {
	tools        []tool
	instructions string
}

// tokens counts as cairn tools-json does: what a model is shown, and that with
// the schemas of the answers, which some clients show, too.
func (t tools) tokens() (in, all int) {
	var shown, answers strings.Builder
	for _, x := range t.tools {
		shown.WriteString(x.Name + " " + x.Description)
		shown.Write(x.InputSchema)
		answers.Write(x.OutputSchema)
	}
	in = retrieve.CountTokens(shown.String())
	return in, in + retrieve.CountTokens(answers.String())
}

// toolList asks a server over its standard streams, and ends it.
func toolList(cmd *exec.Cmd) (list tools, err error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return list, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return list, err
	}
	if err := cmd.Start(); err != nil {
		return list, err
	}
	defer func() {
		// Some servers do not end with their input, nor well.
		_ = in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	answers := json.NewDecoder(out)
	var greeting struct{ Instructions string }
	if err := exchange(in, answers, 1, "initialize", hello, &greeting); err != nil {
		return list, err
	}
	list.instructions = greeting.Instructions
	if _, err := io.WriteString(in, ready+"\n"); err != nil {
		return list, err
	}
	for params := "{}"; ; {
		var page struct {
			Tools      []tool
			NextCursor string
		}
		if err := exchange(in, answers, len(list.tools)+2, "tools/list", params, &page); err != nil {
			return list, err
		}
		list.tools = append(list.tools, page.Tools...)
		if page.NextCursor == "" {
			return list, nil
		}
		if len(page.Tools) == 0 {
			return list, errors.New("a page of the list of tools is empty, and not the last")
		}
		params = fmt.Sprintf(`{"cursor":%q}`, page.NextCursor)
	}
}

// exchange sends a request and reads its answer, past whatever else comes.
func exchange(in io.Writer, answers *json.Decoder, id int, method, params string, result any) error {
	if _, err := fmt.Fprintf(in, request+"\n", id, method, params); err != nil {
		return err
	}
	for {
		var m struct {
			ID     json.RawMessage
			Method string // of what the server asks or tells
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := answers.Decode(&m); err != nil {
			return fmt.Errorf("%s is not answered: %w", method, err)
		}
		switch {
		case m.Method != "" || string(m.ID) != fmt.Sprint(id):
			continue
		case m.Error != nil:
			return fmt.Errorf("%s: %s", method, m.Error)
		}
		return json.Unmarshal(m.Result, result)
	}
}
