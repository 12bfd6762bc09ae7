package peers

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/cmd/cairn/cairntest"
)

// serve runs the binary's HTTP server for the rest of the test, and returns
// the address of MCP and the token.
func serve(t *testing.T, u user) (url, token string) {
	t.Helper()
	cmd := u.command(cairntest.Binary(t), "serve", "--http", "--listen", "127.0.0.1:0", "--json")
	cmd.Stderr = t.Output()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	t.Cleanup(func() {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		for lines.Scan() {
			continue // until it has said all
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server ends with %v", err)
		}
	})
	for lines.Scan() {
		var e struct {
			Event     string
			MCP       string
			TokenFile string `json:"token_file"`
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		if e.Event == "listening" {
			text, err := os.ReadFile(e.TokenFile)
			if err != nil {
				t.Fatal(err)
			}
			return e.MCP, strings.TrimSpace(string(text))
		}
	}
	t.Fatalf("the server does not listen: %v", lines.Err())
	return "", ""
}
