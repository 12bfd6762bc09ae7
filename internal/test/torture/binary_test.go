package torture

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"

	"github.com/cairn-kb/cairn/cmd/cairn/cairntest"
	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// errKilled is the end of a process that was killed before it had answered.
var errKilled = errors.New("killed before it answered")

// hand is what can be done to a memory, whoever does it.
type hand interface {
	Put(context.Context, app.PutRequest) (app.Written, error)
	Edit(context.Context, app.EditRequest) (app.Written, error)
	EditText(context.Context, app.EditTextRequest) (app.Written, error)
	Move(context.Context, app.MoveRequest) (app.Written, error)
	Delete(context.Context, app.DeleteRequest) (app.Written, error)
	Undo(context.Context, app.UndoRequest) (app.Written, error)
	Get(context.Context, app.GetRequest) (app.Text, error)
	Sync(context.Context, app.SyncRequest) ([]app.SyncReport, error)
}

// library is a hand: the memory, opened by this process.
type library struct{ *app.App }

func (l library) Undo(ctx context.Context, req app.UndoRequest) (app.Written, error) {
	return l.Versions().Undo(ctx, req)
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
	args = append([]string{c.binary, "--json", "--space", "notes"}, args...)
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

func (c *commands) write(opts app.WriteOptions, stdin []byte, args ...string) (w app.Written, err error) {
	if opts.Expected != nil {
		args = append(args, "--expected-version", strconv.Itoa(*opts.Expected))
	}
	err = c.run(stdin, &w, args...)
	return w, err
}

func (c *commands) Put(_ context.Context, req app.PutRequest) (app.Written, error) {
	args := []string{"put", req.Ref, "-"}
	if req.Overwrite {
		args = append(args, "--overwrite")
	}
	return c.write(req.WriteOptions, req.Text, args...)
}

func (c *commands) Edit(_ context.Context, req app.EditRequest) (app.Written, error) {
	args := []string{"edit", req.Ref}
	for _, e := range req.Edits {
		switch e := e.(type) {
		case doc.SetProperty:
			args = append(args, "--set", e.Key+"="+e.Value)
		case doc.Append:
			args = append(args, "--append", e.Text)
		default:
			return app.Written{}, fmt.Errorf("no flag for %T", e)
		}
	}
	return c.write(req.WriteOptions, nil, args...)
}

func (c *commands) EditText(ctx context.Context, req app.EditTextRequest) (app.Written, error) {
	return c.Put(ctx, app.PutRequest{WriteOptions: req.WriteOptions, Ref: req.Ref, Text: req.Text, Overwrite: true})
}

func (c *commands) Move(_ context.Context, req app.MoveRequest) (app.Written, error) {
	return c.write(req.WriteOptions, nil, "mv", req.Ref, req.To)
}

func (c *commands) Delete(_ context.Context, req app.DeleteRequest) (app.Written, error) {
	return c.write(req.WriteOptions, nil, "rm", req.Ref)
}

func (c *commands) Undo(_ context.Context, req app.UndoRequest) (app.Written, error) {
	return c.write(req.WriteOptions, nil, "undo", strconv.FormatInt(req.Write, 10))
}

func (c *commands) Get(_ context.Context, req app.GetRequest) (page app.Text, err error) {
	err = c.run(nil, &page, "get", req.Ref)
	page.Bytes = []byte(page.Text)
	return page, err
}

func (c *commands) Sync(_ context.Context, req app.SyncRequest) (reports []app.SyncReport, err error) {
	args := []string{"sync"}
	if req.Yes {
		args = append(args, "--yes")
	}
	if req.Full {
		args = append(args, "--full")
	}
	var list app.List[app.SyncReport]
	err = c.run(nil, &list, args...)
	return list.Items, err
}
