package cli

import (
	"context"
	"io"
	"time"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/operation"
)

// Env is everything that a run takes from its process.
type Env struct {
	Args   []string // without the program's name
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer

	// Which of the streams are terminals.
	StdinTTY, StdoutTTY, StderrTTY bool

	Getenv  func(string) string
	Dir     string // working directory, absolute
	Home    string // home directory, absolute, "" when there is none
	TempDir string // for the copy that an editor opens
	Now     func() time.Time
	After   func(time.Duration) <-chan time.Time
	Build   Build

	// MCP serves one client over the streams until the input ends. It comes in
	// from outside because no surface imports another.
	MCP func(context.Context, MCPSession) error
}

// MCPSession is what cairn mcp serves.
type MCPSession struct {
	Memory   *app.Lazy
	Stdin    io.Reader
	Stdout   io.Writer
	Sets     []operation.Set
	ReadOnly bool
	Dir      string // working directory
	Space    string // asked for, "" to decide by where the client works
	Version  string // of cairn
}

// Build says what this binary was made from.
type Build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// Main runs one command and returns the exit code: see exitCode. When ctx is
// cancelled it stops between two steps and returns 130.
func Main(ctx context.Context, env Env) int {
	p := &program{env: env}
	root := newRoot(p)
	root.SetArgs(env.Args)
	err := root.ExecuteContext(ctx)
	if err != nil {
		p.reportError(ctx, err)
	}
	return exitCode(ctx, err)
}
