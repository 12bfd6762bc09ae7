package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/manual"
	"github.com/cairn-kb/cairn/internal/terminal"
)

func TestExitCodes(t *testing.T) {
	ctx := t.Context()
	stopped, stop := context.WithCancel(ctx)
	stop()
	for _, tc := range []struct {
		ctx  context.Context
		err  error
		want int
	}{
		{ctx, nil, 0},
		{ctx, errors.New("no code"), 1},
		{ctx, kb.Errorf(kb.Internal, "x"), 1},
		{ctx, kb.Errorf(kb.Usage, "x"), 2},
		{ctx, kb.Errorf(kb.Ambiguous, "x"), 2},
		{ctx, kb.Errorf(kb.NotFound, "x"), 3},
		{ctx, kb.Errorf(kb.Conflict, "x"), 4},
		{ctx, kb.Errorf(kb.Invalid, "x"), 5},
		{ctx, kb.Errorf(kb.Refused, "x"), 6},
		{ctx, kb.Errorf(kb.Secret, "x"), 6},
		{ctx, kb.Errorf(kb.Damaged, "x"), 7},
		{ctx, fmt.Errorf("wrapped: %w", kb.Errorf(kb.NotFound, "x")), 3},
		{ctx, errors.Join(errNoMatch), 3},
		{ctx, errProblems, 1},
		{stopped, context.Canceled, 130},
		{stopped, kb.Errorf(kb.Internal, "reading: %w", context.Canceled), 130},
		{stopped, kb.Errorf(kb.NotFound, "x"), 3},
		{ctx, context.Canceled, 1},
	} {
		if got := exitCode(tc.ctx, tc.err); got != tc.want {
			t.Errorf("exitCode(%v) = %d, want %d", tc.err, got, tc.want)
		}
	}
}

func TestStoppedWorkSaysHowItGoesOn(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	failed := kb.Errorf(kb.NotFound, "x")
	if err := goesOn(ctx, failed, "again"); err != failed {
		t.Errorf("%v", err)
	}
	stop(Stopped{Signal: 15})
	err := goesOn(ctx, context.Cause(ctx), "again")
	if code := exitCode(ctx, err); code != 143 {
		t.Errorf("exit code %d", code)
	}
	var errout strings.Builder
	p := &program{env: Env{Stderr: &errout}}
	if p.reportError(ctx, err); errout.String() != "error: stopped\nhint: again\n" {
		t.Errorf("%q", errout.String())
	}
}

func TestLineRange(t *testing.T) {
	for in, want := range map[string][2]int{"10": {10, 10}, "10:20": {10, 20}, "10:": {10, 0}, ":20": {0, 20}} {
		from, to, err := lineRange(in)
		if got := [2]int{from, to}; err != nil || got != want {
			t.Errorf("lineRange(%q) = %v, %v, want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"x", "0", "5:3", "1:2:3", "-1:"} {
		if _, _, err := lineRange(in); kb.CodeOf(err) != kb.Usage {
			t.Errorf("lineRange(%q): %v", in, err)
		}
	}
}

func TestCount(t *testing.T) {
	for want, got := range map[string]string{
		"1 page": terminal.Count(1, "page"), "0 pages": terminal.Count(0, "page"), "2 entries": terminal.Count(2, "entry"), "3 days": terminal.Count(3, "day"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestEveryCommandIsExplained holds what help promises.
func TestEveryCommandIsExplained(t *testing.T) {
	for _, c := range documented(newRoot(new(program))) {
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
var reference = filepath.Join("..", "..", "docs", "cli")

// TestReference compares docs/cli with what man --markdown writes; with
// -update it writes it.
func TestReference(t *testing.T) {
	want := map[string]string{}
	for _, c := range documented(newRoot(new(program))) {
		want[manual.FileName(c)+".md"] = manual.Markdown(c)
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
			t.Errorf("%s is out of date; go test ./internal/cli -update writes it\n%s", path, d)
		}
		delete(want, name)
	}
	for name := range want {
		t.Errorf("%s is missing; go test ./internal/cli -update writes it", name)
	}
}
