//go:build unix

package torture

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// ending is a command that is to end, within a minute.
type ending struct {
	t    *testing.T
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	err  bytes.Buffer
	late *time.Timer
}

// begin starts a command in a group of its own, as shells do.
func begin(t *testing.T, cmd *exec.Cmd) *ending {
	t.Helper()
	e := &ending{t: t, cmd: cmd, in: apptest.OK(cmd.StdinPipe())(t)}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	e.out = bufio.NewReader(apptest.OK(cmd.StdoutPipe())(t))
	cmd.Stderr = &e.err
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	e.late = time.AfterFunc(time.Minute, func() { e.signal(syscall.SIGKILL) })
	t.Cleanup(func() {
		e.late.Stop()
		e.signal(syscall.SIGKILL) // what it started may live on
	})
	return e
}

// say writes a line and reads one.
func (e *ending) say(line string) string {
	e.t.Helper()
	apptest.OK(io.WriteString(e.in, line+"\n"))(e.t)
	return e.hear()
}

func (e *ending) hear() string {
	e.t.Helper()
	answer, err := e.out.ReadString('\n')
	if err != nil {
		_ = e.cmd.Wait() // for all that it complains of
		e.t.Fatalf("%q, %v: %s", answer, err, e.err.String())
	}
	return answer
}

// signal sends a signal to the whole group, as a terminal does.
func (e *ending) signal(sig syscall.Signal) {
	e.t.Helper()
	if err := syscall.Kill(-e.cmd.Process.Pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
		e.t.Error(err)
	}
}

// end returns what was printed since, the exit code, and by which signal the
// process ended, if any.
func (e *ending) end() (out string, code int, by syscall.Signal) {
	e.t.Helper()
	rest, err := io.ReadAll(e.out)
	if err != nil {
		e.t.Error(err)
	}
	by = e.wait()
	return string(rest), e.cmd.ProcessState.ExitCode(), by
}

// wait is end where nobody reads what is printed.
func (e *ending) wait() (by syscall.Signal) {
	e.t.Helper()
	_ = e.cmd.Wait() // its state says how it went
	if !e.late.Stop() {
		e.t.Error("it did not end")
	}
	if status, _ := e.cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		by = status.Signal()
	}
	return by
}

const call = `{"id":1,"tool":"status"}`

// A command ends by the signal that stopped it: a shell's loop over commands
// goes on after one that exits by itself.
func TestACommandEndsByItsSignal(t *testing.T) {
	t.Parallel()
	home := newHome(t, nil)
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		e := begin(t, newCommands(t, home, "waiting").command("pipe"))
		e.say(call)
		e.signal(sig) // while it waits for the next line
		if _, _, by := e.end(); by != sig {
			t.Errorf("%s: it ended by %s", sig, by)
		}
		if want := `{"error":{"code":"internal","message":"stopped"}}` + "\n"; e.err.String() != want {
			t.Errorf("%s: %q", sig, e.err.String())
		}
	}
}

// What a shell keeps from a command stays so: a script that runs it in the
// background has it ignore Ctrl-C, and nohup a terminal that closes.
func TestAnIgnoredSignalStaysIgnored(t *testing.T) {
	t.Parallel()
	cmd := newCommands(t, newHome(t, nil), "kept").command("pipe")
	cmd.Args = append([]string{"sh", "-c", `trap '' INT HUP; exec "$@"`, "sh"}, cmd.Args...)
	cmd.Path = apptest.OK(exec.LookPath("sh"))(t)
	e := begin(t, cmd)
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGHUP, syscall.SIGTERM} {
		if answer := e.say(call); !strings.Contains(answer, "output") {
			t.Fatal(answer)
		}
		e.signal(sig)
	}
	if _, _, by := e.end(); by != syscall.SIGTERM {
		t.Errorf("it ended by %s: %s", by, e.err.String())
	}
}

// editing begins to edit the page a of a new memory, and returns when the
// editor runs. temp is where the copy lies that it edits.
func editing(t *testing.T, script string) (e *ending, home, temp string) {
	t.Helper()
	home = newHome(t, map[string]string{"a.md": "# A\n"})
	apptest.OK(gitsync.Sync(t.Context(), open(t, home), gitsync.SyncRequest{}))(t)
	editor := filepath.Join(home, "editor")
	writeFile(t, editor, "#!/bin/sh\n"+script)
	temp = filepath.Join(home, "temp")
	if err := errors.Join(os.Chmod(editor, 0o700), os.Mkdir(temp, 0o700)); err != nil {
		t.Fatal(err)
	}
	cmd := newCommands(t, home, "writer").command("edit", "a")
	cmd.Env = append(cmd.Env, "EDITOR="+editor, "TMPDIR="+temp, "CAIRN_EMBED=off")
	e = begin(t, cmd)
	if line := e.hear(); line != "editor\n" {
		t.Fatalf("%q", line)
	}
	return e, home, temp
}

func document(t *testing.T, home string) string {
	t.Helper()
	return string(apptest.OK(os.ReadFile(filepath.Join(root(home), "a.md")))(t))
}

// Ctrl-C and Ctrl-\ in an editor are the editor's, as those know who use one.
func TestKeysInTheEditorAreForTheEditor(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT} {
		e, home, _ := editing(t, `trap 'echo; echo "By hand." >> "$1"; exit 0' INT QUIT
echo editor
read line
`)
		e.signal(sig)
		if _, code, by := e.end(); code != 0 {
			t.Errorf("%s: code %d, by %s: %s", sig, code, by, e.err.String())
		}
		if text := document(t, home); text != "# A\nBy hand.\n" {
			t.Errorf("%s: %q", sig, text)
		}
	}
}

// Whoever tells cairn to end while it waits for an editor ends that, too. What
// was typed by then is kept, and what was not typed leaves nothing behind.
func TestAnEditorEndsWithTheCommand(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, script, kept string }{
		{"nothing typed", "echo editor\nexec sleep 1000\n", ""},
		{"typed", "echo \"By hand.\" >> \"$1\"\necho editor\nexec sleep 1000\n", "# A\nBy hand.\n"},
		{"ignores it", "trap '' TERM\necho \"By hand.\" >> \"$1\"\necho editor\nread forever\n", "# A\nBy hand.\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e, home, temp := editing(t, tc.script)
			if err := e.cmd.Process.Signal(syscall.SIGTERM); err != nil { // and not the editor
				t.Error(err)
			}
			// Its output ends when the editor has ended, too.
			if _, _, by := e.end(); by != syscall.SIGTERM {
				t.Errorf("it ended by %s: %s", by, e.err.String())
			}
			copies := apptest.OK(os.ReadDir(temp))(t)
			if tc.kept == "" {
				if len(copies) > 0 || strings.Contains(e.err.String(), "hint") {
					t.Errorf("%v is left: %s", copies, e.err.String())
				}
			} else {
				file := filepath.Join(temp, "cairn-a-1.md")
				if text := string(apptest.OK(os.ReadFile(file))(t)); text != tc.kept || !strings.Contains(e.err.String(), file) {
					t.Errorf("%q is kept, and said: %s", text, e.err.String())
				}
			}
			if text := document(t, home); text != "# A\n" {
				t.Errorf("%q", text)
			}
		})
	}
}

// A command that waits for its reader ends when it is told to: a pager that
// shows the first screen does not end with Ctrl-C.
func TestAWriteThatNobodyReadsEnds(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("stone upon stone\n", 1<<13)
	home := newHome(t, map[string]string{"long.md": long})
	apptest.OK(gitsync.Sync(t.Context(), open(t, home), gitsync.SyncRequest{}))(t)
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		for _, args := range []string{"get long", "put long - --overwrite --diff"} { // both print it
			e := begin(t, newCommands(t, home, "writer").command(strings.Fields(args)...))
			writes := strings.HasPrefix(args, "put")
			if writes {
				apptest.OK(io.WriteString(e.in, strings.ReplaceAll(long, "stone", sig.String())))(t)
			}
			if err := e.in.Close(); err != nil {
				t.Error(err)
			}
			apptest.OK(e.out.ReadByte())(t) // and no more
			e.signal(sig)
			if by := e.wait(); by != sig {
				t.Errorf("%s, %s: it ended by %s: %s", args, sig, by, e.err.String())
			}
			if said := strings.Contains(e.err.String(), "is done; only its answer is lost"); said != writes {
				t.Errorf("%s, %s: %s", args, sig, e.err.String())
			}
		}
	}
}

// A command whose reader has left ends quietly, and a server goes on.
func TestTheReaderLeaves(t *testing.T) {
	t.Parallel()
	home := newHome(t, map[string]string{"a.md": "# A\n"})
	c := newCommands(t, home, "reader")
	apptest.OK(gitsync.Sync(t.Context(), open(t, home), gitsync.SyncRequest{}))(t)
	for _, args := range [][]string{{"list"}, {"--help"}, {"db", "dump"}, {"put", "b", "text"}, {"tools-json"}} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		cmd := c.command(args...)
		var complaints bytes.Buffer
		cmd.Stdout, cmd.Stderr = w, &complaints
		_ = cmd.Run() // its state says how it went
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if code := cmd.ProcessState.ExitCode(); code != 141 || complaints.Len() > 0 {
			t.Errorf("%q: code %d: %s", args, code, complaints.String())
		}
	}
	if page, err := c.Get(t.Context(), read.GetRequest{Ref: "b"}); err != nil || page.Text != "text\n" {
		t.Errorf("%q, %v", page.Text, err)
	}

	cmd := newCommands(t, home, "server").command()
	cmd.Args = []string{cmd.Path, "serve", "--json"}
	out := apptest.OK(cmd.StdoutPipe())(t)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	apptest.OK(bufio.NewReader(out).ReadString('\n'))(t) // it runs
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(root(home), "c.md"), "---\ntags: [later]\n---\n# C\n")
	deadline := time.Now().Add(time.Minute)
	for tagged(t, c, "later") == 0 {
		if time.Now().After(deadline) {
			t.Fatal("the server does not follow")
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil || complaints.Len() > 0 || !late.Stop() {
		t.Errorf("%v: %s", err, complaints.String())
	}
}

// A command whose work does not end, here in a hook of git, ends within a second of the
// signal, with everything that it started.
func TestACommandEndsDespiteAHook(t *testing.T) {
	// Serial: it measures time.
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	home := newHome(t, nil)
	for _, args := range [][]string{{"init", "-q"}, {"config", "user.name", "Ada"}, {"config", "user.email", "ada@example.org"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = root(home)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	policy := filepath.Join(root(home), ".cairn", "space.toml")
	text, err := os.ReadFile(policy)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	writeFile(t, policy, string(text)+"\n[guard]\ncommit = true\n")
	fifo := filepath.Join(home, "started")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	hook := filepath.Join(root(home), ".git", "hooks", "pre-commit")
	writeFile(t, hook, "#!/bin/sh\nexec 3> '"+fifo+"'\necho started >&3\nsleep 1000\n")
	if err := os.Chmod(hook, 0o755); err != nil {
		t.Fatal(err)
	}
	apptest.Accept(t, open(t, home), "notes") // the policy and the hook
	e := begin(t, newCommands(t, home, "waiting").command("put", "notes:a", "text"))
	started := apptest.OK(os.Open(fifo))(t)
	lines := bufio.NewReader(started)
	if line, err := lines.ReadString('\n'); err != nil {
		t.Fatalf("%q, %v: %s", line, err, e.err.String())
	}
	before := time.Now()
	e.signal(syscall.SIGTERM)
	_, code, by := e.end()
	if took := time.Since(before); took > 10*time.Second { // of a second, on a loaded machine
		t.Errorf("it took %v", took)
	}
	if code == 0 && by == 0 {
		t.Error("it ended as if it had not been stopped")
	}
	if _, err := io.ReadAll(lines); err != nil { // ends with the last process of the hook
		t.Error(err)
	}
	if err := started.Close(); err != nil {
		t.Error(err)
	}
}
