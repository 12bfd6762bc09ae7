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
)

// The figures of a sample.
const (
	cpu = iota // nanoseconds
	objects
	bytesAllocated
	figures
)

// sample is the cost of one process.
type sample [figures]float64

// process runs cairn to its end with the database at db.
func (s *side) process(ctx context.Context, db string, args ...string) (sample, error) {
	cmd, stderr := s.command(ctx, db, args...)
	if err := cmd.Run(); err != nil {
		return sample{}, fmt.Errorf("%s: cairn %s: %w\n%s", s.name, strings.Join(args, " "), err, stderr)
	}
	return s.sample(cmd)
}

// command is cairn in an environment of its own.
func (s *side) command(ctx context.Context, db string, args ...string) (*exec.Cmd, *bytes.Buffer) {
	cmd := exec.CommandContext(ctx, s.bin, args...)
	cmd.Dir = s.dir
	cmd.Env = []string{
		"HOME=" + s.dir, "CAIRN_DB=" + db, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(),
		allocsVariable + "=" + s.allocs(),
	}
	stderr := &bytes.Buffer{}
	cmd.Stderr = stderr
	return cmd, stderr
}

func (s *side) allocs() string { return filepath.Join(s.dir, "allocs") }

// sample returns the cost of a process that has ended.
func (s *side) sample(cmd *exec.Cmd) (out sample, err error) {
	out[cpu] = float64(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime())
	b, err := os.ReadFile(s.allocs())
	if err != nil {
		return out, fmt.Errorf("%s reported no allocations: %w", s.name, err)
	}
	if _, err := fmt.Sscan(string(b), &out[objects], &out[bytesAllocated]); err != nil {
		return out, err
	}
	return out, os.Remove(s.allocs())
}

// recalls starts cairn mcp and uses its tool recall with each question.
func (s *side) recalls(ctx context.Context, db string, questions []string) (_ sample, err error) {
	cmd, stderr := s.command(ctx, db, "mcp")
	in, err := cmd.StdinPipe()
	if err != nil {
		return sample{}, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return sample{}, err
	}
	if err := cmd.Start(); err != nil {
		return sample{}, err
	}
	talk := func() error {
		answers := bufio.NewReaderSize(out, 1<<20)
		err := ask(in, answers, 1, "initialize", map[string]any{
			"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "gate", "version": "1"},
		})
		if err != nil {
			return err
		}
		if _, err := io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
			return err
		}
		for i, q := range questions {
			err := ask(in, answers, 2+i, "tools/call", map[string]any{
				"name": "recall", "arguments": map[string]any{"query": q, "mode": "fts", "limit": 5},
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
	if err := errors.Join(talk(), in.Close(), cmd.Wait()); err != nil {
		return sample{}, fmt.Errorf("%s: cairn mcp: %w\n%s", s.name, err, stderr)
	}
	return s.sample(cmd)
}

// ask sends a request and waits for an answer that is no error.
func ask(in io.Writer, answers *bufio.Reader, id int, method string, params any) error {
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	if err != nil {
		return err
	}
	if _, err := in.Write(append(b, '\n')); err != nil {
		return err
	}
	for {
		line, err := answers.ReadBytes('\n')
		if err != nil {
			return err
		}
		var answer struct {
			ID     *int
			Error  json.RawMessage
			Result struct{ IsError bool }
		}
		if err := json.Unmarshal(line, &answer); err != nil {
			return err
		}
		switch {
		case answer.ID == nil || *answer.ID != id:
			continue // a notification
		case answer.Error != nil || answer.Result.IsError:
			return fmt.Errorf("%s: %s", method, bytes.TrimSpace(line))
		}
		return nil
	}
}
