package mcpserver

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cairn-kb/cairn/internal/brief"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/surface/operation"
)

// explainTool answers calls of tools that there are and that this server does
// not offer: not as if there were none, but with how to get them.
func (s *Server) explainTool(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if call, ok := req.(*mcp.CallToolRequest); ok {
			i := slices.IndexFunc(s.opts.Tools, func(t *operation.Tool) bool { return t.Name == call.Params.Name })
			if i < 0 {
				return nil, s.unknown(ctx, call.Params.Name)
			}
			if t := s.opts.Tools[i]; !s.offers(ctx, t) {
				return s.failed(s.hidden(t)), nil
			}
		}
		result, err := next(ctx, method, req)
		if list, ok := result.(*mcp.ListToolsResult); ok && err == nil && s.contestsOnDemand() && !s.contests(ctx) {
			list.Tools = slices.DeleteFunc(list.Tools, func(t *mcp.Tool) bool { return t.Name == contestTool })
		}
		return result, err
	}
}

// contestTool marks two pages as contested. It is in a set that most servers do not offer,
// but the policy of a space may leave an agent nothing else to do.
const contestTool = "contest"

// contestsOnDemand reports whether contest is offered only while the policy of a space
// asks for it.
func (s *Server) contestsOnDemand() bool {
	return !s.opts.ReadOnly && slices.Contains(s.opts.Sets, operation.Core) && !slices.Contains(s.opts.Sets, operation.More)
}

// contests reports whether the policy of a space has agents contest pages.
func (s *Server) contests(ctx context.Context) bool {
	for _, p := range s.policies(ctx) {
		if p.Contests() {
			return true
		}
	}
	return false
}

// policies yields the spaces and their policies, of those that can be read.
func (s *Server) policies(ctx context.Context) iter.Seq2[string, *policy.Policy] {
	return func(yield func(string, *policy.Policy) bool) {
		a, err := s.opts.Memory.Session(ctx, false)
		if err != nil {
			return // there is no memory yet
		}
		spaces, err := a.Spaces.All(ctx)
		if err != nil {
			return
		}
		for _, of := range spaces {
			if p, _, err := a.Spaces.Policy(ctx, of, nil); err == nil && !yield(of.Name, p) {
				return
			}
		}
	}
}

// rulesTime bounds how long the first answer to a client waits for the rules of spaces.
const rulesTime = 2 * time.Second

// rules are those that the spaces have for agents, none while the memory cannot be opened.
func (s *Server) rules(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, rulesTime)
	defer cancel()
	defer context.AfterFunc(s.work, cancel)()
	var text strings.Builder
	for name, p := range s.policies(ctx) {
		if lines := brief.RuleLines(p); len(lines) > 0 {
			fmt.Fprintf(&text, "Rules of the space %s:\n%s\n", safetext.Line(name), strings.Join(lines, "\n"))
		}
	}
	return text.String()
}

// offers reports whether the clients of this server have a tool.
func (s *Server) offers(ctx context.Context, t *operation.Tool) bool {
	return t.Offered(s.opts.Sets, s.opts.ReadOnly) || t.Name == contestTool && s.contestsOnDemand() && s.contests(ctx)
}

// unknown says that a tool does not exist, and which do. It is an error of the protocol, as
// that wants.
func (s *Server) unknown(ctx context.Context, name string) error {
	var names []string
	for _, t := range s.opts.Tools {
		if s.offers(ctx, t) {
			names = append(names, t.Name)
		}
	}
	text := fmt.Sprintf("unknown tool %q", name)
	switch near := operation.Nearest(name, names); {
	case near != "":
		text += fmt.Sprintf(": did you mean %s?", near)
	case len(names) <= maxNamed:
		text += ": the tools are " + strings.Join(names, ", ")
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: text}
}

// maxNamed is how many tools the error of an unknown one names.
const maxNamed = 16

// hidden says why a tool is not offered.
func (s *Server) hidden(t *operation.Tool) error {
	if operation.Share(s.opts.Sets, t.Sets) {
		return kb.Errorf(kb.Refused, "%s changes pages, and this server only reads", t.Name).WithReason(kb.OnlyReading)
	}
	return kb.Errorf(kb.Refused, "%s is in the set %s, which this server does not show", t.Name, t.Sets[0]).
		WithReason(kb.ToolNotOffered).WithFact("set", t.Sets[0]).WithFact("tool", t.Name)
}

// has reports whether the clients of this server have the tool of a name.
func (s *Server) has(tool string) bool {
	return slices.ContainsFunc(s.opts.Tools, func(t *operation.Tool) bool {
		return t.Name == tool && s.offers(s.work, t)
	})
}
