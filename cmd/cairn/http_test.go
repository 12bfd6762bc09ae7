package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/surface/setup"
	"github.com/cairn-kb/cairn/internal/surface/webui"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// A client with an entry of another program named cairn gets everything but the tools: that is
// said, and can be taken out again. An entry that a person wrote is left alone.
func TestClientsOfTheWebUI(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const other = `{"mcpServers": {"cairn": {"command": "/opt/other", "args": ["serve"]}}}`
	write(".claude.json", other)
	write(".cursor/mcp.json", `{"mcpServers": {"cairn": {"command": "cairn", "args": ["mcp"], "env": {"A": "b"}}}}`)
	c := clients{setup.Place{OS: "linux", Home: home, Own: filepath.Join(home, ".config", "cairn"), Binary: "/usr/bin/cairn", Env: func(string) string { return "" }, Look: func(string) string { return "/usr/bin/cairn" }}, apptest.New(t).Lazy()}
	of := func(name string) webui.Client {
		for _, x := range c.List(t.Context()) {
			if x.Name == name {
				return x
			}
		}
		t.Fatalf("there is no %s", name)
		return webui.Client{}
	}
	change := func(name string, remove, dry, changes bool, note string) {
		t.Helper()
		got, err := c.Change(t.Context(), name, "", remove, dry)
		if err != nil {
			t.Fatal(err)
		}
		var notes []string
		for _, f := range got.Files {
			notes = append(notes, f.Note)
		}
		if got.Changes != changes || !strings.Contains(strings.Join(notes, "\n"), note) {
			t.Errorf("%s, remove %t: changes %t, want %t; its notes are %q", name, remove, got.Changes, changes, notes)
		}
	}
	if x := of("claude-code"); x.SetUp || x.Removable {
		t.Errorf("before: %+v", x)
	}
	change("claude-code", false, false, true, "runs something else: left alone")
	if x := of("claude-code"); x.SetUp || !x.Removable {
		t.Errorf("set up beside another program: %+v", x)
	}
	change("claude-code", false, true, false, "runs something else: left alone")
	change("claude-code", true, false, true, "left alone")
	if x := of("claude-code"); x.SetUp || x.Removable {
		t.Errorf("taken out: %+v", x)
	}
	if text, err := os.ReadFile(filepath.Join(home, ".claude.json")); err != nil || string(text) != other {
		t.Errorf("the entry of another program is %s, %v", text, err)
	}
	if x := of("cursor"); !x.SetUp || x.Removable {
		t.Errorf("by hand: %+v", x)
	}
	change("cursor", true, true, false, "left alone")
	project := t.TempDir()
	if _, err := c.Change(t.Context(), "cursor", project, false, false); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(project, ".cursor", "mcp.json")); err != nil || !strings.Contains(string(text), "cairn") {
		t.Errorf("the settings of the project are %s, %v", text, err)
	}
	if _, err := c.Change(t.Context(), "claude-desktop", project, false, true); err == nil {
		t.Error("a client without settings of a project is set up for one")
	}
}
