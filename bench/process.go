package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// build compiles cairn and returns its path.
func build(ctx context.Context, root, dir string) (string, error) {
	name := "cairn"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	bin := filepath.Join(dir, name)
	cmd := exec.CommandContext(ctx, "go", "build", "-ldflags", "-s -w", "-o", bin, "./cmd/cairn")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build cairn: %w\n%s", err, out)
	}
	return bin, nil
}

// sample is what one turn of a case took. CPU is the process's own user and
// system time: on a shared machine it says more than the clock on the wall.
type sample struct {
	wall, cpu time.Duration
	peak      int64 // bytes of memory; 0 where a system does not tell
}

// process runs a program to its end, in an environment of its own.
func process(ctx context.Context, c *setup, db, program string, args ...string) (sample, error) {
	cmd := command(ctx, c, db, program, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	s, err := toEnd(cmd)
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, stderr.Bytes())
	}
	return s, err
}

// command is a program with a clean environment of its own.
func command(ctx context.Context, c *setup, db, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = c.temp
	cmd.Env = []string{"HOME=" + c.temp, "CAIRN_DB=" + db, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}
	if runtime.GOOS == "windows" {
		cmd.Env = append(os.Environ(), "CAIRN_DB="+db)
	}
	return cmd
}

// toEnd runs a program to its end.
func toEnd(cmd *exec.Cmd) (s sample, err error) {
	start := time.Now()
	if err = cmd.Run(); err != nil {
		return s, fmt.Errorf("%s %s: %w", filepath.Base(cmd.Path), strings.Join(cmd.Args[1:], " "), err)
	}
	s.wall = time.Since(start)
	s.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	s.peak = peakOf(cmd.ProcessState)
	return s, nil
}
