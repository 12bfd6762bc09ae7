package mcpserver

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/operation"
	"github.com/cairn-kb/cairn/internal/surface/skills"
)

// prompt is a task that a person picks from the client's menu. It states the
// task; the text of a skill follows with the instructions.
type prompt struct {
	sets                     []operation.Set
	name, title, description string
	argument, meaning        string // the only argument, and what it means
	required                 bool
	writes                   bool   // needs tools that change something
	skill                    string // how it is done
	task                     string // without the argument
	about                    string // with it, which follows
}

var prompts = []prompt{
	{
		sets: general, name: "recall", title: "Recall", skill: "memory-recall",
		description: "Find out what the memory knows about a topic.",
		argument:    "topic", meaning: "what to look for", required: true,
		about: "Find the memory's knowledge about the following, and report it with the refs of the supporting pages. Name open questions.",
	},
	{
		sets: general, name: "remember", title: "Remember", skill: "memory-write", writes: true,
		description: "Leave in the memory what the next session needs from this one.",
		argument:    "what", meaning: "what to remember (default: what of this session is worth it)",
		task:  "Look back over this session and remember what the next one needs and could not find out in a minute. List the refs of what you wrote. If there is nothing, write nothing and report that.",
		about: "Remember the following. List the refs of what you wrote.",
	},
	{
		sets: general, name: "maintain", title: "Maintain", skill: "memory-maintain", writes: true,
		description: "Put the memory in order: duplicates, stale pages, contradictions, broken links.",
		argument:    "about", meaning: "which pages (default: what needs it most)",
		task:  "See what in the memory needs attention, propose what to put right, and do what I agree to.",
		about: "Look at what the memory holds about the following, propose what to put right, and do what I agree to.",
	},
	{
		sets: capturing, name: "capture", title: "Capture", skill: "memory-capture", writes: true,
		description: "Save what this session decided and learned, with you.",
		argument:    "what", meaning: "what to capture (default: it asks you)",
		task:  "Ask me which parts of this session are worth saving, and propose some. Capture the ones that I name, show their links, and ask for more until there are none.",
		about: "Capture the following, show what it was linked to, and ask whether there is more.",
	},
	{
		sets: capturing, name: "compact", title: "Compact", skill: "memory-compact", writes: true,
		description: "Make one short page of stale ones that belong together.",
		argument:    "about", meaning: "which pages (default: all that are stale)",
		task:  "Find the clusters of stale pages, write a summary of each, show me them, and carry out what I agree to.",
		about: "Find the clusters of stale pages about the following, write a summary of each, show me them, and carry out what I agree to.",
	},
}

// capturing are the sets for which capturing and compacting are tasks.
var capturing = append([]operation.Set{operation.Capture}, general...)

func (s *Server) addPrompts() {
	for _, p := range prompts {
		if !operation.Share(p.sets, s.opts.Sets) || p.writes && s.opts.ReadOnly {
			continue
		}
		s.mcp.AddPrompt(&mcp.Prompt{
			Name: p.name, Title: p.title, Description: p.description,
			Arguments: []*mcp.PromptArgument{{Name: p.argument, Description: p.meaning, Required: p.required}},
		}, func(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			text, err := p.text(ctx, strings.TrimSpace(req.Params.Arguments[p.argument]), s.opts)
			switch {
			case kb.CodeOf(err) == kb.Usage:
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
			case err != nil:
				return nil, err
			}
			return &mcp.GetPromptResult{
				Description: p.description,
				Messages:    []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}},
			}, nil
		})
	}
}

// text is what the client puts before the agent.
func (p prompt) text(ctx context.Context, argument string, opts Options) (string, error) {
	if p.required && argument == "" {
		return "", kb.Errorf(kb.Usage, "the prompt %s needs a %s", p.name, p.argument)
	}
	var dirs []string
	if opts.Skills != "" {
		dirs = append(dirs, opts.Skills)
	}
	how, err := skills.Find(ctx, p.skill, dirs...)
	if err != nil {
		return "", err
	}
	task := p.task
	if argument != "" {
		task = p.about + "\n\n" + argument
	}
	return task + "\n\n---\n\n" + string(how.For(operation.OfferedBy(opts.Sets, opts.ReadOnly)).Body), nil
}
