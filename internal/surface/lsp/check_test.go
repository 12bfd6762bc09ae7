package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/cairn-kb/cairn/internal/memory"
)

// A page with thousands of faults has those shown that matter, and a count of the rest.
func TestDiagnosticsAreBounded(t *testing.T) {
	t.Parallel()
	e := newEditor(t, map[string]string{"ada.md": "# Ada\n"}, nil)
	e.synced()
	var text strings.Builder
	for n := range 3000 {
		fmt.Fprintf(&text, "See [[Nobody %d]].\n", n)
	}
	text.WriteString("token: ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5\n") // beyond the first thousand, and graver
	e.open("many.md", text.String())
	got := e.diagnostics("many.md", func(found []string) bool { return len(found) > 0 })
	if len(got) != 1001 {
		t.Fatalf("%d diagnostics", len(got))
	}
	if want := "0:4 broken-link: no page is called Nobody 0"; got[0] != want {
		t.Errorf("the first is %q, want %q", got[0], want)
	}
	if secret := got[999]; !strings.HasPrefix(secret, "3000:") || strings.Contains(secret, "broken-link") {
		t.Errorf("the credential is not shown, but %q", secret)
	}
	if want := "3000:0 more: 2001 more faults of this page are not shown"; got[1000] != want {
		t.Errorf("the last is %q, want %q", got[1000], want)
	}
}

// A client may drop the diagnostics of a version when the next one comes, so that one gets its own,
// even if they are equal.
func TestDiagnosticsOfEachVersion(t *testing.T) {
	t.Parallel()
	e := newEditor(t, map[string]string{"ada.md": "# Ada\n"}, nil)
	e.synced()
	e.open("new.md", "See [[Nobody]].\n")
	versions := func(want int) {
		e.wait("textDocument/publishDiagnostics", func(params json.RawMessage) bool {
			var p struct {
				URI         string
				Version     int
				Diagnostics []json.RawMessage
			}
			return json.Unmarshal(params, &p) == nil && p.URI == e.uri("new.md") && p.Version == want && len(p.Diagnostics) == 1
		})
	}
	versions(1)
	e.notify("textDocument/didChange", object{
		"textDocument":   object{"uri": e.uri("new.md"), "version": 2},
		"contentChanges": []object{{"text": "See [[Nobody]].\n\nMore words.\n"}},
	})
	versions(2)
}

// typed is a memory that somebody types into whenever it is asked for, until none is left.
type typed struct {
	opened
	mu   sync.Mutex
	left int
	key  func(left int)
}

func (m *typed) Session(ctx context.Context, create bool) (*memory.Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.left--; m.left > 0 {
		m.key(m.left)
	}
	return m.opened.Session(ctx, create)
}

// A page that takes longer to check than the time between two keys has diagnostics nevertheless.
func TestDiagnosticsWhileTyping(t *testing.T) {
	t.Parallel()
	const keys = 20
	e := newEditor(t, map[string]string{"ada.md": "# Ada\n"}, nil)
	e.synced()
	typing := &typed{opened: opened{e.sess}}
	e.call("shutdown", nil, nil)
	e.notify("exit", nil)
	<-e.ends
	e.start(typing)
	e.call("initialize", object{"processId": nil, "rootUri": e.uri(""), "capabilities": object{}}, nil)
	e.notify("initialized", object{})
	typing.mu.Lock()
	typing.key = func(left int) {
		e.notify("textDocument/didChange", object{
			"textDocument":   object{"uri": e.uri("new.md"), "version": keys + 1 - left},
			"contentChanges": []object{{"text": "See [[Nobody]].\n\n" + strings.Repeat("x", keys-left)}},
		})
		e.try("cairn/unknown", object{}) // it is answered after the change
	}
	e.open("new.md", "See [[Nobody]].\n")
	e.try("cairn/unknown", object{})
	typing.left = keys
	typing.mu.Unlock()
	var versions []int
	e.wait("textDocument/publishDiagnostics", func(params json.RawMessage) bool {
		var p struct {
			URI         string
			Version     int
			Diagnostics []json.RawMessage
		}
		if err := json.Unmarshal(params, &p); err != nil || p.URI != e.uri("new.md") {
			return false
		}
		if len(p.Diagnostics) != 1 {
			t.Errorf("%d diagnostics of version %d", len(p.Diagnostics), p.Version)
		}
		versions = append(versions, p.Version)
		return p.Version == keys
	})
	if len(versions) < 3 {
		t.Errorf("diagnostics of the versions %d only", versions)
	}
}
