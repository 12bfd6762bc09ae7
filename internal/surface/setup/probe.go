package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// patience is how long a server has for all that it is asked.
const patience = 20 * time.Second

// Result is what became of an entry that was to start.
type Result struct {
	Entry
	OK    bool     `json:"ok"`
	Tools []string `json:"tools"`           // that it offers, in its order
	Error string   `json:"error,omitempty"` // why it is not OK
}

// Check starts the program of an entry with its arguments, and with its
// environment added to that of this process, in its directory, else in dir. It
// shakes hands, asks for the tools, and ends the program again. An entry with a
// fault, or one that is switched off, is not started.
func Check(ctx context.Context, e Entry, dir string) Result {
	r := Result{Entry: e, Tools: []string{}}
	switch {
	case e.Fault != "":
		r.Error = string(e.Fault)
		return r
	case e.Off:
		r.Error = "the client is configured not to start it"
		return r
	case filepath.IsAbs(e.Dir):
		dir = e.Dir
	case e.Dir != "":
		dir = filepath.Join(dir, e.Dir)
	}
	about, tools, err := start(ctx, e, dir)
	switch {
	case err != nil:
		r.Error = err.Error()
	case about != "cairn":
		r.Error = fmt.Sprintf("what answers is %q, not cairn", about)
	default:
		r.OK, r.Tools = true, tools
	}
	return r
}

// start returns how the server calls itself, and its tools. An error holds what
// the program said last on standard error.
func start(ctx context.Context, e Entry, dir string) (name string, tools []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, e.Command, e.Args...)
	cmd.Dir = dir
	cmd.Env = cmd.Environ()
	for key, value := range e.Env {
		cmd.Env = append(cmd.Env, key+"="+value)
	}
	var complaints tail
	cmd.Stderr = &complaints
	name, tools, err = ask(ctx, cmd)
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("no answer within %s", patience)
	}
	if said := complaints.last(); err != nil && said != "" {
		err = fmt.Errorf("%w; it said: %s", err, said)
	}
	return name, tools, err
}

func ask(ctx context.Context, cmd *exec.Cmd) (name string, tools []string, err error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "cairn-setup-check", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = session.Close() }() // what it answered is all that was asked
	if about := session.InitializeResult(); about != nil && about.ServerInfo != nil {
		name = about.ServerInfo.Name
	}
	tools = []string{}
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			return name, tools, err
		}
		tools = append(tools, tool.Name)
	}
	return name, tools, nil
}

// OnPath returns where the PATH of this process finds a program, absolute; ""
// when it does not.
func OnPath(program string) string {
	found, err := exec.LookPath(program)
	if err != nil || !filepath.IsAbs(found) {
		return ""
	}
	return found
}

// maxComplaint is how much of standard error is kept, in bytes.
const maxComplaint = 4 << 10

// tail keeps the end of the text written to it.
type tail struct{ text []byte }

func (t *tail) Write(text []byte) (int, error) {
	t.text = append(t.text, text...)
	if n := len(t.text) - maxComplaint; n > 0 {
		t.text = bytes.Clone(t.text[n:])
	}
	return len(text), nil
}

// last returns the last line that says something.
func (t *tail) last() string {
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
