package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/surface/cli"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// clockEnv makes the test binary act as cairn with another clock: a file says by how much it
// is ahead of that of the machine. It is never behind, since limits of connections go by the
// machine's.
const clockEnv = "CAIRN_TEST_CLOCK"

func TestMain(m *testing.M) {
	file := os.Getenv(clockEnv)
	if file == "" {
		os.Exit(m.Run())
	}
	ctx, s := listen()
	env := environment()
	env.Lend = s.lend
	env.Now = func() time.Time {
		text, err := os.ReadFile(file)
		ahead, perr := time.ParseDuration(string(text))
		if err != nil || perr != nil {
			panic(fmt.Sprint(err, perr))
		}
		return time.Now().Add(ahead)
	}
	end(ctx, cli.Main(ctx, env))
}

// vault is a context vault in a home directory of its own, and what the clock shows there.
type vault struct {
	t           *testing.T
	home, clock string
}

// first is the day on which the clock begins.
var first = time.Now().UTC().AddDate(1, 0, 0).Truncate(24 * time.Hour)

// date is the date of a day after the first.
func date(day int) string { return first.AddDate(0, 0, day).Format(time.DateOnly) }

// at sets the clock to a time of a day after the first.
func (v *vault) at(day, hour, minute, second int) {
	v.t.Helper()
	then := first.AddDate(0, 0, day).Add(time.Duration(hour*3600+minute*60+second) * time.Second)
	err := os.WriteFile(v.clock+".new", []byte(time.Until(then).String()), 0o600)
	if err == nil {
		err = os.Rename(v.clock+".new", v.clock)
	}
	if err != nil {
		v.t.Error(err)
	}
}

func (v *vault) command(actor string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir = v.home
	cmd.Env = []string{"HOME=" + v.home, "PATH=" + os.Getenv("PATH"), "TZ=UTC", "CAIRN_ACTOR=" + actor, "CAIRN_SPACE=context", clockEnv + "=" + v.clock}
	return cmd
}

// run runs a command; a failure is told of, and ends nothing.
func (v *vault) run(actor string, args ...string) string {
	v.t.Helper()
	cmd := v.command(actor, args...)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		v.t.Errorf("cairn %q: %v: %s%s", args, err, complaints.String(), out)
	}
	return string(out)
}

func (v *vault) file(name string) string {
	text, err := os.ReadFile(filepath.Join(v.home, "context", filepath.FromSlash(name)))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// server is a cairn serve at a free port.
func (v *vault) server() (url string) {
	v.t.Helper()
	cmd := v.command("", "serve", "--json", "--http", "--listen", "127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		v.t.Fatal(err)
	}
	v.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed, so always an error
	})
	lines := json.NewDecoder(out)
	for url == "" {
		var said struct{ URL string }
		if err := lines.Decode(&said); err != nil {
			v.t.Fatal(err)
		}
		url = said.URL
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return url
}

// ask asks a server as an agent, and returns what it answers.
func (v *vault) ask(token, method, url, body string) string {
	v.t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		v.t.Error(err)
		return ""
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil || a.StatusCode != http.StatusOK {
		v.t.Errorf("%s %s: %s %s %v", method, url, a.Status, text, err)
	}
	return string(text)
}

// Two servers, maintain, agents and their user are at work in one vault when its day ends:
// it is turned over once, each line that somebody was told is written stands in one of the
// two days, and a day that nobody recorded is kept.
func TestADayEndsBesideServers(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "the work is done by binaries without the detector")
	if runtime.GOOS == "windows" {
		t.Skip("a clock that others read cannot be replaced there")
	}
	v := &vault{t: t, home: t.TempDir()}
	v.clock = filepath.Join(v.home, "clock")
	v.at(0, 12, 0, 0)
	if err := os.MkdirAll(filepath.Join(v.home, "context", ".cairn"), 0o700); err != nil {
		t.Fatal(err)
	}
	v.run("human", "space", "add", filepath.Join(v.home, "context"), "--preset", "context")
	policy := v.file(".cairn/space.toml")
	if err := os.WriteFile(filepath.Join(v.home, "context", ".cairn", "space.toml"), []byte("time_zone = \"Asia/Kathmandu\"\n"+policy), 0o600); err != nil {
		t.Fatal(err)
	}
	v.run("human", "today", "log", "spun")
	v.at(1, 12, 0, 0)
	v.run("human", "today", "log", "wove")
	if before := v.file("state/yesterday.md"); !strings.Contains(before, "spun") {
		t.Fatalf("yesterday: %s", before)
	}

	// It is four o'clock in Kathmandu at 22:15 by UTC.
	v.at(1, 22, 14, 0)
	one, two := v.server(), v.server()
	token := strings.TrimSpace(v.run("human", "serve", "token", "--agent", "http"))
	for _, url := range []string{one, two} {
		if got := v.ask(token, "GET", url+"/api/context/state/today", ""); !strings.Contains(got, "wove") {
			t.Fatalf("before the day ends: %s", got)
		}
	}
	v.at(1, 22, 14, 30)
	const each = 6
	var all sync.WaitGroup
	worker := func(do func(i int)) {
		all.Go(func() {
			for i := range each {
				do(i)
			}
		})
	}
	var lines []string
	for i := range each {
		lines = append(lines, fmt.Sprint("by one ", i, "."), fmt.Sprint("by two ", i, "."), fmt.Sprint("by an agent ", i, "."), fmt.Sprint("by the user ", i, "."))
	}
	for name, url := range map[string]string{"one": one, "two": two} {
		worker(func(i int) {
			v.ask(token, "PATCH", url+"/api/context/state/today", fmt.Sprintf(`{"section":"Agent Log","text":"- by %s %d."}`, name, i))
			v.ask(token, "GET", url+"/api/context/state/today", "")
		})
	}
	worker(func(i int) { v.run("agent:cli", "today", "log", fmt.Sprint("by an agent ", i, ".")) })
	worker(func(i int) { v.run("human", "today", "note", fmt.Sprint("by the user ", i, ".")) })
	worker(func(i int) {
		v.run("human", "maintain")
		if i == 1 {
			v.at(1, 22, 15, 0)
		}
	})
	all.Wait()
	v.run("human", "today")

	today, yesterday := v.file("state/today.md"), v.file("state/yesterday.md")
	for _, line := range lines {
		if n := strings.Count(today+yesterday, line); n != 1 {
			t.Errorf("%q stands there %d times", line, n)
		}
	}
	if !strings.Contains(today, "date: "+date(2)+"\n") || !strings.Contains(yesterday, "date: "+date(1)+"\n") || !strings.Contains(yesterday, "wove") {
		t.Errorf("today:\n%s\nyesterday:\n%s", today, yesterday)
	}
	if kept := v.file("state/inbox/" + date(0) + "-today.md"); !strings.Contains(kept, "spun") {
		t.Errorf("the day before: %s", kept)
	}
	if inbox, err := os.ReadDir(filepath.Join(v.home, "context", "state", "inbox")); err != nil || len(inbox) != 1 {
		t.Errorf("the inbox has %v, %v", inbox, err)
	}
	var history struct {
		Items []struct{ Operation, Message string }
	}
	if err := json.Unmarshal([]byte(v.run("human", "history", "state/yesterday", "--json")), &history); err != nil {
		t.Fatal(err)
	}
	turned := 0
	for _, h := range history.Items {
		if h.Operation == "rotate" && strings.Contains(h.Message, "of "+date(1)+" is state/yesterday.md now") {
			turned++
		}
	}
	if turned != 1 {
		t.Errorf("it was turned over %d times: %+v", turned, history)
	}
	v.run("human", "db", "validate")
}
