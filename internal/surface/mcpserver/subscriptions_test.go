//lint:file-ignore SA1019 see caller.go

package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/surface/operation"
)

// subscriber connects a client that works in a space and says of which
// resources it hears.
func subscriber(t *testing.T, url, space, version string) (*mcp.ClientSession, <-chan string) {
	t.Helper()
	heard := make(chan string, 64)
	client := mcp.NewClient(&mcp.Implementation{Name: space, Version: "1"}, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { heard <- r.Params.URI },
	})
	transport := &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: withHeader{operation.SpaceHeader, space}}}
	c, err := client.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	return c, heard
}

// Clients in different spaces mean different pages by one URI, and each hears
// of its own: of every change, and of no other.
func TestSubscriptionsOfTwoSpaces(t *testing.T) {
	t.Parallel()
	for _, version := range []string{withSessions, sessionless} {
		t.Run(version, func(t *testing.T) {
			s := New(Options{Memory: newMemory(t)})
			web := httptest.NewServer(s.Handler())
			t.Cleanup(web.Close)
			const shared, end = pagesURI + "shared", pagesURI + "end"
			heard, clients := map[string]<-chan string{}, map[string]*mcp.ClientSession{}
			for _, space := range []string{"memory", "other"} {
				c, h := subscriber(t, web.URL, space, version)
				t.Cleanup(func() { _ = c.Close() }) // its stream may have ended with the server
				clients[space], heard[space] = c, h
				for _, uri := range []string{shared, end} {
					if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
						t.Fatal(err)
					}
				}
			}
			// Without sessions, a client that subscribes waits for no answer.
			for subscribed := 0; subscribed < 4; runtime.Gosched() {
				s.mu.Lock()
				subscribed = len(s.subscribed)
				s.mu.Unlock()
			}
			ticks := make(chan time.Time)
			watching, stop := context.WithCancel(t.Context())
			var watcher sync.WaitGroup
			watcher.Go(func() { s.Watch(watching, ticks) })
			t.Cleanup(func() { stop(); watcher.Wait() })
			a, err := s.Memory().Session(t.Context(), false)
			if err != nil {
				t.Fatal(err)
			}
			put := func(space, ref, text string) {
				t.Helper()
				if _, err := change.Put(t.Context(), a.In(space), change.PutRequest{Ref: ref, Text: []byte(text), Overwrite: true}); err != nil {
					t.Fatal(err)
				}
			}
			// What is sent while the other client's page alone changes would
			// arrive before the end.
			for _, changed := range []string{"memory", "other", "other", "memory", "other"} {
				put(changed, "shared", time.Now().String())
				ticks <- time.Time{}
				ticks <- time.Time{} // taken when the first was seen to, so that no two changes are one
			}
			put("memory", "end", "x")
			put("other", "end", "x")
			ticks <- time.Time{}
			for space, want := range map[string][]string{"memory": {end, shared, shared}, "other": {end, shared, shared, shared}} {
				var got []string
				for len(got) < len(want) {
					got = append(got, <-heard[space])
				}
				// Without sessions each subscription has a stream of its own, and one
				// may come before another.
				slices.Sort(got)
				if !slices.Equal(got, want) {
					t.Errorf("in %s a client hears of %v, want %v", space, got, want)
				}
				if err := clients[space].Close(); err != nil && version == withSessions {
					t.Error(err)
				}
				if len(heard[space]) > 0 {
					t.Errorf("in %s a client hears of %s, too", space, <-heard[space])
				}
			}
		})
	}
}

func TestSubscribesOnlyToResources(t *testing.T) {
	t.Parallel()
	s := New(Options{Memory: newMemory(t)})
	web := httptest.NewServer(s.Handler())
	t.Cleanup(web.Close)
	c, _ := subscriber(t, web.URL, "memory", withSessions)
	for _, uri := range []string{"memory://nope", pagesURI, indexURI + "/x", "https://example.org/"} {
		err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri})
		if e := (*jsonrpc.Error)(nil); !errors.As(err, &e) || e.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("subscribing to %s answers %v", uri, err)
		}
	}
	if len(s.subscribed) != 0 {
		t.Errorf("subscribed are %v", s.subscribed)
	}
	subscribe := func(n int) error {
		return c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: fmt.Sprint(pagesURI, "page-", n)})
	}
	for n := range maxSubscriptions {
		if err := subscribe(n); err != nil {
			t.Fatal(err)
		}
	}
	if e := (*jsonrpc.Error)(nil); !errors.As(subscribe(maxSubscriptions), &e) || e.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("one subscription too many answers %v", e)
	}
	if err := subscribe(7); err != nil {
		t.Errorf("the renewal of a subscription: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}
