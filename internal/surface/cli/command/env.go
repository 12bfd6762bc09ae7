package command

import (
	"context"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"io"
	"log/slog"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/operation"
	"github.com/cairn-kb/cairn/internal/surface/setup"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

// Env is everything that a run takes from its process.
type Env struct {
	Name   string   // by which the program was started
	Args   []string // without it
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer

	// Which of the streams are terminals.
	StdinTTY, StdoutTTY, StderrTTY bool

	Getenv  func(string) string
	Dir     string // working directory, absolute
	Home    string // home directory, absolute, "" when there is none
	Host    string // name of this machine, "" when unknown
	TempDir string // for the copy that an editor opens
	Program string // path of this program, absolute, "" when unknown
	Now     func() time.Time
	After   func(time.Duration) <-chan time.Time
	// Tick is After for the line that shows that a command works; nil draws none.
	Tick func(time.Duration) <-chan time.Time
	// EmbedAtOnce is how long a question may wait for the embedding of new pages; 0 is
	// two seconds. The rest is left to cairn embed.
	EmbedAtOnce time.Duration
	Build       Build

	// Window returns the size of the terminal that Stdout is; nil where it is none.
	Window func() terminal.Window

	// ReadHidden reads a line from the terminal that Stdin is, without showing it; nil where
	// it is none.
	ReadHidden func() ([]byte, error)

	// Lend leaves the terminal's keys, such as Ctrl-C, to another program until
	// back is called; nil where none come.
	Lend func() (back func())

	// Grace gives the process this much longer to end after a signal than the second
	// that a command has; nil in a process that no signal ends.
	Grace func(time.Duration)

	// MCP serves one client over the streams until the input ends. It comes in
	// from outside because no surface imports another.
	MCP func(context.Context, MCPSession) error
	// LSP serves one editor over the streams until it ends the session, and comes in for
	// the same reason.
	LSP func(context.Context, LSPSession) error
	// HTTP serves over HTTP until the context is done, and comes in for the same
	// reason.
	HTTP func(context.Context, HTTPSession) error
	// Browse opens a file in the person's browser, and may be nil.
	Browse func(ctx context.Context, file string) error
	// Reaches reports whether a server that proves to have this token answers at an
	// address.
	Reaches func(ctx context.Context, address, token string) bool
	// Fetch returns what an address answers, up to a bound; nil where none is asked. It
	// follows no redirect.
	Fetch func(ctx context.Context, url string) ([]byte, error)
	// CheckAddress refuses an address that HTTP would not listen at.
	CheckAddress func(address string, remote bool) error
}

// MCPSession is what cairn mcp serves.
type MCPSession struct {
	Memory   *memory.Lazy
	Stdin    io.Reader
	Stdout   io.Writer
	Sets     []operation.Set
	ReadOnly bool
	Dir      string // working directory
	Space    string // asked for, "" to decide by where the client works
	Agent    string // name of the client, "" for the one that it gives itself
	Skills   string // directory of the person's own skills
	Version  string // of cairn
	// HasInstructions reports whether the named client has cairn's instructions
	// in a file.
	HasInstructions func(ctx context.Context, client string) bool
}

// LSPSession is what cairn lsp serves.
type LSPSession struct {
	Memory  *memory.Lazy
	Stdin   io.Reader
	Stdout  io.Writer
	Caller  memory.Caller
	Version string // of cairn
	// Web opens a page in the web UI that runs for the memory.
	Web func(ctx context.Context, id kb.ID) error
}

// HTTPSession is what cairn serve --http serves.
type HTTPSession struct {
	Memory   operation.Memory
	Address  string               // host:port to listen at; port 0 takes a free one
	Remote   bool                 // the address may be one that other machines reach
	Hosts    []string             // names by which clients may call the server
	Public   string               // address of a proxy for the web UI; "" for none
	Tokens   func() []space.Token // reads what they may show, as it is now
	WebHost  string               // name of the web UI's host
	Tickets  string               // directory of the sign-ins that are used up
	Sets     []operation.Set
	ReadOnly bool
	Setup    setup.Place     // where clients have their configuration
	Grace    time.Duration   // for requests under way when the context is done
	Faults   func() []string // what does not work at the moment
	Synced   func() api.Activity
	Ready    func(root string) // called when it listens, with its URL
	Report   func(error)       // called with what went wrong inside
	Log      *slog.Logger      // logs each request; may be nil
	Now      func() time.Time
	After    func(time.Duration) <-chan time.Time
	Version  string
}

// Build describes the build of this binary.
type Build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	JSON     int    `json:"json_version"` // api.JSONVersion
}
