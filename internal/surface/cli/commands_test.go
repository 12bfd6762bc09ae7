package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/operation"
	"github.com/cairn-kb/cairn/internal/surface/skills"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// texts returns what agents and people read that names commands and tools, by
// the name of its file.
func texts(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, name := range skills.Every() {
		s, err := skills.Find(context.Background(), name)
		if err != nil {
			t.Fatal(err)
		}
		out["skill "+s.Name] = string(s.Text)
	}
	for _, pattern := range []string{"../../../README.md", "../../../CONTRIBUTING.md", "../../../docs/*.md", "../../../docs/adr/*.md", "../setup/testdata/*.golden", "../../brief/text.go", "../mcpserver/server.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s finds nothing: %v", pattern, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			out[name] = string(text)
		}
	}
	return out
}

var (
	shellBlock = regexp.MustCompile("(?ms)^ *```(?:sh|console)$(.*?)^ *```$")
	// A command that stands on a line of its own; what it does may follow after a
	// gap.
	ownLine = regexp.MustCompile(`(?m)^(?:    |    \$ |\$ )(cairn(?: ?[^ \n])+)`)
	span    = regexp.MustCompile("`([^`\n]+)`")
	primed  = regexp.MustCompile(`"?- [a-z]+: (cairn [^(\n]+)`)
	hooked  = regexp.MustCompile(`"command": "(cairn [^"]+)"`)
)

// commandLine is a command line of cairn in a text.
type commandLine struct {
	text string
	// whole says that somebody may type it as it is; else it is a way to speak
	// of a command or a flag.
	whole bool
}

// commandLines returns the command lines of cairn that a text holds.
func commandLines(name, text string) (out []commandLine) {
	typed := func(line string) {
		for command := range strings.SplitSeq(line, " && ") {
			out = append(out, commandLine{command, true})
		}
	}
	for _, block := range shellBlock.FindAllStringSubmatch(text, -1) {
		joined := strings.ReplaceAll(block[1], "\\\n", " ")
		for line := range strings.Lines(joined) {
			typed(strings.TrimPrefix(strings.TrimSpace(line), "$ "))
		}
	}
	for _, m := range ownLine.FindAllStringSubmatch(text, -1) {
		typed(m[1])
	}
	for _, m := range span.FindAllStringSubmatch(text, -1) {
		out = append(out, commandLine{m[1], strings.HasPrefix(name, "skill ")})
	}
	for _, m := range primed.FindAllStringSubmatch(text, -1) {
		for line := range strings.SplitSeq(strings.TrimSuffix(m[1], " "), ", ") {
			out = append(out, commandLine{line, true})
		}
	}
	for _, m := range hooked.FindAllStringSubmatch(text, -1) {
		out = append(out, commandLine{m[1], true})
	}
	return out
}

// trees are command trees that command lines are tried on. A command keeps what was parsed, so the
// next line of the same command takes the next tree.
type trees struct {
	roots  []*cobra.Command
	parsed map[*cobra.Command]bool
}

// find returns a command that has parsed nothing yet, and its arguments.
func (t *trees) find(args []string) (*cobra.Command, []string, error) {
	for i := 0; ; i++ {
		if i == len(t.roots) {
			root := newRoot(&command.Program{})
			root.InitDefaultHelpCmd()
			t.roots = append(t.roots, root)
		}
		cmd, rest, err := t.roots[i].Find(args)
		if err != nil || !t.parsed[cmd] {
			return cmd, rest, err
		}
	}
}

// parses reports why cairn would not take a command line.
func (c commandLine) parses(t *trees, args []string) error {
	cmd, rest, err := t.find(args)
	if err != nil {
		return err
	}
	if c.whole {
		if t.parsed == nil {
			t.parsed = map[*cobra.Command]bool{}
		}
		t.parsed[cmd] = true
	}
	cmd.InitDefaultHelpFlag()
	if c.whole {
		if err := cmd.ParseFlags(rest); err != nil {
			return err
		}
		if cmd.Flags().Lookup("help").Changed {
			return nil
		}
		return cmd.ValidateArgs(cmd.Flags().Args())
	}
	if cmd.HasSubCommands() && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		return cmd.ValidateArgs(rest)
	}
	for _, arg := range rest {
		name, _, _ := strings.Cut(strings.Trim(arg, "[]"), "=")
		if long, ok := strings.CutPrefix(name, "--"); ok && cmd.Flag(long) == nil {
			return fmt.Errorf("there is no flag %s", name)
		}
	}
	return nil
}

// words splits a command line as a shell does, up to the first thing that is
// not an argument.
func words(line string) (out []string) {
	var word strings.Builder
	var quote rune
	in := false
	flush := func() {
		if in {
			out = append(out, word.String())
		}
		word.Reset()
		in = false
	}
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, in = r, true
		case quote == 0 && (r == ' ' || r == '\t'):
			flush()
		case quote == 0 && strings.ContainsRune("|<>;&#", r):
			flush()
			return out
		default:
			word.WriteRune(r)
			in = true
		}
	}
	flush()
	return out
}

// The examples of every command are command lines that it takes.
func TestExamplesAreCommands(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	var tried trees
	found := 0
	for _, c := range terminal.Commands(newRoot(&command.Program{})) {
		for line := range strings.Lines(c.Example) {
			for _, text := range strings.Split(strings.TrimSpace(line), " && ") {
				args := words(text)
				if len(args) < 2 || args[0] != "cairn" {
					continue
				}
				found++
				if err := (commandLine{text, true}).parses(&tried, args[1:]); err != nil {
					t.Errorf("%s: %s: %v", c.CommandPath(), text, err)
				}
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d examples were found", found)
	}
}

// Whoever types what a text says gets what it says: every command line names a
// command and flags that exist, with as many arguments as it takes.
func TestCommandsInTextsExist(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	var tried trees
	found := 0
	for name, text := range texts(t) {
		for _, line := range commandLines(name, text) {
			args := words(line.text)
			if len(args) < 2 || args[0] != "cairn" {
				continue
			}
			found++
			if err := line.parses(&tried, args[1:]); err != nil {
				t.Errorf("%s: %s: %v", name, line.text, err)
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d command lines were found", found)
	}
}

// notNow is a memory that says that the arguments of a call were accepted.
type notNow struct{}

var errAccepted = errors.New("accepted")

func (notNow) Session(context.Context, bool) (*memory.Session, error) { return nil, errAccepted }

var toolCall = regexp.MustCompile(`^([a-z_]+) (\{.*\})$`)

// Every call of a tool in a text has arguments that the tool takes, and the
// skills show every tool of the core set.
func TestToolsInTextsExist(t *testing.T) {
	t.Parallel()
	shown := map[string]bool{}
	for name, text := range texts(t) {
		for _, m := range span.FindAllStringSubmatch(text, -1) {
			call := toolCall.FindStringSubmatch(m[1])
			if call == nil {
				continue
			}
			shown[call[1]] = true
			tool, err := operation.FindTool(call[1])
			if err == nil {
				_, err = tool.Run(context.Background(), notNow{}, memory.Caller{}, json.RawMessage(call[2]))
			}
			if !errors.Is(err, errAccepted) {
				t.Errorf("%s: %s: %v", name, m[1], err)
			}
		}
	}
	for _, tool := range operation.Tools() {
		if slices.Contains(tool.Sets, operation.Core) && !shown[tool.Name] {
			t.Errorf("no skill shows how to call %s", tool.Name)
		}
	}
}
