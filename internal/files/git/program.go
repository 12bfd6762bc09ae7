package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// Limits are the deadlines of one run of git. Zero is the default.
type Limits struct {
	Local time.Duration // for local commands
	Hook  time.Duration // for a hook, and for signing
	Fetch time.Duration // before a write
	Far   time.Duration // for a push, and for a fetch that was asked for
	Lock  time.Duration // how long the lock of another program is waited for
}

// The default deadlines.
const (
	localLimit = 30 * time.Second
	hookLimit  = 30 * time.Second
	fetchLimit = 3 * time.Second
	farLimit   = 60 * time.Second
	lockLimit  = 5 * time.Second
)

// Reasons why git could not run a command.
var (
	ErrMissing = errors.New("git is not installed")
	ErrTimeout = errors.New("git did not finish in time")
)

// Failure is a run of git that failed.
type Failure struct {
	Command string // such as "commit-tree"
	Exit    int    // -1 when it did not end by itself
	Said    string // the end of its error output
	cause   error
}

// Error returns the failed command and git's output.
func (f *Failure) Error() string {
	why := f.Said
	if why == "" && f.cause != nil {
		why = f.cause.Error()
	}
	return fmt.Sprintf("git %s failed: %s", f.Command, cmp.Or(why, fmt.Sprintf("exit code %d", f.Exit)))
}

// Unwrap returns ErrMissing, ErrTimeout, or why the caller gave up.
func (f *Failure) Unwrap() error { return f.cause }

// run is one run of git.
type run struct {
	args  []string
	stdin []byte
	index string        // GIT_INDEX_FILE; "" for the repository's own
	limit time.Duration // 0 is the limit of local commands
	hook  bool          // it runs a program of the user, with git's usual settings
	plain bool          // the command has no path magic, and fails with the option that disables it
	acts  bool          // it may run programs that the repository names; hooks imply it
	asks  bool          // it only reads what the repository says and runs nothing
	with  []pair        // settings for this run

	stranger bool // it has nothing of the person's: no keys, no passwords, no settings
}

// maxSaid is how much of what git prints as errors is kept.
const maxSaid = 2 << 10

// grace is how long what git has started may hold on to its output when git has ended.
const grace = time.Second

// quiet are settings by which git asks nobody and runs nothing that it need not, and opens no
// repository that is a part of another one's files.
var quiet = []string{
	"-c", "safe.bareRepository=explicit",
	"-c", "core.fsmonitor=false", "-c", "core.askPass=", "-c", "protocol.ext.allow=never",
	"-c", "advice.detachedHead=false", "-c", "core.quotePath=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
	// A commit is the record of a write that is on the disk already.
	"-c", "core.fsync=committed,reference",
	// In ms: a cairn that died may have left a git that still moves the branch.
	"-c", "core.filesRefLockTimeout=2000",
}

// program is the name or path of git.
func (t *Tree) program() string { return cmp.Or(t.Program, "git") }

func (t *Tree) git(ctx context.Context, r run) ([]byte, error) {
	fail := func(exit int, said string, cause error) ([]byte, error) {
		return nil, &Failure{Command: r.args[0], Exit: exit, Said: said, cause: cause}
	}
	program, err := exec.LookPath(t.program())
	if err != nil {
		return fail(-1, "", ErrMissing)
	}
	within, cancel := context.WithTimeoutCause(ctx, cmp.Or(r.limit, t.Limits.Local, localLimit), ErrTimeout)
	defer cancel()
	within, end := context.WithCancelCause(within)
	defer end(nil)
	args := append([]string{"-C", t.Dir}, quiet...)
	if r.stranger {
		args = append(args, strangerSettings...)
	}
	if !r.hook {
		args = append(args, "--no-optional-locks")
	}
	if !r.hook && !r.plain {
		args = append(args, "--literal-pathspecs")
	}
	cmd := exec.CommandContext(within, program, append(args, r.args...)...)
	have := cmd.Environ()
	cmd.Env = environment(have, r)
	if r.stranger {
		cmd.Env = strangerEnvironment(cmd.Env)
	}
	cmd.WaitDelay = grace
	finish := alone(cmd)
	if r.stdin != nil {
		cmd.Stdin = bytes.NewReader(r.stdin)
	}
	var out bytes.Buffer
	var said tail
	cmd.Stdout, cmd.Stderr = &out, &said
	if r.hook {
		cmd.Stdout = &said // a hook may explain itself on either stream
	}
	if err = cmd.Start(); err == nil {
		stop := t.endStuck(within, homeIn(have), end)
		err = wait(cmd)
		stop()
	}
	var exit *exec.ExitError
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		return out.Bytes(), nil
	case within.Err() != nil:
		finish()
		if cause := context.Cause(within); errors.Is(cause, fsys.ErrNotRegular) {
			return fail(-1, "", cause)
		}
		return fail(-1, said.String(), context.Cause(within))
	case errors.As(err, &exit):
		return fail(exit.ExitCode(), said.String(), nil)
	}
	return fail(-1, "", err)
}

// identity lists the variables that name author and committer.
var identity = []string{"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"}

// environment is what git sees: of the git that may have started cairn as a hook only who
// the person is.
func environment(have []string, r run) []string {
	var out []string
	for _, e := range have {
		name, _, _ := strings.Cut(e, "=")
		if strings.HasPrefix(name, "GIT_") && !slices.Contains(identity, name) || name == "SSH_ASKPASS" || !r.hook && (name == "LC_ALL" || name == "LANGUAGE") {
			continue
		}
		out = append(out, e)
	}
	out = append(out, "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=:", "SSH_ASKPASS_REQUIRE=never", "GCM_INTERACTIVE=never")
	if !r.hook { // objects have the bytes of their ids, in any repository
		out = append(out, "LC_ALL=C", "GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE="+os.DevNull)
	}
	if r.index != "" {
		out = append(out, "GIT_INDEX_FILE="+r.index)
	}
	with := r.with
	if !r.acts && !r.hook {
		out = append(out, lookingVariables...)
		if !r.asks {
			with = slices.Concat(looking, with)
		}
	}
	return append(out, variables(with)...)
}

// homeIn returns the home directory that an environment names.
func homeIn(have []string) (home string) {
	for _, e := range have {
		if value, is := strings.CutPrefix(e, "HOME="); is {
			home = value
		}
	}
	return home
}

// line is git for an answer of one line.
func (t *Tree) line(ctx context.Context, args ...string) (string, error) {
	out, err := t.git(ctx, run{args: args})
	return strings.TrimRight(string(out), "\r\n"), err
}

// exitOf is the code with which git ended, -1 where it did not end by itself.
func exitOf(err error) int {
	var f *Failure
	if errors.As(err, &f) {
		return f.Exit
	}
	return -1
}

// tail keeps the end of its input.
type tail struct{ text []byte }

// Write implements io.Writer.
func (t *tail) Write(text []byte) (int, error) {
	t.text = append(t.text, text...)
	if over := len(t.text) - maxSaid; over > 0 {
		t.text = t.text[over:]
	}
	return len(text), nil
}

// String returns the text as valid UTF-8, without surrounding blank lines.
func (t *tail) String() string {
	text := strings.TrimSpace(strings.ToValidUTF8(string(t.text), ""))
	return shownIn(text)
}

// shownIn returns a text with the addresses in it as they may be shown.
func shownIn(text string) string { return addresses().ReplaceAllStringFunc(text, Shown) }

// addresses matches addresses that may hold a password or a token.
var addresses = lazyregexp.New(`[A-Za-z][A-Za-z0-9+.-]*://[^\s'"]*(?:[@?#]|[\w-]{20})[^\s'"]*|[^\s'":/\\@]+:[^\s'"/\\@]+@[^\s'"]+|[^\s'":/\\@]+@[^\s'":/\\@]+:[^\s'"]*[\w-]{20}[^\s'"]*`)

// fields splits what ends with NUL.
func fields(out []byte) []string {
	text := strings.TrimSuffix(string(out), "\x00")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\x00")
}
