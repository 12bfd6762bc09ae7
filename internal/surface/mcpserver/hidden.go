package mcpserver

import (
	"context"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/operation"
)

// explainTool answers calls of tools that there are and that this server does
// not offer: not as if there were none, but with how to get them.
func (s *Server) explainTool(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if call, ok := req.(*mcp.CallToolRequest); ok {
			for _, t := range s.opts.Tools {
				if t.Name == call.Params.Name && !t.Offered(s.opts.Sets, s.opts.ReadOnly) {
					return s.failed(s.hidden(t)), nil
				}
			}
		}
		return next(ctx, method, req)
	}
}

// hidden says why a tool is not offered.
func (s *Server) hidden(t *operation.Tool) error {
	if operation.Share(s.opts.Sets, t.Sets) {
		return kb.Errorf(kb.Refused, "%s changes pages, and this server only reads", t.Name).WithReason(kb.OnlyReading)
	}
	return kb.Errorf(kb.Refused, "%s is in the set %s, which this server does not show", t.Name, t.Sets[0]).
		WithReason(kb.ToolNotOffered).WithFact("set", t.Sets[0])
}

// has reports whether the clients of this server have the tool of a name.
func (s *Server) has(tool string) bool {
	return slices.ContainsFunc(s.opts.Tools, func(t *operation.Tool) bool {
		return t.Name == tool && t.Offered(s.opts.Sets, s.opts.ReadOnly)
	})
}
