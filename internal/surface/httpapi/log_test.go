package httpapi_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/surface/httpapi"
)

// secret is what no log may hold, in whatever part of a request it stands.
const secret = "Zanzibar"

// What is logged are routes and outcomes: nothing that a client or a page says.
func TestLogHoldsNoContent(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	b := newServer(t, func(o *httpapi.Options) {
		o.Log = slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
		o.Tokens = func() []httpapi.Token {
			return []httpapi.Token{{Text: token}, {Text: agentToken, Agent: "robot"}, {Text: "a-token-with-" + secret}}
		}
		o.MCP = panicking{}
		o.Report = func(err error) { o.Log.Error("request", "error", err.Error()) }
	})
	b.must("PUT", "/api/v1/pages/"+secret, `{"text":"The text of `+secret+`.","title":"`+secret+`","tags":["`+secret+`"]}`)
	for _, r := range []*http.Request{
		request("GET", "/api/v1/pages/"+secret, ""),
		request("GET", "/api/v1/pages/none-"+secret, ""),
		request("GET", "/api/v1/recall?query="+secret, ""),
		request("GET", "/api/v1/recall?"+secret+"=x", ""),
		request("GET", "/api/v1/recall?query=x&after="+secret, ""),
		request("POST", "/api/v1/remember", `{"text":"`+secret+` again, and other words"}`, "Authorization", "Bearer "+agentToken),
		request("POST", "/api/v1/remember", `{"text":`+secret),
		request("GET", "/"+secret, ""),
		request(strings.ToUpper(secret), "/api/v1/status", ""),
		request("GET", "/api/v1/status", "", "Authorization", "Bearer a-token-with-"+secret),
		request("GET", "/api/v1/status", "", "Authorization", "Bearer wrong-"+secret),
		request("GET", "/api/v1/status", "", "Cairn-Actor", "human:"+secret),
		request("GET", "/api/v1/status", "", "Cairn-Space", secret),
		request("GET", "/api/v1/status", "", "Origin", "http://"+secret+".example", "Cairn-Agent", secret),
		request("GET", "/api/v1/status", "", "Authorization", "Bearer wrong", "Cairn-Agent", secret),
		request("POST", "/mcp", "{}"),
	} {
		b.server.ServeHTTP(httptest.NewRecorder(), r)
	}
	if text := strings.ToLower(out.String()); strings.Contains(text, strings.ToLower(secret)) || strings.Contains(text, token) || strings.Contains(text, agentToken) {
		t.Errorf("the log holds content:\n%s", out.String())
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 18 { // those requests, the first page and the panic
		t.Errorf("there are %d lines:\n%s", len(lines), out.String())
	}
	var first map[string]any
	if err := json.Unmarshal([]byte(lines[0]), &first); err != nil || first["method"] != "PUT" || first["route"] != "/api/v1/pages/{ref...}" || first["status"] != 200.0 {
		t.Errorf("a page that is put is logged as %v (%v)", first, err)
	}
	if !strings.Contains(out.String(), `"agent":"robot"`) {
		t.Error("the log does not name the agent of a token")
	}
}

// panicking breaks down with what a page says.
type panicking struct{}

func (panicking) ServeHTTP(http.ResponseWriter, *http.Request) { panic("the page says " + secret) }
func (panicking) Close()                                       {}
