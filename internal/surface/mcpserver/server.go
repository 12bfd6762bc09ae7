package mcpserver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/operation"
)

// Options configure a server and its client.
type Options struct {
	Memory   operation.Memory
	Tools    []*operation.Tool // to choose from; nil is all that there are
	Sets     []operation.Set   // of tools, prompts and resources; nil is the core set
	ReadOnly bool              // offer only what changes nothing
	Dir      string            // working directory of callers that name no root; "" for none
	Space    string            // space of all callers, "" to decide by where they work
	Agent    string            // name of all callers, "" for the name that each client gives itself
	Skills   string            // directory of a person's own skills, for prompts; "" for none
	Version  string            // of cairn
	// HasInstructions reports whether the named client has the instructions
	// elsewhere, so that they are not repeated; may be nil.
	HasInstructions func(ctx context.Context, client string) bool
	Log             *slog.Logger // receives each call at debug level: tool and outcome, no content; may be nil
}

// sessionTime is after how long without a request a session over HTTP ends. A
// client may be left alone over night; what a session holds is small.
const sessionTime = 24 * time.Hour

// Server is an MCP server, for one session over streams or many over HTTP.
type Server struct {
	opts   Options
	mcp    *mcp.Server
	work   context.Context // done when calls are to be given up
	giveUp context.CancelFunc

	mu         sync.Mutex
	dirs       map[*mcp.ServerSession]string // working directories of sessions, by their roots
	subscribed map[subscription]seen
	telling    map[*mcp.ServerSession]bool // whom the notification that is being sent is for
}

// general are the sets that share the prompts, the resources and the
// instructions of everyday use.
var general = []operation.Set{operation.Core, operation.More}

// instructions are for agents that have the general sets.
const instructions = `cairn is your memory between sessions: pages of notes that you and the people you work with keep.
Before you ask or guess, and when a name or a concept comes up that it may know, recall. When you learn what the next session needs, remember it, one subject a page, or edit the existing page. Never store credentials.`

// contextInstructions are for agents that have the set of a context vault. A client
// without hooks learns of the day only so.
const contextInstructions = `Call inject first, unless a hook gave you its text: it returns the user's profile, the rules and the page of the day. Add what you do to that page with today.`

// New returns a server. It opens nothing yet.
func New(opts Options) *Server {
	if len(opts.Sets) == 0 {
		opts.Sets = []operation.Set{operation.Core}
	}
	if opts.Tools == nil {
		opts.Tools = operation.Tools()
	}
	s := &Server{opts: opts, dirs: map[*mcp.ServerSession]string{}, subscribed: map[subscription]seen{}}
	s.work, s.giveUp = context.WithCancel(context.Background())
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: "cairn", Title: "cairn", Version: opts.Version}, s.protocol())
	s.mcp.AddReceivingMiddleware(validErrors, keepSpace, readAsWritten, s.explainTool, s.instruct)
	s.mcp.AddSendingMiddleware(s.onlyConcerned)
	for _, t := range opts.Tools {
		if t.Offered(opts.Sets, opts.ReadOnly) || t.Name == contestTool && s.contestsOnDemand() {
			s.mcp.AddTool(describe(t), s.call(t))
		}
	}
	s.addResources()
	s.addPrompts()
	s.addNotePrompts()
	return s
}

// protocol returns the SDK's options, without tools, prompts and resources.
func (s *Server) protocol() *mcp.ServerOptions {
	opts := &mcp.ServerOptions{
		Capabilities: &mcp.ServerCapabilities{},
		//lint:ignore SA1019 see caller.go
		RootsListChangedHandler: s.rootsChanged,
	}
	if operation.Share(general, s.opts.Sets) {
		opts.Instructions = instructions
	}
	if slices.Contains(s.opts.Sets, operation.Context) {
		opts.Instructions = strings.TrimSpace(opts.Instructions + "\n" + contextInstructions)
	}
	if len(offered(s.opts.Sets)) > 0 {
		opts.CompletionHandler = s.complete
		opts.SubscribeHandler, opts.UnsubscribeHandler = s.subscribe, s.unsubscribe
	}
	return opts
}

// instruct leaves out the instructions for a client that has them elsewhere, and adds the
// rules that spaces have for agents.
func (s *Server) instruct(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, req)
		complete := func(text *string, client *mcp.Implementation) {
			if s.opts.HasInstructions != nil && client != nil && s.opts.HasInstructions(ctx, client.Name) {
				*text = ""
			}
			if !s.opts.ReadOnly && operation.Share(general, s.opts.Sets) {
				*text = strings.TrimSpace(*text + "\n" + s.rules(ctx))
			}
		}
		switch hello := req.(type) {
		case *mcp.ServerRequest[*mcp.InitializeParams]:
			if out, ok := result.(*mcp.InitializeResult); ok && out != nil {
				complete(&out.Instructions, hello.Params.ClientInfo)
			}
		case *mcp.ServerRequest[*mcp.DiscoverParams]:
			if out, ok := result.(*mcp.DiscoverResult); ok && out != nil {
				complete(&out.Instructions, hello.ClientInfo())
			}
		}
		return result, err
	}
}

// Run serves one client over streams until the input ends, and returns when
// every request is answered. When ctx is done it cancels running requests, and
// returns when they have ended.
func (s *Server) Run(ctx context.Context, in io.ReadCloser, out io.Writer) error {
	defer context.AfterFunc(ctx, s.giveUp)()
	err := s.mcp.Run(ctx, &transport{in: in, out: out})
	if err != nil && ctx.Err() == nil {
		return kb.Errorf(kb.Internal, "client session: %w", err)
	}
	return ctx.Err()
}

// sessionless is the first version of the protocol that has no handshake and no
// sessions over HTTP.
const sessionless = "2026-07-28"

// Handler serves clients over HTTP. The caller must check access.
//
// The SDK serves either protocol versions with sessions or those without. Both
// use one address; a header that every request of the newer versions has
// distinguishes them.
func (s *Server) Handler() http.Handler {
	opts := mcp.StreamableHTTPOptions{
		SessionTimeout: sessionTime, MaxRequestBodyBytes: maxLine,
		PropagateRequestCancellation: true,
		// The outer handler knows more names of this machine.
		DisableLocalhostProtection: true,
	}
	server := func(*http.Request) *mcp.Server { return s.mcp }
	older := s.bounded(mcp.NewStreamableHTTPHandler(server, &opts))
	opts.Stateless, opts.SessionTimeout = true, 0
	newer := mcp.NewStreamableHTTPHandler(server, &opts)
	return asWritten(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") >= sessionless {
			newer.ServeHTTP(w, r)
			return
		}
		older.ServeHTTP(w, r)
	}))
}

// Close ends the sessions of Handler. Calls that are under way are cancelled,
// and have ended when it returns; their answers may be lost.
func (s *Server) Close() {
	s.giveUp()
	var sessions sync.WaitGroup
	for session := range s.mcp.Sessions() {
		// It fails only if the client disconnected already.
		sessions.Go(func() { _ = session.Close() })
	}
	sessions.Wait()
}

// describe is a tool as MCP has it.
func describe(t *operation.Tool) *mcp.Tool {
	op := t.Operation
	closed, destructive := false, op.Destructive
	var output any // of an answer that may be words there is none
	if !t.CanBeText() {
		output = t.Compact()
	}
	return &mcp.Tool{
		Name: t.Name, Title: t.Title, Description: t.Description,
		InputSchema: t.Input(), OutputSchema: output,
		Annotations: &mcp.ToolAnnotations{
			Title: t.Title, ReadOnlyHint: op.ReadOnly, IdempotentHint: op.Idempotent,
			DestructiveHint: &destructive, OpenWorldHint: &closed,
		},
	}
}

// codeCancelled is the code of a call that was cancelled. The protocol has none,
// for it wants no answer then; this is the one of the Language Server Protocol,
// from which clients know it.
const codeCancelled = -32800

// call returns the handler of a tool.
func (s *Server) call(t *operation.Tool) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(s.work, cancel)()
		c := s.caller(ctx, req.Session, asked(req.Extra))
		if name := bound(req.Extra); name != "" {
			c.Actor = kb.AgentNamed(name)
		}
		input := req.Params.Arguments
		req.Params.Arguments = nil // a large page need not be kept twice while it is written
		out, err := t.Run(ctx, s.opts.Memory, c, input)
		if s.opts.Log != nil {
			s.opts.Log.DebugContext(ctx, "tool", "name", t.Name, "outcome", cmp.Or(string(kb.CodeOf(err)), "ok"))
		}
		if err != nil {
			if ctx.Err() != nil {
				// Nobody waits for the answer; where it is sent after all, it has a code.
				return nil, &jsonrpc.Error{Code: codeCancelled, Message: "the call was cancelled"}
			}
			return s.failed(err), nil
		}
		if a, ok := out.(textResult); ok {
			if shown := textContent(a); shown != nil {
				return &mcp.CallToolResult{Content: []mcp.Content{shown}}, nil
			}
		}
		text, err := plainJSON(out)
		if err != nil {
			return s.failed(err), nil
		}
		result := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}
		if text[0] == '{' { // structured content must be an object
			result.StructuredContent = json.RawMessage(text)
		}
		return result, nil
	}
}

// textResult is an answer that may be text or an image instead of data.
type textResult interface {
	Words() string
	Image() (data []byte, media string)
}

// textContent converts an answer that is text or an image, nil for data.
func textContent(a textResult) mcp.Content {
	if data, media := a.Image(); data != nil {
		return &mcp.ImageContent{Data: data, MIMEType: media}
	}
	if words := a.Words(); words != "" {
		return &mcp.TextContent{Text: words}
	}
	return nil
}

// plainJSON is value as JSON with <, > and & as they are: a model reads every
// character of an escape.
func plainJSON(value any) ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}

// failed is the result of a failed tool call.
func (s *Server) failed(err error) *mcp.CallToolResult {
	text, jsonErr := plainJSON(operation.Failure(err, s.has))
	if jsonErr != nil { // details that do not marshal
		text = []byte(kb.AsError(err).Error())
	}
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}
}

// app returns the open memory as the session's client sees it.
func (s *Server) app(ctx context.Context, session *mcp.ServerSession, space string) (*memory.Session, error) {
	a, err := s.opts.Memory.Session(ctx, false)
	if err != nil {
		return nil, err
	}
	return a.For(s.caller(ctx, session, space)), nil
}

// Memory returns what the server works on.
func (s *Server) Memory() operation.Memory { return s.opts.Memory }
