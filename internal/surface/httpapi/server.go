package httpapi

import (
	"context"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/turn"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/operation"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// ActorHeader is the header by which a client says who writes: a name, or
// kind:name.
const ActorHeader = "Cairn-Actor"

// defaultActor is who writes when the client does not say.
var defaultActor = kb.Actor{Kind: kb.Agent, Name: "http"}

// MCP serves /mcp.
type MCP interface {
	http.Handler
	// Close ends all sessions and the requests running in them.
	Close()
}

// Web is the web UI, which has host names of its own.
type Web interface {
	// Serves reports whether a request is for one of these names.
	Serves(*http.Request) bool
	// Handler answers these requests. All whose body is read go on within what it is
	// given, which reads it up to a limit and takes their turn; events streams the changes
	// to who is let in.
	Handler(within func(limit int64, next http.Handler) http.Handler, events http.Handler) http.Handler
	// Nothing answers for a path at which there is nothing.
	Nothing(http.ResponseWriter, *http.Request)
	// Refuse answers a request that was let in and cannot be read or take its turn.
	Refuse(w http.ResponseWriter, r *http.Request, status int, err error)
	// SignedIn reports whether a request has a session as it is now.
	SignedIn(*http.Request) bool
	// Prove answers a challenge under any name of the server: it shows cairn web that the
	// server has the token, before anything that lets people in is sent.
	Prove(http.ResponseWriter, *http.Request)
}

// Options of a Server. All are required unless stated.
type Options struct {
	Memory   operation.Memory
	ReadOnly bool // offer only what changes nothing
	MCP      MCP
	Web      Web // may be nil
	// Tokens reads what clients may show. It is asked with every request, so
	// that another token holds at once; where there is none nobody is let in.
	Tokens  func() []Token
	Hosts   []string // names other than addresses and localhost by which clients may call the server; may be empty
	Version string   // of cairn

	// Faults names the parts that do not work at the moment, in a word each;
	// anyone may read it.
	Faults func() []string
	// Synced returns the changes read from files.
	Synced func() api.Activity
	// Report receives internal errors; it may be called concurrently.
	Report func(error)
	// Log receives each request at debug level: route and outcome, no content.
	// May be nil.
	Log *slog.Logger

	Now   func() time.Time
	After func(time.Duration) <-chan time.Time
	// Limits of the resources that clients can hold; DefaultLimits for zero
	// values.
	Limits Limits
}

// Token is what a client shows.
type Token struct {
	Text  string
	Agent string // the agent that it is bound to, "" for the owner's
}

// Server answers requests over HTTP.
type Server struct {
	opts     Options
	limits   Limits
	handler  http.Handler
	requests sync.WaitGroup  // under way
	stopping context.Context // done when no new work is taken
	stop     context.CancelFunc

	turns *semaphore.Weighted // to be answered
	bytes *semaphore.Weighted // of large bodies

	mu      sync.Mutex
	working int           // requests that were let in and are under way
	idle    chan struct{} // closed when the server stops and none is
}

// New returns a Server that does not listen yet.
func New(opts Options) *Server {
	s := &Server{opts: opts, limits: opts.Limits.orDefault(), idle: make(chan struct{})}
	s.turns, s.bytes = semaphore.NewWeighted(int64(s.limits.AtWork)), semaphore.NewWeighted(s.limits.Bytes)
	s.stopping, s.stop = context.WithCancel(context.Background())
	paths := map[string]methods{}
	for _, r := range routes(opts.ReadOnly) {
		if paths[r.pattern()] == nil {
			paths[r.pattern()] = methods{}
		}
		paths[r.pattern()][r.method] = s.run(r)
	}
	paths[contextRoot], paths[contextRoot+"/{path...}"] = methods{http.MethodGet: s.atPath(readAt)}, s.contextMethods()
	paths[root+"/events"] = methods{http.MethodGet: s.bufferBody(maxBody, refuseAsJSON, http.HandlerFunc(s.events)).ServeHTTP}
	document := openAPI(routes(opts.ReadOnly), opts.ReadOnly, opts.Version)
	paths[root+"/openapi.json"] = methods{http.MethodGet: func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, "application/json", document)
	}}
	mux := http.NewServeMux()
	for pattern, m := range paths {
		mux.Handle(pattern, s.requireToken(m))
	}
	mux.Handle("/mcp", s.requireToken(s.bufferBody(maxBody, refuseAsJSON, s.untilStop(opts.MCP))))
	mux.Handle("/healthz", methods{http.MethodGet: s.health})
	if opts.Web != nil {
		mux.Handle("/web/proof", methods{http.MethodGet: opts.Web.Prove})
	}
	mux.HandleFunc("/", nothing)
	api := s.guard(s.recoverPanics(canonicalPath(mux, nothing)))
	s.handler = s.count(s.logged(s.unread(s.hosts(api))))
	return s
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// hosts parts the web UI from the API and MCP, which are under other names: nothing that
// lets a browser into one is valid for the other.
func (s *Server) hosts(api http.Handler) http.Handler {
	if s.opts.Web == nil {
		return api
	}
	web := s.recoverPanics(canonicalPath(s.opts.Web.Handler(s.within, http.HandlerFunc(s.webEvents)), s.opts.Web.Nothing))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.opts.Web.Serves(r) {
			web.ServeHTTP(w, r)
			return
		}
		api.ServeHTTP(w, r)
	})
}

// within answers a request that the web UI let in, or that gets back the text of its form
// since its session has expired. Of strangers no body is read, and they take no turn.
func (s *Server) within(limit int64, next http.Handler) http.Handler {
	turn := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		over, err := s.acquire(r)
		if err != nil {
			s.opts.Web.Refuse(w, r, http.StatusServiceUnavailable, err)
			return
		}
		defer over()
		next.ServeHTTP(w, r)
	})
	form := s.bufferBody(limit, s.opts.Web.Refuse, turn)
	return s.counted(s.opts.Web.Refuse, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			form.ServeHTTP(w, r)
			return
		}
		turn.ServeHTTP(w, r)
	}))
}

// webEvents streams the changes to somebody who is signed in.
func (s *Server) webEvents(w http.ResponseWriter, r *http.Request) {
	s.counted(refuseAsJSON, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.stream(w, r, s.opts.Web.SignedIn) })).ServeHTTP(w, r)
}

// counted notes that a request that was let in is under way, for the end.
func (s *Server) counted(no refusal, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.begin() {
			no(w, r, http.StatusServiceUnavailable, kb.Errorf(kb.Internal, "the server stops"))
			return
		}
		defer s.done()
		next.ServeHTTP(w, r)
	})
}

// count notes how many requests are under way, for the end.
func (s *Server) count(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		defer s.requests.Done()
		r.Header.Del(operation.AgentHeader) // it is ours to set
		next.ServeHTTP(w, r)
	})
}

// actorForm is what the header that names the actor may hold.
var actorForm = lazyregexp.New(`^((human|agent):)?[A-Za-z0-9._-]+$`)

// actor is who a request says that it is. The owner's token may be anybody;
// one that is bound to an agent is that agent.
func actor(h http.Header) (kb.Actor, int, error) {
	names, agent := h.Values(ActorHeader), h.Get(operation.AgentHeader)
	out := defaultActor
	if agent != "" {
		out = kb.AgentNamed(agent)
	}
	if len(names) == 0 {
		return out, 0, nil
	}
	if len(names) > 1 || !actorForm().MatchString(names[0]) {
		return out, http.StatusBadRequest, kb.Errorf(kb.Usage, "the header %s names no actor", ActorHeader).WithHint("Name one like claude-code or human:ada.")
	}
	said, err := kb.ParseActor(names[0])
	switch {
	case err != nil:
		return out, http.StatusBadRequest, err
	case agent != "" && said != out:
		return out, http.StatusForbidden, kb.Errorf(kb.Refused, "this token is that of %s, not of %s", out, said).
			WithHint("Leave out the header %s. Only the owner's token may name others.", ActorHeader)
	}
	return said, 0, nil
}

// whole lets a request through to do, with its body read, as the actor that it
// names. A request refused for its headers is answered before the body is read.
// kinds are the types that a body may have; none if the body is ignored.
func (s *Server) whole(kinds []string, do func(http.ResponseWriter, *http.Request, kb.Actor)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		by, status, err := actor(r.Header)
		if err != nil {
			refuse(w, status, err)
			return
		}
		if _, said := r.Header["Content-Type"]; len(kinds) > 0 && (r.ContentLength > 0 || r.ContentLength < 0 && said) {
			if err := wrongKind(r.Header, kinds); err != nil {
				refuse(w, http.StatusUnsupportedMediaType, err)
				return
			}
		}
		s.bufferBody(maxBody, refuseAsJSON, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { do(w, r, by) })).ServeHTTP(w, r)
	}
}

// run answers a route with its operation.
func (s *Server) run(r route) http.HandlerFunc {
	var kinds []string
	if r.body() {
		kinds = jsonKinds
	}
	return s.whole(kinds, func(w http.ResponseWriter, req *http.Request, by kb.Actor) {
		over, err := s.acquire(req) // before the turn, for which requests wait that were let in
		if err != nil {
			refuse(w, http.StatusServiceUnavailable, err)
			return
		}
		defer over()
		var out any
		status := 0 // of a request that is not performed
		// A large body is decoded in its turn, which ends with the write.
		err = turn.In(req.Context(), nil, func(ctx context.Context) (err error) {
			if body, ok := req.Body.(*buffered); ok {
				if err := turn.Check(ctx, int64(body.Len())); err != nil {
					return err
				}
			}
			var call operation.Call
			if call, status, err = r.call(req); err == nil && !r.readOnly() {
				status, err = http.StatusBadRequest, unconditional(req.Header)
			}
			if err != nil {
				return err
			}
			status = 0
			c := memory.Caller{Space: req.Header.Get(operation.SpaceHeader), Actor: by}
			out, err = call.Run(ctx, s.opts.Memory, c)
			return err
		})
		switch {
		case status != 0:
			refuse(w, status, err)
		case err != nil && req.Context().Err() != nil:
			refuse(w, http.StatusServiceUnavailable, gone())
		case err != nil:
			fail(w, err)
		case req.Method == http.MethodGet, req.Method == http.MethodHead:
			respondUnlessHad(w, req, out)
		default:
			respond(w, out)
		}
	})
}

// untilStop ends streams that a client only listens to when the server stops,
// or the client's token holds no more. Everything else is work, and is finished.
func (s *Server) untilStop(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The newer protocol has no GET, and asks for its stream by this method;
		// the SDK checks that header and body agree.
		if r.Method == http.MethodGet || r.Header.Get("Mcp-Method") == "subscriptions/listen" {
			ctx, cancel := context.WithCancel(r.Context())
			r = r.WithContext(ctx)
			var look sync.WaitGroup
			look.Go(func() {
				defer cancel()
				for s.follows(r, s.holds) {
				}
			})
			defer look.Wait()
			defer cancel()
			next.ServeHTTP(w, r)
			return
		}
		over, err := s.acquire(r)
		if err != nil {
			refuse(w, http.StatusServiceUnavailable, err)
			return
		}
		defer over()
		next.ServeHTTP(w, r)
	})
}

// follows waits a while, and reports whether a stream goes on: its client is still let in.
func (s *Server) follows(r *http.Request, holds func(*http.Request) bool) bool {
	select {
	case <-r.Context().Done():
		return false
	case <-s.stopping.Done():
		return false
	case <-s.opts.After(lookEvery):
		return holds(r)
	}
}
