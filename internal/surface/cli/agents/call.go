package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"github.com/cairn-kb/cairn/internal/memory"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/operation"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

func newCall(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "call TOOL [JSON]",
		Short: "Call a tool with JSON, as agents do",
		Long: `Call one of the tools that agents have, with its arguments as a JSON object, and
print its answer as JSON. - reads the arguments from standard input. What the
tools take is shown by: cairn tools-json`,
		Example: `  cairn call recall '{"query":"write path","limit":3}'
  cairn call remember - < note.json`,
		Args: command.Need("TOOL", "[JSON]"),
		RunE: func(cmd *cobra.Command, args []string) error { return runCall(cmd.Context(), p, args) },
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var names []string
			for _, t := range operation.Tools() {
				names = append(names, t.Name)
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

func runCall(ctx context.Context, p *command.Program, args []string) error {
	tool, err := operation.FindTool(args[0])
	if err != nil {
		return err
	}
	input := []byte("{}")
	if len(args) > 1 {
		input = []byte(args[1])
	}
	if string(input) == "-" {
		if input, err = terminal.ReadAll(ctx, p.Env.Stdin); err != nil {
			return err
		}
	}
	return withMemory(ctx, p, false, func(m *memory.Lazy, c memory.Caller) error {
		out, err := tool.Run(ctx, m, c, input)
		if err != nil {
			return err
		}
		return p.JSON(out)
	})
}

func newPipe(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "pipe",
		Short: "Call tools by lines of JSON",
		Long: `Read calls from standard input, a JSON object in a line, and print an answer to
each in a line, in the same order:

  {"id": 1, "tool": "recall", "input": {"query": "write path"}}
  {"id": 1, "output": {...}}

A call that fails, or an invalid line, is answered with "error" instead of
"output", and the next line is read. The id may be any JSON value, or absent.`,
		Example: `  cairn pipe < calls.jsonl > answers.jsonl`,
		Args:    command.Need(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return runPipe(cmd.Context(), p) },
	}
}

// piped is one answer of cairn pipe.
type piped struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Output any             `json:"output,omitempty"`
	*operation.Failed
}

func runPipe(ctx context.Context, p *command.Program) error {
	return withMemory(ctx, p, false, func(m *memory.Lazy, c memory.Caller) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		lines, failed := terminal.Lines(ctx, p.Env.Stdin, 0)
		for {
			select {
			case line, more := <-lines:
				if !more {
					return <-failed
				}
				if strings.TrimSpace(line) == "" {
					continue
				}
				text, err := terminal.JSON(answerLine(ctx, m, c, []byte(line)), false)
				if err != nil {
					return kb.Errorf(kb.Internal, "cannot write the answer as JSON: %w", err)
				}
				if err := p.Write(append(text, '\n')); err != nil {
					return err
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}, command.Watching)
}

func answerLine(ctx context.Context, m *memory.Lazy, c memory.Caller, line []byte) piped {
	call, err := readCall(line)
	if err != nil {
		f := operation.Failure(kb.Errorf(kb.Usage, "invalid call: %w", err).
			WithHint(`Write one like {"id":1,"tool":"recall","input":{"query":"words"}}`), nil)
		return piped{ID: call.id, Failed: &f}
	}
	tool, err := operation.FindTool(call.tool)
	if err == nil {
		var out any
		if out, err = tool.Run(ctx, m, c, call.input); err == nil {
			return piped{ID: call.id, Output: out}
		}
	}
	f := operation.Failure(err, nil)
	return piped{ID: call.id, Failed: &f}
}

// pipedCall is what a line asks for.
type pipedCall struct {
	id    json.RawMessage
	tool  string
	input json.RawMessage
}

// readCall reads a line. It refuses what it does not know: a misspelt input
// would be none, and something else would happen than was meant.
func readCall(line []byte) (call pipedCall, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil || fields == nil {
		if err == nil || errors.As(err, new(*json.UnmarshalTypeError)) {
			err = errors.New("not a JSON object")
		}
		return call, err
	}
	call.id, call.input = fields["id"], fields["input"]
	for name := range fields {
		if !slices.Contains([]string{"id", "tool", "input"}, name) {
			err = errors.Join(err, fmt.Errorf("unknown field %q", name))
		}
	}
	if err == nil && json.Unmarshal(fields["tool"], &call.tool) != nil {
		err = errors.New("its tool is missing, or no text")
	}
	return call, err
}
