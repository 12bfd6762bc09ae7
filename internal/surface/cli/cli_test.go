package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

// TestEveryCommandIsExplained holds what help promises.
func TestEveryCommandIsExplained(t *testing.T) {
	t.Parallel()
	for _, c := range terminal.Commands(newRoot(new(command.Program))) {
		if c.Short == "" || c.Long == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: Short %q, Long %q", c.CommandPath(), c.Short, c.Long)
		}
		if c.Runnable() && !c.HasSubCommands() && !c.HasExample() {
			t.Errorf("%s has no example", c.CommandPath())
		}
		for line := range strings.Lines(c.Long) {
			if len([]rune(strings.TrimRight(line, "\n"))) > 80 && !strings.HasPrefix(line, "  ") && strings.Count(c.Long, "\n") > 0 {
				t.Errorf("%s: line of over 80: %q", c.CommandPath(), line)
			}
		}
		for line := range strings.Lines(c.Example) {
			if !strings.Contains(line, "cairn ") {
				t.Errorf("%s: example without cairn: %q", c.CommandPath(), line)
			}
		}
	}
}

// reference is where the generated reference lies.
var reference = filepath.Join("..", "..", "..", "docs", "cli")

// TestReference compares docs/cli with what man --markdown writes; with
// -update it writes it.
func TestReference(t *testing.T) {
	t.Parallel()
	want := map[string]string{}
	for _, c := range terminal.Commands(newRoot(new(command.Program))) {
		want[terminal.FileName(c)+".md"] = terminal.Markdown(c)
	}
	if updating() {
		for name, text := range want {
			if err := os.WriteFile(filepath.Join(reference, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	found, err := filepath.Glob(filepath.Join(reference, "*.md"))
	if err != nil || len(found) == 0 {
		t.Fatalf("nothing in %s: %v", reference, err)
	}
	for _, path := range found {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		if d := cmp.Diff(want[name], string(text)); d != "" {
			t.Errorf("%s is out of date; go test ./internal/surface/cli -update writes it\n%s", path, d)
		}
		delete(want, name)
	}
	for name := range want {
		t.Errorf("%s is missing; go test ./internal/surface/cli -update writes it", name)
	}
}

// TestRunsMakeTheirCommand holds that a run of a command makes it as the whole tree has it, and
// no groups behind its own.
func TestRunsMakeTheirCommand(t *testing.T) {
	t.Parallel()
	whole := newRoot(new(command.Program))
	texts := func(c *cobra.Command) (all []string) {
		for _, c := range terminal.Commands(c) {
			all = append(all, c.CommandPath()+": "+c.Long+c.LocalFlags().FlagUsages())
		}
		return all
	}
	least := len(whole.Commands())
	for _, c := range whole.Commands() {
		p := new(command.Program)
		p.Env.Args = []string{c.Name()}
		root := newRoot(p)
		least = min(least, len(root.Commands()))
		got, _, err := root.Find(p.Env.Args)
		if err != nil {
			t.Errorf("%s: %v", c.Name(), err)
		} else if diff := cmp.Diff(texts(c), texts(got)); diff != "" {
			t.Errorf("%s (-whole +run):\n%s", c.Name(), diff)
		}
		if diff := cmp.Diff(texts(whole), texts(root)); c.GroupID == "care" && diff != "" {
			t.Errorf("%s makes not all (-whole +run):\n%s", c.Name(), diff)
		}
	}
	if least > len(whole.Commands())/3 {
		t.Errorf("every run makes %d commands of %d", least, len(whole.Commands()))
	}
}
