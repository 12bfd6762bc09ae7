package mcpserver_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cairn-kb/cairn/internal/surface/mcpserver"
	"github.com/cairn-kb/cairn/internal/surface/operation"
)

// asked is everything that a client is offered.
type asked struct {
	tools, prompts, resources []string
	instructions              string
	caps                      mcp.ServerCapabilities
	text                      string // all of it as JSON
}

func ask(t *testing.T, opts mcpserver.Options) (asked, *mcp.ClientSession) {
	t.Helper()
	s, _ := newServer(t, opts)
	c := connect(t, s, mcp.NewClient(&mcp.Implementation{Name: "robot", Version: "1"}, nil))
	init := c.InitializeResult()
	out := asked{instructions: init.Instructions, caps: *init.Capabilities}
	all := []any{init}
	if out.caps.Tools != nil {
		list, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range list.Tools {
			out.tools = append(out.tools, tool.Name)
		}
		all = append(all, list)
	}
	if out.caps.Prompts != nil {
		list, err := c.ListPrompts(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range list.Prompts {
			out.prompts = append(out.prompts, p.Name)
		}
		all = append(all, list)
	}
	if out.caps.Resources != nil {
		list, err := c.ListResources(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		templates, err := c.ListResourceTemplates(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list.Resources {
			out.resources = append(out.resources, r.URI)
		}
		for _, r := range templates.ResourceTemplates {
			out.resources = append(out.resources, r.URITemplate)
		}
		all = append(all, list, templates)
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	out.text = string(text)
	return out, c
}

// renamed is a tool under another name, in another set.
func renamed(t *testing.T, name, as string, set operation.Set) *operation.Tool {
	t.Helper()
	found, err := operation.FindTool(name)
	if err != nil {
		t.Fatal(err)
	}
	tool := *found
	tool.Name, tool.Sets = as, []operation.Set{set}
	return &tool
}

// A client that is offered a set of its own gets what belongs to that set, and
// no other client sees anything of it.
func TestSetsHaveTheirOwn(t *testing.T) {
	t.Parallel()
	const scratch operation.Set = "scratch"
	tools := append(slices.Clone(operation.Tools()),
		renamed(t, "recall", "dig", scratch), renamed(t, "remember", "jot", scratch))

	own, c := ask(t, mcpserver.Options{Tools: tools, Sets: []operation.Set{scratch}})
	if got := strings.Join(own.tools, " "); got != "dig jot" {
		t.Errorf("the tools of the set are %s", got)
	}
	if own.prompts != nil || own.resources != nil || own.instructions != "" {
		t.Errorf("a set without them has the prompts %v, the resources %v and the instructions %q", own.prompts, own.resources, own.instructions)
	}
	if own.caps.Completions != nil || own.caps.Resources != nil || own.caps.Prompts != nil {
		t.Errorf("it says that it can %+v", own.caps)
	}
	if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "memory://index"}); err == nil {
		t.Error("it takes a subscription to a resource that it does not have")
	}
	call(t, c, "jot", map[string]any{"text": "Cairns mark the way."})
	if m, failed := call(t, c, "dig", map[string]any{"query": "cairns"}); failed || len(m["items"].([]any)) != 1 {
		t.Errorf("dig finds %v", m)
	}
	if m, failed := call(t, c, "dig", map[string]any{"limit": 1}); !failed || m["error"].(map[string]any)["message"] != "dig: query is missing" {
		t.Errorf("dig without a query answers %v", m)
	}
	if own, _ := ask(t, mcpserver.Options{Tools: tools, Sets: []operation.Set{scratch}, ReadOnly: true}); strings.Join(own.tools, " ") != "dig" {
		t.Errorf("who may only read is offered %v", own.tools)
	}

	for _, sets := range [][]operation.Set{nil, {operation.More}, operation.Sets()} {
		with, _ := ask(t, mcpserver.Options{Tools: tools, Sets: sets})
		without, _ := ask(t, mcpserver.Options{Sets: sets})
		if with.text != without.text {
			t.Errorf("with the set there, those of %v are offered\n%s\nnot\n%s", sets, with.text, without.text)
		}
		prompts, resources := 5, 3
		if operation.Share(sets, []operation.Set{operation.Notes}) {
			prompts, resources = 13, 4
		}
		if len(without.prompts) != prompts || len(without.resources) != resources || without.instructions == "" {
			t.Errorf("%v have the prompts %v, the resources %v and the instructions %q", sets, without.prompts, without.resources, without.instructions)
		}
	}
	both, _ := ask(t, mcpserver.Options{Tools: tools, Sets: []operation.Set{scratch, operation.Core}})
	if len(both.tools) != 10 || len(both.prompts) != 5 {
		t.Errorf("beside core there are the tools %v and the prompts %v", both.tools, both.prompts)
	}
}
