package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cairn-kb/cairn/internal/memory/read"
)

// Protocol methods with added handling.
const (
	methodListen  = "subscriptions/listen"
	methodUpdated = "notifications/resources/updated"
)

// subscription is that a client wants to hear of a resource.
type subscription struct {
	session *mcp.ServerSession
	uri     string
}

// seen is what the client of a subscription knows. Two clients may mean
// different pages by one URI, since their spaces decide what a slug means.
type seen struct {
	space   string // as the client asked for it
	version int64
}

// spaceKey is of the space that a request named, in its context.
type spaceKey struct{}

// keepSpace hands on the space that a request of the newer protocol named: the
// SDK makes the subscriptions that it asks for without it.
func keepSpace(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method == methodListen {
			ctx = context.WithValue(ctx, spaceKey{}, asked(req.GetExtra()))
		}
		return next(ctx, method, req)
	}
}

// maxSubscriptions bounds those of a session: after each write all of them are compared.
const maxSubscriptions = 1000

// subscribe notes what a client wants to hear of. A page need not exist yet.
func (s *Server) subscribe(ctx context.Context, req *mcp.SubscribeRequest) error {
	sub := subscription{req.Session, req.Params.URI}
	if sub.uri != indexURI && (!strings.HasPrefix(sub.uri, pagesURI) || refOf(sub.uri) == "") {
		return mcp.ResourceNotFoundError(sub.uri)
	}
	kept, _ := ctx.Value(spaceKey{}).(string)
	space := cmp.Or(asked(req.Extra), kept)
	version := s.version(ctx, sub, space)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget()
	if _, renewed := s.subscribed[sub]; !renewed && s.subscriptionsOf(req.Session) >= maxSubscriptions {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("this session has %d subscriptions already: unsubscribe from others first", maxSubscriptions)}
	}
	s.subscribed[sub] = seen{space, version}
	return nil
}

func (s *Server) subscriptionsOf(session *mcp.ServerSession) (n int) {
	for sub := range s.subscribed {
		if sub.session == session {
			n++
		}
	}
	return n
}

func (s *Server) unsubscribe(_ context.Context, req *mcp.UnsubscribeRequest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.subscribed, subscription{req.Session, req.Params.URI})
	return nil
}

// version returns what differs after a resource changed: the version of a
// page, and for the index the memory's own mark. 0 is that there is none.
func (s *Server) version(ctx context.Context, sub subscription, space string) int64 {
	a, err := s.app(ctx, sub.session, space)
	if err != nil {
		return 0
	}
	if sub.uri == indexURI {
		mark, err := a.Changed(ctx)
		if err != nil {
			return 0
		}
		return mark
	}
	t, err := read.Get(ctx, a, read.GetRequest{Ref: refOf(sub.uri), Unread: true})
	if err != nil {
		return 0
	}
	return int64(t.Version)
}

// Watch notifies subscribers of changes, at every tick until ctx is done. It
// asks the memory for a number, and compares details only when that differs.
func (s *Server) Watch(ctx context.Context, ticks <-chan time.Time) {
	last := int64(-1)
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks:
		}
		s.mu.Lock()
		subs := maps.Clone(s.subscribed)
		s.mu.Unlock()
		if len(subs) == 0 {
			continue
		}
		a, err := s.opts.Memory.Session(ctx, false)
		if err != nil {
			continue // no memory yet, or not now
		}
		mark, err := a.Heard(ctx)
		if err != nil || mark == last {
			continue
		}
		last = mark
		for uri, sessions := range s.changed(ctx, subs) {
			s.notify(ctx, uri, sessions)
		}
	}
}

// changed returns the sessions to notify of each resource, and records that
// they were notified.
func (s *Server) changed(ctx context.Context, subs map[subscription]seen) map[string]map[*mcp.ServerSession]bool {
	out := map[string]map[*mcp.ServerSession]bool{}
	for sub, known := range subs {
		now := s.version(ctx, sub, known.space)
		if now == known.version {
			continue
		}
		s.mu.Lock()
		if s.subscribed[sub] == known { // and not taken back meanwhile
			s.subscribed[sub] = seen{known.space, now}
		}
		s.mu.Unlock()
		if out[sub.uri] == nil {
			out[sub.uri] = map[*mcp.ServerSession]bool{}
		}
		out[sub.uri][sub.session] = true
	}
	return out
}

// notify sends a notification about a resource to some of its subscribers.
func (s *Server) notify(ctx context.Context, uri string, sessions map[*mcp.ServerSession]bool) {
	s.mu.Lock()
	s.telling = sessions
	s.mu.Unlock()
	// It fails only for clients that are gone.
	_ = s.mcp.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri})
}

// onlyConcerned holds a notification back from whom it is not for: the SDK
// sends it to all who subscribed to the URI.
func (s *Server) onlyConcerned(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if session, ok := req.GetSession().(*mcp.ServerSession); ok && method == methodUpdated {
			s.mu.Lock()
			concerned := s.telling[session]
			s.mu.Unlock()
			if !concerned {
				return nil, nil
			}
		}
		return next(ctx, method, req)
	}
}
