package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cairn-kb/cairn/internal/memory/change"
)

// connected returns a client of a server over a memory with these pages.
func connected(t *testing.T, refs ...string) *mcp.ClientSession {
	t.Helper()
	s := New(Options{Memory: newMemory(t)})
	a, err := s.Memory().Session(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range refs {
		if _, err := change.Put(t.Context(), a, change.PutRequest{Ref: ref, Text: []byte(ref)}); err != nil {
			t.Fatal(err)
		}
	}
	web := httptest.NewServer(s.Handler())
	t.Cleanup(web.Close)
	c := dial(t, web.URL, "", withSessions)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// What completion offers is read as it is, and percent-encoded, too.
func TestPagesByTheirNamesAsWritten(t *testing.T) {
	t.Parallel()
	c := connected(t, "memory:ünicode", "memory:日本語/ページ", "memory:a b", "memory:100% so", "memory:plain")
	for uri, want := range map[string]string{
		"ünicode": "ünicode", "memory:ünicode": "ünicode", "%C3%BCnicode": "ünicode", "日本語/ページ": "日本語/ページ",
		"日本語/%E3%83%9A%E3%83%BC%E3%82%B8": "日本語/ページ", "a b": "a b", "a%20b": "a b",
		"100% so": "100% so", "100%25%20so": "100% so", "plain": "plain",
	} {
		uri = pagesURI + uri
		r, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			t.Errorf("%s: %v", uri, err)
			continue
		}
		if got := r.Contents[0]; got.URI != uri || got.Text != "memory:"+want {
			t.Errorf("%s answers %q with the URI %s", uri, got.Text, got.URI)
		}
	}
}

// The index says how many pages each space has, and names those that changed last.
func TestIndexCountsPages(t *testing.T) {
	t.Parallel()
	c := connected(t, "memory:a", "memory:b", "other:c")
	r, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: indexURI})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"- memory: 2 pages", "- other: 1 pages", "- [a](memory://pages/memory:a)"} {
		if text := r.Contents[0].Text; !strings.Contains(text, want) {
			t.Errorf("the index lacks %q: %s", want, text)
		}
	}
}

// A URI that several pages have is refused with their refs.
func TestPageInSeveralSpaces(t *testing.T) {
	t.Parallel()
	c := connected(t, "memory:shared", "other:shared")
	_, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: pagesURI + "shared"})
	var e *jsonrpc.Error
	if !errors.As(err, &e) || e.Code != jsonrpc.CodeInvalidParams {
		t.Fatalf("it answers %v", err)
	}
	for _, want := range []string{`"code":"ambiguous"`, `"candidates":["memory:shared.md","other:shared.md"]`} {
		if !strings.Contains(string(e.Data), want) {
			t.Errorf("the data lacks %s: %s", want, e.Data)
		}
	}
	if !strings.Contains(e.Message, "other:shared.md") {
		t.Errorf("the message is %s", e.Message)
	}
	_, err = c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: pagesURI + "not there"})
	if !errors.As(err, &e) || e.Message != "Resource not found" {
		t.Errorf("a page that is not there answers %v", err)
	}
}

// Where no space is chosen a slug completes to the refs that have it, and a
// template that is not ours to nothing.
func TestCompletionInNoSpace(t *testing.T) {
	t.Parallel()
	c := connected(t, "memory:shared", "other:shared", "other:only")
	for _, tc := range []struct {
		uri, prefix string
		want        []string
	}{
		{pagesURIs, "Sh", []string{"memory:shared", "other:shared"}},
		{pagesURIs, "on", []string{"other:only"}},
		{pagesURIs, "other:", []string{"other:only", "other:shared"}},
		{"x://y", "on", []string{}},
	} {
		r, err := c.Complete(t.Context(), &mcp.CompleteParams{
			Ref:      &mcp.CompleteReference{Type: "ref/resource", URI: tc.uri},
			Argument: mcp.CompleteParamsArgument{Name: "slug", Value: tc.prefix},
		})
		if err != nil || !slices.Equal(r.Completion.Values, tc.want) {
			t.Errorf("%q of %s: %v, %v", tc.prefix, tc.uri, r, err)
		}
	}
}

// A URI with characters that Go quotes in another way than JSON does not end the session.
func TestResourcesOfOddURIs(t *testing.T) {
	t.Parallel()
	c := connected(t)
	for _, uri := range []string{"memory://\x00", "other:\x00", "other:\a\U000e0001", "memory://pages/\U000e0001"} {
		_, read := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		subscribed := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri})
		for _, err := range []error{read, subscribed} {
			if e := (*jsonrpc.Error)(nil); err != nil && (!errors.As(err, &e) || e.Code != jsonrpc.CodeInvalidParams) {
				t.Errorf("%q: %v", uri, err)
			}
		}
		if read == nil {
			t.Errorf("%q is read", uri)
		}
	}
	if err := c.Ping(t.Context(), nil); err != nil {
		t.Errorf("the session ended: %v", err)
	}
}

// Errors without data are shared by the sessions of a server: they are not written to.
func TestSharedErrorsAreLeftAlone(t *testing.T) {
	t.Parallel()
	shared := &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Data: json.RawMessage{}}
	call := validErrors(func(context.Context, string, mcp.Request) (mcp.Result, error) {
		return nil, fmt.Errorf("%w: no argument", shared)
	})
	if _, err := call(t.Context(), "completion/complete", nil); !errors.Is(err, shared) || shared.Data == nil {
		t.Errorf("%v: the data became %v", err, shared.Data)
	}
}
