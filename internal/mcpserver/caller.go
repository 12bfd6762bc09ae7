//lint:file-ignore SA1019 clients of today say by their roots where they work; there is nothing in its place yet

package mcpserver

import (
	"context"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/kb"
)

// rootsWait is how long a client may take to say where it works. A client that
// offers roots answers at once; one that hangs must not stop its own call.
const rootsWait = 2 * time.Second

// caller says who asks and where they work: at the client's first root, else
// in the server's working directory.
func (s *Server) caller(ctx context.Context, session *mcp.ServerSession) app.Caller {
	c := app.Caller{Dir: s.opts.Dir, Space: s.opts.Space, Actor: kb.Actor{Kind: kb.Agent}}
	if session == nil {
		return c
	}
	p := session.InitializeParams()
	if p == nil {
		return c
	}
	if p.ClientInfo != nil {
		c.Actor.Name = p.ClientInfo.Name
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
		s.mu.Unlock()
	}
	if dir != "" {
		c.Dir = dir
	}
	return c
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
