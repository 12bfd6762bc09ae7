package torture

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// web is a client of a server over HTTP.
type web struct {
	t          *testing.T
	url, token string
}

// serveHTTP starts a server at a free port.
func serveHTTP(t *testing.T, home string, args ...string) (*serving, *web) {
	t.Helper()
	s := serve(t, home, append([]string{"--http", "--listen", "127.0.0.1:0"}, args...)...)
	select {
	case p := <-s.place:
		token := apptest.OK(os.ReadFile(p.Token))(t)
		if info := apptest.OK(os.Stat(p.Token))(t); runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("the token has mode %v", info.Mode())
		}
		return s, &web{t, p.URL, strings.TrimSpace(string(token))}
	case <-s.late:
		t.Fatalf("serve never said where it listens; it complained: %s", s.errors.String())
	}
	return nil, nil
}

// ask returns what the server answers.
func (w *web) ask(method, path, body string) map[string]any {
	w.t.Helper()
	r := apptest.OK(http.NewRequestWithContext(w.t.Context(), method, w.url+path, strings.NewReader(body)))(w.t)
	r.Header.Set("Authorization", "Bearer "+w.token)
	r.Header.Set("Content-Type", "application/json")
	return answered(w.t, apptest.OK(http.DefaultClient.Do(r))(w.t))
}

func answered(t *testing.T, r *http.Response) map[string]any {
	t.Helper()
	text := apptest.OK(io.ReadAll(r.Body))(t)
	_ = r.Body.Close()
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", r.Status, text)
	}
	return m
}

// begin sends a write but for the last byte of its body, so that it is under
// way until finish.
func (w *web) begin(page string) (finish func() map[string]any) {
	w.t.Helper()
	c := apptest.OK(net.Dial("tcp", strings.TrimPrefix(w.url, "http://")))(w.t)
	w.t.Cleanup(func() { _ = c.Close() })
	body := `{"text":"begun before the end"}`
	head := fmt.Sprintf("PUT /api/v1/pages/%s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", page, w.token, len(body))
	if _, err := io.WriteString(c, head); err != nil {
		w.t.Fatal(err)
	}
	in := bufio.NewReader(c)
	// The server asks for the body when it has begun with the request.
	if line := apptest.OK(in.ReadString('\n'))(w.t); !strings.Contains(line, "100 Continue") {
		w.t.Fatalf("the server answers %q", line)
	}
	_ = apptest.OK(in.ReadString('\n'))(w.t)
	if _, err := io.WriteString(c, body[:len(body)-1]); err != nil {
		w.t.Fatal(err)
	}
	return func() map[string]any {
		w.t.Helper()
		if _, err := io.WriteString(c, body[len(body)-1:]); err != nil {
			w.t.Fatal(err)
		}
		return answered(w.t, apptest.OK(http.ReadResponse(in, nil))(w.t))
	}
}

// Two servers and the command line see each other's writes at once.
func TestServersAndCommandsSeeEachOther(t *testing.T) {
	t.Parallel()
	home := newHome(t, nil)
	c := newCommands(t, home, "cli")
	_, one := serveHTTP(t, home)
	_, two := serveHTTP(t, home)
	if one.token != two.token {
		t.Error("the servers have different tokens")
	}
	for i := range 5 {
		page := fmt.Sprintf("mem:page%d", i)
		apptest.OK(c.Put(t.Context(), change.PutRequest{Ref: page, Text: []byte("by a command\n")}))(t)
		if m := one.ask("GET", "/api/v1/pages/"+page, ""); m["version"] != 1.0 {
			t.Errorf("one reads %v", m)
		}
		one.ask("PUT", "/api/v1/pages/"+page, `{"text":"by one","expected_version":1}`)
		if m := two.ask("GET", "/api/v1/pages/"+page, ""); m["text"] != "by one\n" {
			t.Errorf("two reads %v", m)
		}
		two.ask("PUT", "/api/v1/pages/"+page, `{"text":"by two","expected_version":2}`)
		if text := apptest.OK(c.Get(t.Context(), read.GetRequest{Ref: page}))(t); text.Text != "by two\n" || text.Version != 3 {
			t.Errorf("the command reads %q, version %d", text.Text, text.Version)
		}
	}
}

// A server that runs takes a token that was changed.
func TestServerTakesAnotherToken(t *testing.T) {
	t.Parallel()
	home := newHome(t, nil)
	_, w := serveHTTP(t, home)
	old := w.token
	w.ask("GET", "/api/v1/spaces", "")
	w.token = apptest.OK(space.RotateToken(t.Context(), options(home, "cli").Place, ""))(t)
	if w.token == old {
		t.Fatal("the token is the same")
	}
	w.ask("GET", "/api/v1/spaces", "")
	r := apptest.OK(http.NewRequestWithContext(t.Context(), "GET", w.url+"/api/v1/spaces", nil))(t)
	r.Header.Set("Authorization", "Bearer "+old)
	answer := apptest.OK(http.DefaultClient.Do(r))(t)
	if _ = answer.Body.Close(); answer.StatusCode != http.StatusUnauthorized {
		t.Errorf("the old token gets %s", answer.Status)
	}
}

// A write that is under way when the server is told to stop is finished, and
// what was written is there.
func TestServerFinishesRequests(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("processes cannot be asked to end")
	}
	home := newHome(t, nil)
	s, w := serveHTTP(t, home, "--grace", "1m")
	w.ask("PUT", "/api/v1/pages/mem:before", `{"text":"before"}`)
	finish := w.begin("mem:during")
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	// It takes nothing new once it was told; that shows that it was.
	for {
		conn, err := net.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
		if err != nil {
			break
		}
		_ = conn.Close()
	}
	finish()
	if err := s.end(); err != nil {
		t.Errorf("serve ended with %v: %s", err, s.errors.String())
	}
	a := open(t, home)
	for _, page := range []string{"mem:before", "mem:during"} {
		apptest.OK(read.Get(t.Context(), a, read.GetRequest{Ref: page}))(t)
	}
}

// A request that never ends does not keep the server from ending.
func TestServerEndsWithinItsLimit(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("processes cannot be asked to end")
	}
	home := newHome(t, nil)
	s, w := serveHTTP(t, home, "--grace", "100ms")
	w.begin("mem:never")
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := s.end(); err != nil {
		t.Errorf("serve ended with %v: %s", err, s.errors.String())
	}
}
