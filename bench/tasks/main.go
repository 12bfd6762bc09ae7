package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Aims of each task.
const (
	mostCalls  = 3
	mostFactor = 2 // of the needed tokens
)

func main() {
	bin := flag.String("bin", "", "the `binary`; built from -root without it")
	root := flag.String("root", "..", "the `directory` of the repository")
	flag.Parse()
	if err := run(context.Background(), *bin, *root, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// run does the tasks and prints their figures.
func run(ctx context.Context, bin, root string, out io.Writer) error {
	temp, err := os.MkdirTemp("", "cairn-tasks")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if bin == "" {
		bin = filepath.Join(temp, "cairn")
		build := exec.CommandContext(ctx, "go", "build", "-tags", "nethttpomithttp2", "-o", bin, "./cmd/cairn")
		build.Dir = root
		if text, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("%w\n%s", err, text)
		}
	}
	if bin, err = filepath.Abs(bin); err != nil {
		return err
	}
	a := agent{bin: bin, home: temp, vault: filepath.Join(temp, "vault")}
	if err := makeVault(a.vault); err != nil {
		return err
	}
	for _, args := range [][]string{{"space", "add", ".", "--name", "vault"}, {"sync"}, {"embed"}} {
		if text, err := a.cairn(ctx, args...); err != nil {
			return fmt.Errorf("cairn %s: %w\n%s", strings.Join(args, " "), err, text)
		}
	}
	fmt.Fprintln(out, "| task | calls | errors | tokens | needed | done |\n|---|---|---|---|---|---|")
	var failed error
	for _, t := range tasks {
		r := a.do(ctx, t)
		verdict := "yes"
		if r.err != nil {
			verdict = "no"
			failed = errors.Join(failed, fmt.Errorf("%s: %w", t.name, r.err))
		} else if r.calls > mostCalls || r.tokens > mostFactor*t.needed {
			verdict = "over the aim"
		}
		fmt.Fprintf(out, "| %s | %d | %d | %d | %d | %s |\n", t.name, r.calls, r.errors, r.tokens, t.needed, verdict)
	}
	return failed
}

// agent calls tools from a shell, as its client would over MCP.
type agent struct{ bin, home, vault string }

type result struct {
	calls, errors, tokens int
	err                   error // why the task is not done
}

func (a agent) cairn(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, a.bin, args...)
	cmd.Dir = a.vault
	cmd.Env = []string{"HOME=" + a.home, "PATH=" + os.Getenv("PATH"), "CAIRN_ACTOR=agent:bench", "TZ=UTC"}
	if args[0] == "space" { // spaces are a person's
		cmd.Env[2] = "CAIRN_ACTOR=human"
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

// do does a task.
func (a agent) do(ctx context.Context, t task) (r result) {
	last := ""
	for _, s := range t.steps {
		if s.write != "" {
			if err := os.WriteFile(filepath.Join(a.vault, s.write), []byte(s.text), 0o644); err != nil {
				r.err = err
				return r
			}
		}
		text, err := a.cairn(ctx, "call", s.tool, s.input)
		r.calls++
		r.tokens += (len(text) + 3) / 4
		if err != nil {
			r.errors++
		}
		if last = text; (err != nil) != s.fails {
			r.err = fmt.Errorf("%s %s: %v\n%s", s.tool, s.input, err, text)
			return r
		}
	}
	if !strings.Contains(last, t.says) || t.lacks != "" && strings.Contains(last, t.lacks) {
		r.err = fmt.Errorf("the answer is %s", last)
	}
	for name, want := range t.files {
		text, err := os.ReadFile(filepath.Join(a.vault, name))
		switch {
		case want == "" && err == nil:
			r.err = fmt.Errorf("%s is still there", name)
		case want != "" && (err != nil || !strings.Contains(string(text), want)):
			r.err = fmt.Errorf("%s: %v\n%s", name, err, text)
		}
	}
	return r
}
