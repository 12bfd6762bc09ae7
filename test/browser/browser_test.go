// Package browser tries the web UI in a real Chromium: with scripts and without, on a
// wide screen and on a narrow one, in both themes.
package browser

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// program is a cairn with a memory of its own, and where its web UI is.
type program struct {
	*testing.T
	cairn, home, notes string
	address            string // http://…localhost:PORT
}

// chromium returns the browser, or skips the test where there is none. CI has one.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") != "" {
		t.Fatal("there is no Chromium: apt-get install chromium")
	}
	t.Skip("there is no Chromium: apt-get install chromium")
	return ""
}

// built is the directory of the binary.
var built string

func TestMain(m *testing.M) {
	var err error
	if built, err = os.MkdirTemp("", "cairn-bin-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if err := os.RemoveAll(built); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// binary builds cairn once for all tests, and returns its path.
var binary = sync.OnceValues(func() (string, error) {
	if path := os.Getenv("CAIRN_BINARY"); path != "" {
		return path, nil
	}
	path := filepath.Join(built, "cairn")
	build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", path, "./cmd/cairn")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

// build builds cairn and writes the vault, which is in no memory yet.
func build(t *testing.T) *program {
	t.Helper()
	chromium(t)
	cairn, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	p := &program{T: t, cairn: cairn, home: filepath.Join(dir, "home"), notes: filepath.Join(dir, "notes")}
	for name, text := range vault {
		path := filepath.Join(p.notes, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(p.home, 0o700); err != nil {
		t.Fatal(err)
	}
	return p
}

// begin builds cairn, fills a memory and serves it.
func begin(t *testing.T, flags ...string) *program {
	t.Helper()
	p := build(t)
	p.run("space", "add", p.notes, "--name", "demo")
	p.run("edit", "demo:projects/engine", "--append", "The design has 50,000 parts.", "--actor", "agent:claude-code")
	p.run("edit", "demo:projects/engine", "--append", "Drawings are at the museum.", "--actor", "human:ada")
	p.serve(p.command(append([]string{"serve", "--http", "--listen", "127.0.0.1:0"}, flags...)...), `"listening"`)
	link := p.link("/")
	p.address, _, _ = strings.Cut(link, "/login")
	return p
}

// serve starts a server, and returns the line with which it says that it listens. The server
// ends with the test.
func (p *program) serve(serve *exec.Cmd, says string) (line string) {
	t := p.T
	t.Helper()
	out, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = serve.Process.Signal(syscall.SIGTERM) // a shell has jobs in the background ignore SIGINT
		_ = serve.Wait()
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if line = lines.Text(); strings.Contains(line, says) {
			break
		}
	}
	go func() {
		for lines.Scan() {
		}
	}()
	return line
}

func (p *program) command(args ...string) *exec.Cmd {
	cmd := exec.Command(p.cairn, args...)
	cmd.Env = append(os.Environ(), "HOME="+p.home, "XDG_DATA_HOME=", "XDG_CONFIG_HOME=", "CAIRN_DB=", "CAIRN_ACTOR=human:ada")
	cmd.Dir = p.home
	return cmd
}

func (p *program) run(args ...string) string {
	p.Helper()
	out, err := p.command(args...).Output()
	if err != nil {
		p.Fatalf("cairn %v: %v", args, err)
	}
	return string(out)
}

// link is a fresh one that signs in.
func (p *program) link(string) string {
	return strings.TrimSpace(p.run("web", "--print", "--format", "human"))
}

// look is how the browser is set.
type look struct {
	width   int64
	dark    bool
	scripts bool
}

func (l look) String() string {
	name := fmt.Sprintf("%d-light", l.width)
	if l.dark {
		name = fmt.Sprintf("%d-dark", l.width)
	}
	if !l.scripts {
		name += "-noscript"
	}
	return name
}

// tab opens a browser that is signed in.
func (p *program) tab(l look) context.Context {
	p.Helper()
	ctx := p.browser(l)
	p.do(ctx, chromedp.Navigate(p.link("/")))
	p.wait(ctx, `document.readyState == "complete" && location.pathname == "/" && document.querySelector(".ask") != null`)
	return ctx
}

// quiet is a tab for hostile pages: that the browser reports what it blocked is no fault.
func (p *program) quiet(l look) context.Context {
	p.Helper()
	ctx := p.start(l)
	p.do(ctx, chromedp.Navigate(p.link("/")))
	p.wait(ctx, `document.readyState == "complete" && location.pathname == "/" && document.querySelector(".ask") != null`)
	return ctx
}

// start opens a browser.
func (p *program) start(l look) context.Context {
	p.Helper()
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium(p.T)), chromedp.NoSandbox, chromedp.Flag("lang", "en-US"))
	ctx, stop := context.WithTimeout(p.Context(), 4*time.Minute)
	p.Cleanup(stop)
	ctx, stop = chromedp.NewExecAllocator(ctx, opts...)
	p.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	p.Cleanup(stop)
	p.do(ctx, chromedp.EmulateViewport(l.width, 900))
	p.set(ctx, l)
	return ctx
}

// browser opens a browser. What it reports on its console fails the test.
func (p *program) browser(l look) context.Context {
	p.Helper()
	ctx := p.start(l)
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			if strings.Contains(m.Text, "status of 404") || strings.Contains(m.Text, "status of 409") {
				continue // of a screen that there is none of, and of a conflict
			}
			if kind := string(m.Type); kind == "error" || kind == "warning" || strings.Contains(kind, "xception") || strings.Contains(m.Text, "Content Security Policy") {
				p.Errorf("%v: the console says %s: %s", l, kind, m.Text)
			}
		}
	}()
	return ctx
}

// shot takes a picture for CAIRN_SHOTS.
func (p *program) shot(ctx context.Context, name string) {
	p.Helper()
	dir := os.Getenv("CAIRN_SHOTS")
	if dir == "" {
		return
	}
	picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o600); err != nil {
		p.Fatal(err)
	}
}

func (p *program) set(ctx context.Context, l look) {
	p.Helper()
	scheme := "light"
	if l.dark {
		scheme = "dark"
	}
	if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}}); err != nil {
		p.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !l.scripts}); err != nil {
		p.Fatal(err)
	}
}

func (p *program) do(ctx context.Context, steps ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.Fatal(err)
	}
}

// eval returns the value of an expression.
func eval[T any](p *program, ctx context.Context, expression string) T {
	p.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.Fatalf("%s: %v", expression, err)
	}
	return v
}

// wait waits until an expression holds.
func (p *program) wait(ctx context.Context, expression string) {
	p.Helper()
	end := time.Now().Add(60 * time.Second)
	for {
		v, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+expression+")"))
		if err == nil && v {
			return
		}
		if time.Now().After(end) {
			p.Fatalf("never: %s (%v)", expression, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// screens are all that there are, with a text that each shows.
var screens = []struct{ name, path, shows string }{
	{"today", "/today", "Written by agents"},
	{"take-back", "/take-back?write=2", "Take back"},
	{"edit", "/edit/demo:projects/engine", "Edit"},
	{"new", "/new", "New page"},
	{"move", "/move?ref=demo:projects/engine&to=projects/machine", "Links to it"},
	{"blame", "/blame/demo:projects/engine", "Author of each line"},
	{"start", "/", "Changed lately"},
	{"search", "/?q=analytical+engine", "Analytical Engine"},
	{"agent", "/?q=analytical+engine&view=agent", "tokens"},
	{"none", "/?q=zzyzx&mode=fts", "No page was found"},
	{"page", "/page/demo:people/ada", "Rule of three"},
	{"org", "/page/demo:org/mill", "Sixty turns"},
	{"canvas", "/page/demo:boards/plan.canvas", "Build the mill first"},
	{"drawn", "/page/demo:drawn", "The area is"},
	{"versions", "/history/demo:projects/engine", "Drawings are at the museum."},
	{"around", "/graph?ref=demo:people/ada", "Charles Babbage"},
	{"map", "/graph?space=demo", "Analytical Engine"},
	{"timeline", "/timeline", "First draft of Note G"},
	{"tasks", "/tasks", "Send the proofs"},
	{"activity", "/activity", "agent:claude-code"},
	{"spaces", "/spaces", "demo"},
	{"health", "/health", "Numbers"},
	{"setup", "/setup", "cairn setup"},
	{"connect", "/connect?client=claude-code", "Nothing has changed yet"},
	{"begin", "/start", "Begin with your notes"},
	{"table", "/table?space=demo&columns=born,status,aliases,tags", "Analytical Engine"},
	{"table-edit", "/table?space=demo&columns=born,status,aliases&edit=demo:people/ada", "Leave"},
	{"view", "/page/demo:views/people.base", "Charles Babbage"},
	{"merge", "/merge?ref=demo:daily/2026-11-01&into=demo:daily/2026-11-05", "Nothing has changed yet"},
	{"leaving", "/leaving", "Where your data is"},
	{"time", "/time", "Search, pages, links and graph"},
	{"past", "/at/" + time.Now().Format(time.DateOnly) + "/page/demo:people/ada", "Nothing can be changed here."},
	{"past-search", "/at/" + time.Now().Format(time.DateOnly) + "/?q=engine", "Analytical Engine"},
	{"past-table", "/at/" + time.Now().Format(time.DateOnly) + "/table?space=demo&columns=born,status", "Analytical Engine"},
	{"past-around", "/at/" + time.Now().Format(time.DateOnly) + "/graph?ref=demo:people/ada", "Charles Babbage"},
	{"delete", "/delete?ref=demo:projects/engine", "Links to it"},
	{"daily", "/daily", "Today's note"},
	{"missing", "/page/demo:none", "Not found"},
}
