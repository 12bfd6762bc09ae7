package scripttest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/cairn-kb/cairn/internal/files/fsystest"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/surface/cli"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/httpapi"
	"github.com/cairn-kb/cairn/internal/transfer/foreign/foreigntest"
)

// Update is the flag that rewrites expected output in scripts and docs/cli.
var Update = flag.Bool("update", false, "rewrite the expected output in scripts and docs/cli")

// Main is the TestMain of a package with scripts: the test binary is cairn for them.
func Main(m *testing.M) {
	program := func() {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		os.Exit(cli.Main(ctx, testEnv()))
	}
	testscript.Main(m, map[string]func(){"cairn": program, "kt": program})
}

// testEnv is the environment of a script's cairn: that of the process, but
// for what the binary was built from.
func testEnv() command.Env {
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	tty := func(f *os.File) bool { return isatty.IsTerminal(f.Fd()) }
	after, atOnce := time.After, time.Duration(0)
	if os.Getenv("PATIENT") != "" { // disables timeouts that slow machines exceed
		after, atOnce = func(time.Duration) <-chan time.Time { return nil }, time.Hour
	}
	return command.Env{
		Name: os.Args[0], Args: os.Args[1:],
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		StdinTTY: tty(os.Stdin), StdoutTTY: tty(os.Stdout), StderrTTY: tty(os.Stderr),
		Getenv: os.Getenv, Dir: dir, Home: os.Getenv("HOME"), TempDir: os.TempDir(), Program: "/opt/cairn/bin/cairn",
		Now: time.Now, After: after, EmbedAtOnce: atOnce, CheckAddress: httpapi.CheckAddress,
		Build: command.Build{Version: "v0.0.0-test", Revision: "abc123", Go: "go1.26", Platform: "linux/amd64"},
	}
}

// minilmVar names the directory of all-MiniLM-L6-v2, which .ci/minilm fetches.
const minilmVar = "CAIRN_MINILM"

// Run runs the scripts in testdata/script that need git, or the others.
func Run(t *testing.T, git bool) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join("testdata", "script", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, name := range all {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte("\n[!exec:git] skip")) == git {
			files = append(files, name)
		}
	}
	if len(files) < 5 {
		t.Fatalf("only %d scripts", len(files))
	}
	run(t, files, nil)
}

// RunOver runs scripts with the memory at a location of its own for each.
func RunOver(t *testing.T, files []string, location func() string) {
	t.Helper()
	run(t, files, location)
}

func run(t *testing.T, files []string, location func() string) {
	t.Helper()
	testscript.Run(t, testscript.Params{
		Files:               files,
		WorkdirRoot:         fsystest.TempDir(t), // most of the time would go to flushing files
		UpdateScripts:       *Update,
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, "home")
			e.Setenv("HOME", home)
			e.Setenv("XDG_DATA_HOME", filepath.Join(home, "data"))
			e.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
			e.Setenv("TZ", "UTC")
			e.Setenv("TERM", "xterm-256color")
			// The race detector makes each process wait a second at its end.
			e.Setenv("GORACE", "atexit_sleep_ms=0")
			// Loading the model after each of hundreds of writes would cost
			// more than all else; embed_after.txtar is about it.
			e.Setenv("CAIRN_EMBED", "off")
			e.Setenv("MINILM", os.Getenv(minilmVar))
			if location != nil {
				e.Setenv("CAIRN_DB", location())
			}
			return os.MkdirAll(home, 0o700)
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "model":
				return bge.Available(), nil
			case "minilm":
				return os.Getenv(minilmVar) != "", nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"append": appendFile,
			"exits":  exits,
			"golden": golden,
			"ktdb":   ktDatabase,
			"list":   listFiles,
			"now":    now,
		},
	})
}

// appendFile implements "append FILE TO": it adds the text of FILE to TO.
func appendFile(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[1]) + ts.ReadFile(args[0])
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o644))
}

// ktDatabase FILE writes a database as kt does.
func ktDatabase(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(foreigntest.Sample(context.Background(), ts.MkAbs(args[0])))
}

// now NAME sets an environment variable to the time.
func now(ts *testscript.TestScript, _ bool, args []string) {
	ts.Setenv(args[0], time.Now().UTC().Format(time.RFC3339Nano))
}

// exits CODE PROGRAM ARGS... runs a program that must end with the code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	if err != nil || neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS...")
	}
	code := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

// volatile lists the JSON fields that differ from run to run.
var volatile = map[string]bool{
	"id": true, "short": true, "page": true, "score": true, "took_ms": true, "date": true, "space_id": true,
	"at": true, "created_at": true, "updated_at": true, "truth_updated_at": true, "synced_at": true, "last_sync": true, "last_run": true, "next_run": true, "last_maintenance": true, "database_bytes": true, "bytes_after": true,
}

var uuids = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// golden FILE writes the JSON of standard output, indented and without what
// differs from run to run, to FILE.
func golden(ts *testscript.TestScript, _ bool, args []string) {
	var value any
	if err := json.Unmarshal([]byte(ts.ReadFile("stdout")), &value); err != nil {
		ts.Fatalf("standard output is not JSON: %v", err)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	ts.Check(enc.Encode(steady(value)))
	work := regexp.MustCompile(`(/private)?` + regexp.QuoteMeta(ts.Getenv("WORK")))
	text := uuids.ReplaceAllString(work.ReplaceAllString(b.String(), "$$WORK"), "*")
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

func steady(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for k, inner := range v {
			if _, nested := inner.(map[string]any); volatile[k] && !nested {
				v[k] = "*"
			} else {
				v[k] = steady(inner)
			}
		}
	case []any:
		for i := range v {
			v[i] = steady(v[i])
		}
	}
	return value
}

// listFiles implements "list DIR FILE": it writes the names and bytes below DIR to
// FILE.
func listFiles(ts *testscript.TestScript, _ bool, args []string) {
	var b strings.Builder
	root := ts.MkAbs(args[0])
	ts.Check(filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil || info.IsDir() {
			b.WriteString(filepath.ToSlash(rel) + "/\n")
			return err
		}
		text, err := os.ReadFile(path)
		b.WriteString(filepath.ToSlash(rel) + " " + strconv.Quote(string(text)) + "\n")
		return err
	}))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(b.String()), 0o600))
}
