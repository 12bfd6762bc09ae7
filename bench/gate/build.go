package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// side is one of the two binaries, with a directory for its data.
type side struct {
	name string
	bin  string
	dir  string
}

// hook is the source of the exit hook that reports allocations.
//
//go:embed hook.go.txt
var hook []byte

// allocsVariable names the file to which the hook writes.
const allocsVariable = "CAIRN_GATE_ALLOCS"

func repository(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		return "", fmt.Errorf("find the repository: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// buildBoth builds the base in a temporary worktree, and this tree.
func buildBoth(ctx context.Context, root, base, temp string) (sides [2]side, err error) {
	tree := filepath.Join(temp, "tree")
	if err := output(ctx, root, "git", "cat-file", "-e", base+"^{commit}"); err != nil {
		return sides, fmt.Errorf("the repository has no commit %s: a full clone is needed (git fetch --unshallow): %w", base, err)
	}
	if err := output(ctx, root, "git", "worktree", "add", "--detach", "--force", tree, base); err != nil {
		return sides, err
	}
	defer func() {
		// Also after an interrupt, which ends ctx.
		err = errors.Join(err, output(context.WithoutCancel(ctx), root, "git", "worktree", "remove", "--force", tree))
	}()
	for i, s := range []struct{ name, source string }{{"base", tree}, {"head", root}} {
		dir := filepath.Join(temp, s.name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			return sides, err
		}
		sides[i] = side{name: s.name, bin: filepath.Join(dir, "cairn"), dir: dir}
		if err := build(ctx, s.source, sides[i].bin, dir); err != nil {
			return sides, fmt.Errorf("build %s: %w", s.name, err)
		}
	}
	return sides, nil
}

// build builds cairn from source with the hook added.
func build(ctx context.Context, source, bin, temp string) error {
	replace := map[string]string{}
	// The hook declares a function without a body, which needs an assembly file.
	for name, text := range map[string][]byte{"gate_hook.go": hook, "gate_hook.s": nil} {
		file := filepath.Join(temp, name)
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return err
		}
		replace[filepath.Join(source, "cmd", "cairn", name)] = file
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	file := filepath.Join(temp, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		return err
	}
	return output(ctx, source, "go", "build", "-buildvcs=false", "-tags", "slim", "-overlay", file,
		"-ldflags", "-s -w -checklinkname=0", "-o", bin, "./cmd/cairn")
}

// output runs a program in dir; its output is part of the error.
func output(ctx context.Context, dir, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", program, strings.Join(args, " "), err, out)
	}
	return nil
}
