package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A base that no page explains, or that is no commit of this repository, would
// make the gate meaningless.
func TestBase(t *testing.T) {
	t.Parallel()
	root, err := repository(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	base, err := documentedBase(root)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "git", "-C", root, "merge-base", "--is-ancestor", base, "HEAD").CombinedOutput(); err != nil {
		t.Errorf("%s is not an ancestor of HEAD: %v %s", base, err, out)
	}
}

func TestDocumentedBase(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ base, page, want string }{
		{"0123456789abcdef\n", "since 01234567, because", ""},
		{"0123456789abcdef\n", "since 11234567, because", "does not mention 01234567"},
		{"main\n", "main", "not a commit"},
	} {
		root := t.TempDir()
		for name, text := range map[string]string{"bench/BASE": tt.base, "docs/benchmarks.md": tt.page} {
			if err := write(filepath.Join(root, name), []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		_, err := documentedBase(root)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%q, %q: %v, want %q", tt.base, tt.page, err, tt.want)
		}
	}
}

// fake is a case whose cost on each side is given.
func fake(cost func(name string, turn int) float64) kase {
	return kase{"fake", func(sizes) int { return 3 }, func(_ context.Context, s *side, _ sizes) (func(int) (sample, error), error) {
		return func(turn int) (sample, error) {
			return sample{cost(s.name, turn), 10, 10}, nil
		}, nil
	}}
}

func TestMeasureRepeatsBeforeItFails(t *testing.T) {
	t.Parallel()
	sides := [2]side{{name: "base"}, {name: "head"}}
	for _, tt := range []struct {
		name  string
		cost  func(name string, turn int) float64
		pairs int
		over  bool
	}{
		{"equal", func(string, int) float64 { return 100 }, 3, false},
		{"slower", func(name string, _ int) float64 { return map[string]float64{"base": 100, "head": 110}[name] }, 3 + 6 + 12, true},
		{"noise in the first pairs", func(name string, turn int) float64 {
			if name == "head" && turn <= 3 {
				return 200
			}
			return 100
		}, 3 + 6, false},
		{"drift of the machine", func(_ string, turn int) float64 { return 100 * float64(turn+1) }, 3, false},
	} {
		got, err := measure(t.Context(), fake(tt.cost), sides, short, 1.05)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != tt.pairs || got.worst() > 1.05 != tt.over {
			t.Errorf("%s: %d pairs, worst %.2f; want %d pairs, over: %t", tt.name, len(got), got.worst(), tt.pairs, tt.over)
		}
	}
}

func TestVaultsAreTheSame(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]func(string, int) error{"notes": writeNotes, "long": writeLong} {
		a, b := t.TempDir(), t.TempDir()
		if err := f(a, 9); err != nil {
			t.Fatal(err)
		}
		if err := f(b, 9); err != nil {
			t.Fatal(err)
		}
		files := 0
		err := filepath.WalkDir(a, func(path string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			files++
			one, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			two, err := os.ReadFile(b + strings.TrimPrefix(path, a))
			if err == nil && string(one) != string(two) {
				t.Errorf("%s: %s differs between two runs", name, path)
			}
			return err
		})
		if err != nil || files != 9 {
			t.Errorf("%s: %d files, %v", name, files, err)
		}
	}
}
