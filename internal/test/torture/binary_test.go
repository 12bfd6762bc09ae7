package torture

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/cairn-kb/cairn/cmd/cairn/cairntest"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// errKilled is the end of a process that was killed before it had answered.
var errKilled = errors.New("killed before it answered")

// hand is what can be done to a memory, whoever does it.
type hand interface {
	Put(context.Context, change.PutRequest) (api.Written, error)
	Edit(context.Context, change.EditRequest) (api.Written, error)
	EditText(context.Context, change.EditTextRequest) (api.Written, error)
	Move(context.Context, change.MoveRequest) (api.Written, error)
	Delete(context.Context, change.DeleteRequest) (api.Written, error)
	Undo(context.Context, history.UndoRequest) (api.Written, error)
	Get(context.Context, read.GetRequest) (api.Text, error)
	Sync(context.Context, gitsync.SyncRequest) ([]api.SyncReport, error)
}

// library is a hand: the memory, opened by this process.
type library struct{ *memory.Session }

func (l library) Put(ctx context.Context, req change.PutRequest) (api.Written, error) {
	return change.Put(ctx, l.Session, req)
}

func (l library) Edit(ctx context.Context, req change.EditRequest) (api.Written, error) {
	return change.EditPage(ctx, l.Session, req)
}

func (l library) EditText(ctx context.Context, req change.EditTextRequest) (api.Written, error) {
	return change.EditText(ctx, l.Session, req)
}

func (l library) Move(ctx context.Context, req change.MoveRequest) (api.Written, error) {
	return change.Move(ctx, l.Session, req)
}

func (l library) Delete(ctx context.Context, req change.DeleteRequest) (api.Written, error) {
	return change.Delete(ctx, l.Session, req)
}

func (l library) Get(ctx context.Context, req read.GetRequest) (api.Text, error) {
	return read.Get(ctx, l.Session, req)
}

func (l library) Sync(ctx context.Context, req gitsync.SyncRequest) ([]api.SyncReport, error) {
	return gitsync.Sync(ctx, l.Session, req)
}

func (l library) Undo(ctx context.Context, req history.UndoRequest) (api.Written, error) {
	return change.Undo(ctx, l.Session, req)
}

// commands does everything by commands of the real binary, a process each, as
// a user types them.
type commands struct {
	t                   *testing.T
	binary, home, actor string
	env                 []string // besides the home directory and the path
	measure             string   // file that says how much memory the last command took; "" for none

	mu     sync.Mutex
	killed bool
	living map[*exec.Cmd]bool
}

func newCommands(t *testing.T, home, actor string) *commands {
	t.Helper()
	return &commands{t: t, binary: cairntest.Binary(t), home: home, actor: actor, living: map[*exec.Cmd]bool{}}
}

// command is the process of one command that is not started yet.
func (c *commands) command(args ...string) *exec.Cmd {
	if len(args) > 0 && slices.Contains([]string{"config", "model", "space"}, args[0]) {
		args = append(slices.Clone(args), "--actor", "human") // no agent may
	}
	if len(args) == 0 || !slices.Contains([]string{"config", "db", "maintain", "model", "serve"}, args[0]) { // these work on the whole memory
		args = append([]string{"--space", "notes"}, args...)
	}
	args = append([]string{c.binary, "--json"}, args...)
	var measured []string
	if c.measure != "" {
		args = append([]string{apptest.OK(os.Executable())(c.t)}, args...)
		measured = []string{childEnv + "=measure " + c.measure}
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = c.home
	cmd.Env = append(measured, "HOME="+c.home, "PATH="+os.Getenv("PATH"), "TZ=UTC", "CAIRN_ACTOR="+c.actor)
	cmd.Env = append(cmd.Env, c.env...)
	return cmd
}

// run runs a command and reads its answer into v. A process that was killed
// after it had answered has answered.
func (c *commands) run(stdin []byte, v any, args ...string) error {
	cmd := c.command(args...)
	var out, complaints bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &out, &complaints
	if err := c.start(cmd); err != nil {
		return err
	}
	err := cmd.Wait()
	c.mu.Lock()
	killed := c.killed
	delete(c.living, cmd)
	c.mu.Unlock()
	if err == nil || killed && out.Len() > 0 {
		if jerr := json.Unmarshal(out.Bytes(), v); jerr == nil || err == nil {
			return jerr
		}
	}
	if killed && cmd.ProcessState.ExitCode() < 0 {
		return errKilled
	}
	// Notes go before the error, a line of JSON each like it.
	for line := range bytes.Lines(complaints.Bytes()) {
		var answer struct{ Error *kb.Error }
		if jerr := json.Unmarshal(line, &answer); jerr != nil {
			return fmt.Errorf("cairn %.200q: not JSON on standard error: %w: %s", args, jerr, complaints.String())
		}
		if answer.Error != nil {
			return answer.Error
		}
	}
	return fmt.Errorf("cairn %.200q: %w: %s", args, err, complaints.String())
}

func (c *commands) start(cmd *exec.Cmd) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.killed {
		return errKilled
	}
	c.living[cmd] = true
	return cmd.Start()
}

// kill ends every process that is at work, and lets none start any more.
func (c *commands) kill() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.killed = true
	var errs []error
	for cmd := range c.living {
		if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (c *commands) write(opts api.WriteOptions, stdin []byte, args ...string) (w api.Written, err error) {
	if opts.Expected != nil {
		args = append(args, "--expected-version", strconv.Itoa(*opts.Expected))
	}
	err = c.run(stdin, &w, args...)
	return w, err
}

func (c *commands) Put(_ context.Context, req change.PutRequest) (api.Written, error) {
	args := []string{"put", req.Ref, "-"}
	if req.Overwrite {
		args = append(args, "--overwrite")
	}
	return c.write(req.WriteOptions, req.Text, args...)
}

func (c *commands) Edit(_ context.Context, req change.EditRequest) (api.Written, error) {
	args := []string{"edit", req.Ref}
	for _, e := range req.Edits {
		switch e := e.(type) {
		case doc.SetProperty:
			args = append(args, "--set", e.Key+"="+e.Value)
		case doc.Append:
			args = append(args, "--append", e.Text)
		default:
			return api.Written{}, fmt.Errorf("no flag for %T", e)
		}
	}
	return c.write(req.WriteOptions, nil, args...)
}

func (c *commands) EditText(ctx context.Context, req change.EditTextRequest) (api.Written, error) {
	return c.Put(ctx, change.PutRequest{WriteOptions: req.WriteOptions, Ref: req.Ref, Text: req.Text, Overwrite: true})
}

func (c *commands) Move(_ context.Context, req change.MoveRequest) (api.Written, error) {
	return c.write(req.WriteOptions, nil, "mv", req.Ref, req.To)
}

func (c *commands) Delete(_ context.Context, req change.DeleteRequest) (api.Written, error) {
	return c.write(req.WriteOptions, nil, "rm", req.Ref)
}

func (c *commands) Undo(_ context.Context, req history.UndoRequest) (api.Written, error) {
	return c.write(req.WriteOptions, nil, "undo", strconv.FormatInt(req.Write, 10))
}

func (c *commands) Get(_ context.Context, req read.GetRequest) (page api.Text, err error) {
	err = c.run(nil, &page, "get", req.Ref)
	page.Bytes = []byte(page.Text)
	return page, err
}

func (c *commands) Sync(_ context.Context, req gitsync.SyncRequest) (reports []api.SyncReport, err error) {
	args := []string{"sync"}
	if req.Yes {
		args = append(args, "--yes")
	}
	if req.Full {
		args = append(args, "--full")
	}
	var list api.List[api.SyncReport]
	err = c.run(nil, &list, args...)
	return list.Items, err
}
