package mcpserver

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/operation"
)

// projectURI is the resource that describes the current project.
const projectURI = "memory://project_info"

// readProject answers counts and the time of the last sync of the current
// project, or of all of several when none is chosen.
func (s *Server) readProject(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	caller := s.caller(ctx, req.Session, asked(req.Extra))
	a, err := s.app(ctx, req.Session, asked(req.Extra))
	name := ""
	if err == nil {
		name, err = a.Spaces.CurrentName(ctx)
	}
	if err != nil && !space.NothingYet(err) {
		return nil, wireError(err, s.has)
	}
	all := operation.All()
	i := slices.IndexFunc(all, func(op *operation.Operation) bool { return op.Name == "projects" })
	input, err := json.Marshal(map[string]string{"name": name})
	if err != nil {
		return nil, err
	}
	call, err := all[i].Read(input)
	if err != nil {
		return nil, wireError(err, s.has)
	}
	out, err := call.Run(ctx, s.opts.Memory, caller)
	if err != nil {
		return nil, wireError(err, s.has)
	}
	text, err := plainJSON(out)
	if err != nil {
		return nil, err
	}
	answer := contents(req.Params.URI, string(text))
	answer.Contents[0].MIMEType = "application/json"
	return answer, nil
}

// notePrompt is a prompt of the tools of another memory, filled in with what a tool
// answers.
type notePrompt struct {
	sets                     []operation.Set // nil for notes
	name, title, description string
	arguments                []*mcp.PromptArgument
	task                     string
	tool                     string            // tool with its answer below; "" for none
	input                    map[string]string // arguments of the tool by those of the prompt
}

// guide describes the tools of the set to an agent.
const guide = `Notes are Markdown files that you and the people you work with keep.
- Search before you write: search_notes, then read_note or build_context for the surroundings of a note.
- One subject a note. Facts are list items "- [category] fact #tag (context)", links are "- relation [[Other note]]".
- edit_note changes a part of a note; write_note replaces one only with overwrite or its version.
- recent_activity lists changes. Never store credentials.
The projects:`

// searchTask is the task of a prompt that searches.
const searchTask = "Answer from these notes, with the refs of those that support the answer. Name open questions."

var notePrompts = []notePrompt{
	{
		name: "continue_conversation", title: "Continue a conversation", description: "Continue a topic, with the notes about it.",
		arguments: []*mcp.PromptArgument{{Name: "topic", Description: "what it was about", Required: true}, {Name: "timeframe", Description: "only notes since: 7d, last week"}},
		task:      "Continue an earlier conversation. These notes are about its topic; read_note and build_context show more. Summarise its state in a few words, then go on.",
		tool:      "search_notes", input: map[string]string{"topic": "query", "timeframe": "after_date"},
	},
	{
		name: "recent_activity", title: "Recent activity", description: "Sum up what changed in the notes.",
		arguments: []*mcp.PromptArgument{{Name: "timeframe", Description: "1 day, 7d, last week"}, {Name: "project", Description: "default: the current one"}},
		task:      "Sum up what changed in these notes lately, by subject, and name what looks unfinished.",
		tool:      "recent_activity", input: map[string]string{"timeframe": "timeframe", "project": "project"},
	},
	{
		name: "search", title: "Search the notes", description: "Answer a question from the notes.",
		arguments: []*mcp.PromptArgument{{Name: "query", Description: "what to look for", Required: true}, {Name: "timeframe", Description: "only notes since: 7d, last week"}},
		task:      searchTask,
		tool:      "search_notes", input: map[string]string{"query": "query", "timeframe": "after_date"},
	},
	{
		name: "search_knowledge_base", title: "Search the notes", description: "Answer a question from the notes.",
		arguments: []*mcp.PromptArgument{{Name: "query", Description: "what to look for", Required: true}, {Name: "timeframe", Description: "only notes since: 7d, last week"}},
		task:      searchTask, tool: "search_notes", input: map[string]string{"query": "query", "timeframe": "after_date"},
	},
	{
		name: "getting_started", title: "Get started", description: "A first session with the notes.",
		task: "Help the user to begin with their notes: describe their content, ask about the work at hand, and write a first note about it if they agree.\n\n" + guide, tool: "list_memory_projects",
	},
	{
		name: "ai_assistant_guide", title: "How to use the notes", description: "How an agent uses these tools.",
		task: guide, tool: "list_memory_projects",
	},
}

func (s *Server) addNotePrompts() {
	for _, p := range slices.Concat(notePrompts, memoryPrompts) {
		if p.sets == nil {
			p.sets = []operation.Set{operation.Notes}
		}
		if !operation.Share(p.sets, s.opts.Sets) {
			continue
		}
		s.mcp.AddPrompt(&mcp.Prompt{Name: p.name, Title: p.title, Description: p.description, Arguments: p.arguments},
			func(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				text, err := s.fill(ctx, p, req)
				if kb.CodeOf(err) == kb.Usage {
					return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
				}
				if err != nil {
					return nil, wireError(err, s.has)
				}
				return &mcp.GetPromptResult{
					Description: p.description,
					Messages:    []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}},
				}, nil
			})
	}
}

// fill is the text of a prompt with what its tool answers.
func (s *Server) fill(ctx context.Context, p notePrompt, req *mcp.GetPromptRequest) (string, error) {
	input := map[string]string{}
	said := ""
	for _, a := range p.arguments {
		value := strings.TrimSpace(req.Params.Arguments[a.Name])
		if value == "" && a.Required {
			return "", kb.Errorf(kb.Usage, "the prompt %s needs a %s", p.name, a.Name)
		}
		if value != "" {
			input[p.input[a.Name]] = value
			said += a.Name + ": " + value + "\n"
		}
	}
	if p.tool == "" {
		return p.task + "\n\n---\n\n" + said, nil
	}
	tool, err := operation.FindTool(p.tool)
	if err != nil {
		return "", err
	}
	if tool.CanBeText() {
		input["output_format"] = "text"
	}
	raw, err := json.Marshal(input)
	if err != nil {
		return "", err
	}
	out, err := tool.Run(ctx, s.opts.Memory, s.caller(ctx, req.Session, asked(req.Extra)), raw)
	if err != nil {
		return "", err
	}
	if a, ok := out.(textResult); ok {
		return p.task + "\n\n" + said + "\n---\n\n" + a.Words(), nil
	}
	found, err := plainJSON(out)
	if err != nil {
		return "", err
	}
	return p.task + "\n\n" + said + "\n---\n\n" + string(found), nil
}
