//lint:file-ignore SA1019 clients of today say by their roots where they work; there is nothing in its place yet

package mcpserver

import (
	"cmp"
	"context"
	"github.com/cairn-kb/cairn/internal/memory"
	"maps"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/operation"
)

// rootsWait is how long a client may take to say where it works. A client that
// offers roots answers at once; one that hangs must not stop its own call.
const rootsWait = 2 * time.Second

// asked returns the space that a request over HTTP names, "" for none.
func asked(extra *mcp.RequestExtra) string {
	if extra == nil {
		return ""
	}
	return extra.Header.Get(operation.SpaceHeader)
}

// bound returns the agent that the token of a request over HTTP is bound to, ""
// for none.
func bound(extra *mcp.RequestExtra) string {
	if extra == nil {
		return ""
	}
	return extra.Header.Get(operation.AgentHeader)
}

// caller says who asks, always an agent, and where they work: in the space that the server or
// the request names, else at the client's first root, else in the server's
// working directory.
func (s *Server) caller(ctx context.Context, session *mcp.ServerSession, space string) memory.Caller {
	c := memory.Caller{Dir: s.opts.Dir, Space: cmp.Or(s.opts.Space, space), Only: s.opts.Space != "", Actor: kb.AgentNamed(s.opts.Agent)}
	if session == nil {
		return c
	}
	p := session.InitializeParams()
	if p == nil {
		return c
	}
	if p.ClientInfo != nil && s.opts.Agent == "" {
		c.Actor = kb.AgentNamed(p.ClientInfo.Name)
	}
	if c.Space != "" || p.Capabilities == nil || p.Capabilities.RootsV2 == nil {
		return c
	}
	s.mu.Lock()
	dir, known := s.dirs[session]
	s.mu.Unlock()
	if !known {
		wait, stop := context.WithTimeout(ctx, rootsWait)
		defer stop()
		if roots, err := session.ListRoots(wait, nil); err == nil {
			for _, r := range roots.Roots {
				if dir = fileOf(r.URI); dir != "" {
					break
				}
			}
		} // a client that cannot say works where the server does
		s.mu.Lock()
		s.dirs[session] = dir
		s.forget()
		s.mu.Unlock()
	}
	if dir != "" {
		c.Dir = dir
	}
	return c
}

// forget drops the state of ended sessions; s.mu is held. It is called whenever
// state of a new session is added, so the state is bounded by the number of
// sessions.
func (s *Server) forget() {
	live := map[*mcp.ServerSession]bool{}
	for session := range s.mcp.Sessions() {
		live[session] = true
	}
	maps.DeleteFunc(s.dirs, func(session *mcp.ServerSession, _ string) bool { return !live[session] })
	maps.DeleteFunc(s.subscribed, func(sub subscription, _ seen) bool { return !live[sub.session] })
}

// rootsChanged forgets where a client works; its next call asks again.
func (s *Server) rootsChanged(_ context.Context, req *mcp.RootsListChangedRequest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.dirs, req.Session)
}

// fileOf returns the path of a file URI, "" for any other.
func fileOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return ""
	}
	path := u.Path
	if len(path) > 2 && path[2] == ':' { // file:///C:/notes
		path = strings.TrimPrefix(path, "/")
	}
	path = filepath.FromSlash(path)
	if !filepath.IsAbs(path) {
		return ""
	}
	return filepath.Clean(path)
}
