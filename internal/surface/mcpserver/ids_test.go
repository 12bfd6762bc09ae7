package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/surface/operation"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// talk sends text over streams, and returns the lines that are answered.
func talk(t *testing.T, s *Server, text string) []string {
	t.Helper()
	var out bytes.Buffer
	if err := s.Run(t.Context(), io.NopCloser(strings.NewReader(text)), &out); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for sc := bufio.NewScanner(&out); sc.Scan(); {
		lines = append(lines, sc.Text())
	}
	slices.Sort(lines)
	return lines
}

// ids are texts that a client may give a request for its id.
var ids = []string{
	`1`, `0`, `-5`, `9007199254740992`, `"a"`, `"1"`, `"\u00e9"`, `"<&>"`, `"a\/b"`, `""`,
	`9007199254740993`, `1795347200724856173`, `-1795347200724856173`, `1.5`, `1.0`, `1e3`, `-0`,
	`123456789012345678901234567890`, `1e400`, `"cairn-id:1"`, `"\u0000"`,
}

func TestIDsAreEchoedAsWritten(t *testing.T) {
	t.Parallel()
	for _, id := range ids {
		lines := talk(t, New(Options{Memory: newMemory(t)}), `{"method":"ping", "id" : `+id+` ,"jsonrpc":"2.0"}`+"\n")
		if want := []string{`{"jsonrpc":"2.0","id":` + id + `,"result":{}}`}; !slices.Equal(lines, want) {
			t.Errorf("over streams %s is answered %q", id, lines)
		}
	}
}

// post sends a message over HTTP, and returns the answer.
func post(t *testing.T, s *Server, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w
}

func TestIDsAreEchoedOverHTTP(t *testing.T) {
	t.Parallel()
	for _, id := range ids {
		w := post(t, New(Options{Memory: newMemory(t)}), `{"jsonrpc":"2.0","id":`+id+`,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
		if !strings.Contains(w.Body.String(), `data: {"jsonrpc":"2.0","id":`+id+`,"result":{`) {
			t.Errorf("%s is answered %d %.150q", id, w.Code, w.Body)
		}
	}
	batch := post(t, New(Options{Memory: newMemory(t)}), ` [{"jsonrpc":"2.0","id":1.5,"method":"ping"}, {"jsonrpc":"2.0","id":"b","method":"ping"}]`)
	for _, id := range []string{`1.5`, `"b"`} {
		if !strings.Contains(batch.Body.String(), `{"jsonrpc":"2.0","id":`+id+`,"result":{}}`) {
			t.Errorf("in a batch %s is answered %d %q", id, batch.Code, batch.Body)
		}
	}
}

// Two ids that the SDK takes for one are two.
func TestIDsOfCancelledCalls(t *testing.T) {
	t.Parallel()
	m := slowMemory{make(chan struct{}, 1)}
	s := New(Options{Memory: m, ReadOnly: true})
	in, client := io.Pipe()
	var out bytes.Buffer
	ended := make(chan error, 1)
	go func() { ended <- s.Run(t.Context(), in, &out) }()
	send := func(line string) {
		if _, err := io.WriteString(client, line+"\n"); err != nil {
			t.Error(err)
		}
	}
	send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for _, id := range []string{"1795347200724856173", "1795347200724856174"} {
		send(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"status","arguments":{}}}`)
		<-m.began
	}
	for _, id := range []string{"1795347200724856173", "1795347200724856174"} {
		send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
	}
	if err := client.Close(); err != nil { // it ends when nothing is open any more
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestSeveralMessagesOnALine(t *testing.T) {
	t.Parallel()
	ping := func(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}` }
	pong := func(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"result":{}}` }
	for _, tc := range []struct {
		line string
		want []string
	}{
		{ping("1") + ping("2"), []string{pong("1"), pong("2")}},
		{ping("1") + " \t" + ping("1.5") + ping("3"), []string{pong("1"), pong("1.5"), pong("3")}},
		{ping("1") + "]", []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"this line is not JSON"}}`}},
		{ping("1") + ping("2")[:20], []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"this line is not JSON"}}`}},
		{`{"jsonrpc":"1.0","id":7,"method":"ping"}`, []string{`{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"this is not a JSON-RPC message; batches are not supported"}}`}},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"this is not a JSON-RPC message; batches are not supported"}}`}},
	} {
		if got := talk(t, New(Options{Memory: newMemory(t)}), tc.line+"\n"); !slices.Equal(got, tc.want) {
			t.Errorf("%s is answered %q", tc.line, got)
		}
	}
	if w := post(t, New(Options{Memory: newMemory(t)}), ping("1")+ping("2")); w.Code != http.StatusBadRequest {
		t.Errorf("two messages in a body are answered %d %q", w.Code, w.Body)
	}
}

// A message whose text would be changed as it is read is refused, under its id.
func TestBadTextIsRefused(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"\xff", "caf\xe9", `\ud800`, `\udc00`, `\ud83dx`, `\uD800\u0041`} {
		message := `{"jsonrpc":"2.0","id":1.5,"method":"tools/call","params":{"name":"remember","arguments":{"text":"` + bad + `"}}}`
		over := post(t, New(Options{Memory: newMemory(t)}), message)
		for _, answer := range append(talk(t, New(Options{Memory: newMemory(t)}), message+"\n"), over.Body.String()) {
			var a struct {
				ID    json.RawMessage `json:"id"`
				Error struct {
					Code int `json:"code"`
					Data struct {
						Code string `json:"code"`
					} `json:"data"`
				} `json:"error"`
			}
			if err := json.Unmarshal([]byte(answer), &a); err != nil || string(a.ID) != "1.5" || a.Error.Code != -32602 || a.Error.Data.Code != "usage" {
				t.Errorf("%q is answered %s (%v)", bad, answer, err)
			}
		}
		if over.Code != http.StatusBadRequest {
			t.Errorf("%q has the status %d", bad, over.Code)
		}
	}
	for _, good := range []string{"café", `caf\u00e9`, `\ud83d\ude00`, `\\ud800`, "\ufffd", `\ufffd`} {
		lines := talk(t, New(Options{Memory: newMemory(t)}), `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"x":"`+good+`"}}}`+"\n")
		if len(lines) != 1 || strings.Contains(lines[0], "error") {
			t.Errorf("%s is answered %q", good, lines)
		}
	}
}

// The arguments of a call reach the tool as they are written, whatever its id.
func TestArgumentsStayAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	const begin = `{"jsonrpc":"2.0","id":"begin","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`
	m := newMemory(t)
	a := apptest.OK(m.Session(t.Context(), false))(t)
	apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: "memory:ada", Text: []byte("Ada.\n")}))(t)
	const data = `{ "z" : "a<b", "a":1.0, "a": 2 }`
	for source, id := range map[string]string{"plain": "1", "carried": "1.5"} {
		lines := talk(t, New(Options{Memory: m, Sets: operation.Sets()}), begin+
			`{"jsonrpc":"2.0","id":`+id+`,"method":"tools/call","params":{"name":"raw_store","arguments":{"ref":"memory:ada","source":"`+source+`","data":`+data+`}}}`+"\n")
		if len(lines) != 2 || strings.Contains(lines[0]+lines[1], "rror") {
			t.Fatalf("answered %q", lines)
		}
		got := apptest.OK(read.ReadSources(t.Context(), a, read.SourcesRequest{Ref: "memory:ada", Source: source}))(t)
		if string(got.Items[0].Data) != data {
			t.Errorf("%s became %s", data, got.Items[0].Data)
		}
	}
}

// What a client hears because of a request to listen names that request.
func TestIDsOfSubscriptions(t *testing.T) {
	t.Parallel()
	for id := range slices.Values(ids) {
		carriedText, _ := carryIDs([]byte(`{"id":` + id + `,"method":"x"}`))
		var m struct{ ID any }
		if err := json.Unmarshal(carriedText, &m); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(map[string]any{"io.modelcontextprotocol/subscriptionId": m.ID})
		if err != nil {
			t.Fatal(err)
		}
		if plain([]byte(id)) {
			continue
		}
		if got := string(restoreIDs(text)); got != `{"io.modelcontextprotocol/subscriptionId":`+id+`}` {
			t.Errorf("%s is %s", id, got)
		}
	}
	// The text of a page is none of that.
	page := `{"jsonrpc":"2.0","id":1,"result":{"text":"{\"jsonrpc\":\"2.0\",\"id\":\"cairn-id:7\"}"}}`
	if got := string(restoreIDs([]byte(page))); got != page {
		t.Errorf("%s became %s", page, got)
	}
}
