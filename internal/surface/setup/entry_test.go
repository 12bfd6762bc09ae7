package setup

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"
)

// An entry is read as the client reads it, whoever wrote it, and what keeps it
// from starting is told.
func TestEntries(t *testing.T) {
	t.Parallel()
	const codex = "~/.codex/config.toml"
	for _, tt := range []struct {
		client, path, text string
		want               Entry
		runsCairn          bool
	}{
		{"cursor", "~/.cursor/mcp.json", `{"mcpServers":{"cairn":{"command":"cairn","args":["mcp"],"env":{"CAIRN_DB":"/x"},"cwd":"/y"}}}`,
			Entry{Command: "cairn", Args: []string{"mcp"}, Env: map[string]string{"CAIRN_DB": "/x"}, Dir: "/y"}, true},
		{"cursor", "~/.cursor/mcp.json", `{"mcpServers":{"cairn":{"command":"elsewhere","args":["mcp","-s","x"],"disabled":true}}}`,
			Entry{Command: "elsewhere", Args: []string{"mcp", "-s", "x"}, Off: true, Fault: NotOnPath}, false},
		{"cursor", "~/.cursor/mcp.json", `{"mcpServers":{"cairn":{"command":"${HOME}/cairn","args":["mcp"]}}}`,
			Entry{Command: "${HOME}/cairn", Args: []string{"mcp"}}, true},
		{"cursor", "~/.cursor/mcp.json", `{"mcpServers":{"cairn":{"url":"https://example.org"}}}`, Entry{Args: []string{}, Fault: NoCommand}, false},
		{"cursor", "~/.cursor/mcp.json", `{"mcpServers":{"cairn":7}}`, Entry{Args: []string{}, Fault: NoCommand}, false},
		{"cursor", "~/.cursor/mcp.json", `{"mcpServers":`, Entry{Args: []string{}, Fault: Unreadable}, false},
		{"opencode", "{config}/opencode/opencode.json", `{"mcp":{"cairn":{"type":"local","command":["/nowhere/cairn","mcp"],"enabled":false,"environment":{"A":"b"}}}}`,
			Entry{Command: "/nowhere/cairn", Args: []string{"mcp"}, Env: map[string]string{"A": "b"}, Off: true, Fault: Gone}, true},
		{"codex", codex, "[mcp_servers.cairn]\ncommand = \"./file\"\nargs = [\"mcp\"]\n[mcp_servers.cairn.env]\nA = \"b\"\n",
			Entry{Command: "./file", Args: []string{"mcp"}, Env: map[string]string{"A": "b"}, Fault: NotExecutable}, false},
		{"codex", codex, "[mcp_servers.cairn]\ncommand = \"/tmp/go-build12/b001/exe/cairn\"\nargs = [\"mcp\"]\n",
			Entry{Command: "/tmp/go-build12/b001/exe/cairn", Args: []string{"mcp"}, Fault: Passing}, true},
		{"codex", codex, "mcp_servers = ", Entry{Args: []string{}, Fault: Unreadable}, false},
	} {
		p := testPlace(t)
		p.Look = func(name string) string {
			if name == bareName {
				return "/usr/bin/cairn"
			}
			return ""
		}
		put(t, filepath.Join(p.Dir, "file"), "")
		path := p.path(tt.path)
		put(t, path, tt.text)
		tt.want.Client, tt.want.Scope, tt.want.Path = tt.client, User, path
		all := p.Entries(context.Background(), tt.client)
		if len(all) != 1 {
			t.Errorf("%s: %+v", tt.text, all)
			continue
		}
		got, err := json.Marshal(all[0])
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(tt.want)
		if err != nil || string(got) != string(want) || all[0].RunsCairn() != tt.runsCairn {
			t.Errorf("%s\n got %s, runs cairn: %t\nwant %s, %v", tt.text, got, all[0].RunsCairn(), want, err)
		}
		if n := len(p.Entries(context.Background())); (n == 1) != (tt.want.Fault != Unreadable) {
			t.Errorf("%s: %d entries of all", tt.text, n)
		}
	}
}

// Where the home is the project, a file of both scopes is one entry.
func TestEntriesOfHome(t *testing.T) {
	t.Parallel()
	p := testPlace(t)
	p.Dir = p.Home
	run(t, p, Request{Clients: []string{"cursor"}})
	if all := p.Entries(context.Background()); len(all) != 1 {
		t.Errorf("%+v", all)
	}
}
