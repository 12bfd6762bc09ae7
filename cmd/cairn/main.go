package main

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/mattn/go-isatty"

	"github.com/cairn-kb/cairn/internal/surface/cli"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/httpapi"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

func main() {
	ctx, s := listen()
	env := environment()
	env.Lend, env.Grace = s.lend, s.grace
	end(ctx, cli.Main(ctx, env))
}

func environment() command.Env {
	// Errors are ignored here: cli reports a missing value when a command needs
	// it.
	dir, _ := os.Getwd()
	home, _ := os.UserHomeDir()
	host, _ := os.Hostname()
	if !filepath.IsAbs(home) {
		home = "" // it would be another one in each directory
	}
	program, _ := os.Executable()
	tty := func(f *os.File) bool { return isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()) }
	env := command.Env{
		Name:  os.Args[0],
		Args:  os.Args[1:],
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		StdinTTY: tty(os.Stdin), StdoutTTY: tty(os.Stdout), StderrTTY: tty(os.Stderr),
		Getenv: os.Getenv, Dir: dir, Home: home, Host: host, TempDir: os.TempDir(), Program: program,
		Window: window,
		Now:    time.Now, After: time.After, Tick: time.After, Build: build(), MCP: serveMCP, LSP: serveLSP, HTTP: serveHTTP, CheckAddress: httpapi.CheckAddress,
		Browse: terminal.Browse, Reaches: reaches, Fetch: fetch,
	}
	if env.StdinTTY {
		env.ReadHidden = func() ([]byte, error) { return term.ReadPassword(os.Stdin.Fd()) }
	}
	return env
}

// window returns the size of the terminal that standard output is.
func window() terminal.Window {
	columns, rows, err := term.GetSize(os.Stdout.Fd())
	if err != nil {
		return terminal.Window{} // it is none
	}
	return terminal.Window{Columns: columns, Rows: rows}
}

// version is set by releases, with -ldflags "-X main.version=…".
var version string

// build reads what the Go tool noted in the binary.
func build() command.Build {
	b := command.Build{Version: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if b.Version == "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			b.Revision = s.Value
		}
	}
	return b
}
