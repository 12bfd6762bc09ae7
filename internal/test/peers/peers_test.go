package peers

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/cmd/cairn/cairntest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// worked is what the clients in testdata say when everything worked.
const worked = `initialize
tools/list
remember
recall
edit
stale write refused
resources
prompts
completion
subscription
`

// runs fails the test unless a client worked to its end.
func runs(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	err := cmd.Run()
	if got := strings.ReplaceAll(out.String(), "\r\n", "\n"); err != nil || got != worked {
		t.Errorf("%v; what worked:\n%s\n%s", err, got, complaints.String())
	}
}

func TestTypeScriptSDK(t *testing.T) {
	t.Parallel()
	slowtest.Skip(t, "runs a client in another language")
	client, _ := node(t)
	for _, sdk := range []string{"@modelcontextprotocol/sdk", "@modelcontextprotocol/client"} {
		t.Run(filepath.Base(sdk), func(t *testing.T) {
			runs(t, newUser(t).command("node", client, sdk, "stdio", cairntest.Binary(t), "mcp"))
		})
		t.Run(filepath.Base(sdk)+" over HTTP", func(t *testing.T) {
			u := newUser(t)
			url, token := serve(t, u)
			runs(t, u.command("node", client, sdk, "http", url, token))
		})
	}
}

// Both ways to begin a session: the handshake of 2025, and without one.
func TestPythonSDK(t *testing.T) {
	t.Parallel()
	slowtest.Skip(t, "runs a client in another language")
	interpreter, client := python(t)
	for _, mode := range []string{"legacy", "auto"} {
		t.Run(mode, func(t *testing.T) {
			runs(t, newUser(t).command(interpreter, client, mode, "stdio", cairntest.Binary(t), "mcp"))
		})
		t.Run(mode+" over HTTP", func(t *testing.T) {
			u := newUser(t)
			url, token := serve(t, u)
			runs(t, u.command(interpreter, client, mode, "http", url, token))
		})
	}
}

// inspect runs the inspector, which is one request and one process at a time.
func inspect(t *testing.T, cli string, u user, server []string, args ...string) []byte {
	t.Helper()
	cmd := u.command("node", slices.Concat([]string{cli, "--cli"}, server, []string{"--method"}, args)...)
	cmd.Dir = filepath.Dir(cli) // it finds its own package.json only from there
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v: %s%s", args, err, out, complaints.String())
	}
	return out
}

func TestInspectorOverHTTP(t *testing.T) {
	t.Parallel()
	slowtest.Skip(t, "runs the official inspector")
	_, cli := node(t)
	u := newUser(t)
	url, token := serve(t, u)
	server := []string{url, "--transport", "http", "--header", "Authorization: Bearer " + token}
	if out := inspect(t, cli, u, server, "tools/list"); !bytes.Contains(out, []byte(`"name": "recall"`)) {
		t.Errorf("tools/list answers %s", out)
	}
	out := inspect(t, cli, u, server, "tools/call", "--tool-name", "status")
	if !bytes.Contains(out, []byte("structuredContent")) {
		t.Errorf("status answers %s", out)
	}
}

func TestInspector(t *testing.T) {
	t.Parallel()
	slowtest.Skip(t, "runs the official inspector")
	_, cli := node(t)
	u := newUser(t)
	ask := func(args ...string) (answer struct {
		Tools     []struct{ Name string }
		Content   []struct{ Text string }
		IsError   bool
		Resources []struct{ URI string }
		Contents  []struct{ Text string }
	}) {
		t.Helper()
		if err := json.Unmarshal(inspect(t, cli, u, []string{cairntest.Binary(t), "mcp"}, args...), &answer); err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return answer
	}
	call := func(tool string, args ...string) (string, bool) {
		t.Helper()
		line := []string{"tools/call", "--tool-name", tool}
		for _, a := range args {
			line = append(line, "--tool-arg", a)
		}
		a := ask(line...)
		if len(a.Content) != 1 {
			t.Fatalf("%s answers %+v", tool, a)
		}
		return a.Content[0].Text, a.IsError
	}
	if n := len(ask("tools/list").Tools); n != 8 {
		t.Errorf("%d tools", n)
	}
	if text, failed := call("remember", "text=A pile of stones.", "title=Cairn"); failed || !strings.Contains(text, `"ref":"memory:cairn"`) {
		t.Errorf("remember answers %s", text)
	}
	if text, failed := call("recall", "query=stones"); failed || !strings.Contains(text, "memory:cairn") {
		t.Errorf("recall answers %s", text)
	}
	if text, failed := call("edit", "ref=cairn", `edits=[{"do":"append","text":"More."}]`); failed || !strings.Contains(text, `"version":2`) {
		t.Errorf("edit answers %s", text)
	}
	if text, failed := call("write", "ref=cairn", "text=Lost.", "expected_version=1"); !failed || !strings.Contains(text, `"current_version":2`) {
		t.Errorf("a stale write answers %s", text)
	}
	if r := ask("resources/list").Resources; len(r) != 1 || r[0].URI != "memory://index" {
		t.Errorf("the resources are %v", r)
	}
	if c := ask("resources/read", "--uri", "memory://pages/cairn").Contents; len(c) != 1 || !strings.Contains(c[0].Text, "More.") {
		t.Errorf("the page reads %v", c)
	}
}
