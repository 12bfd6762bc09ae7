package mcpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cairn-kb/cairn/internal/surface/mcpserver"
	"github.com/cairn-kb/cairn/internal/surface/operation"
	"github.com/cairn-kb/cairn/internal/surface/operation/operationtest"
	"github.com/cairn-kb/cairn/internal/surface/skills"
)

var update = flag.Bool("update", false, "write the golden files anew")

// promptText returns what a prompt says, with NAME for the text of a skill.
func promptText(t *testing.T, c *mcp.ClientSession, name string, args map[string]string) string {
	t.Helper()
	r, err := c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s %v: %v", name, args, err)
	}
	if len(r.Messages) != 1 || r.Messages[0].Role != "user" {
		t.Fatalf("%s answers %d messages", name, len(r.Messages))
	}
	text := r.Messages[0].Content.(*mcp.TextContent).Text
	core := operation.OfferedBy([]operation.Set{operation.Core}, false)
	for _, s := range skills.All(t.Context()) {
		if s.Err != nil {
			t.Fatal(s.Err)
		}
		text = strings.Replace(text, string(s.For(core).Body), "("+s.Name+")", 1)
	}
	return text
}

// People and clients see these texts: a change of one is to be seen.
func TestPrompts(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t, mcpserver.Options{})
	c := connect(t, s, mcp.NewClient(&mcp.Implementation{Name: "robot", Version: "1"}, nil))
	list, err := c.ListPrompts(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	table := "| Prompt | Argument | What it asks of the agent | Skill |\n|---|---|---|---|\n"
	for _, p := range list.Prompts {
		shape, err := json.MarshalIndent(p, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		arg := p.Arguments[0]
		with := promptText(t, c, p.Name, map[string]string{arg.Name: " deploys "})
		fmt.Fprintf(&got, "%s\n-- with %s\n%s\n", shape, arg.Name, with)
		if !arg.Required {
			fmt.Fprintf(&got, "-- without\n%s\n", promptText(t, c, p.Name, nil))
		}
		_, skill, _ := strings.Cut(with, "(")
		table += fmt.Sprintf("| `%s` | `%s`: %s | %s | `%s` |\n", p.Name, arg.Name, arg.Description, p.Description, strings.TrimSuffix(skill, ")"))
	}
	golden := filepath.Join("testdata", "prompts.golden")
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the prompts are not those of %s any more (%v); if that is meant, write it with -update", golden, err)
	}
	operationtest.Table(t, "../../../docs/mcp.md", "prompts", table, *update)
	_, err = c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "recall"})
	if e := (*jsonrpc.Error)(nil); !errors.As(err, &e) || e.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("without its topic recall answers %v", err)
	}
}

func TestPromptsOfAPersonsOwnSkills(t *testing.T) {
	t.Parallel()
	own := t.TempDir()
	if err := os.MkdirAll(filepath.Join(own, "memory-recall"), 0o700); err != nil {
		t.Fatal(err)
	}
	text := "---\nname: memory-recall\ndescription: Ours.\n---\nAsk Ada first.\n"
	if err := os.WriteFile(filepath.Join(own, "memory-recall", skills.File), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, _ := newServer(t, mcpserver.Options{ReadOnly: true, Skills: own})
	c := connect(t, s, mcp.NewClient(&mcp.Implementation{Name: "robot", Version: "1"}, nil))
	if got := promptText(t, c, "recall", map[string]string{"topic": "x"}); !strings.HasSuffix(got, "\n---\n\nAsk Ada first.") {
		t.Errorf("the prompt says %q", got)
	}
	list, err := c.ListPrompts(context.Background(), nil)
	if err != nil || len(list.Prompts) != 1 {
		t.Errorf("who may only read is offered %d prompts, %v", len(list.Prompts), err)
	}
}
