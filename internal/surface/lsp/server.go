package lsp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/unsaved"
	"github.com/cairn-kb/cairn/internal/surface/operation"
)

// Options configure a server.
type Options struct {
	Memory  operation.Memory
	Caller  memory.Caller
	Version string // of cairn
	// Web opens a page in the web UI, in a browser; nil where nothing can.
	Web func(ctx context.Context, id kb.ID) error
}

// maxAtOnce is how many requests are worked on at once; more wait.
const maxAtOnce = 8

// ErrNoShutdown is the error of Run when the client ends the server without asking for its
// shutdown first.
var ErrNoShutdown = errors.New("the client sent exit without shutdown")

// Server serves one editor.
type Server struct {
	opts   Options
	units  encoding
	life   context.Context // of Run
	client clientAbilities

	writing sync.Mutex
	out     io.Writer
	failed  error // why nothing can be written any more

	work sync.WaitGroup
	room chan struct{} // a token for each request that is worked on

	// Only the reading of messages touches these.
	state state

	mu      sync.Mutex
	docs    map[string]*document          // by URI; replaced, and not changed
	running map[string]context.CancelFunc // by id
	checked checking
	known   vocabularies
	parts   unsaved.Parts

	wake chan struct{} // holds something when documents are to be checked
	look chan struct{} // holds something when directories are to be synced
}

// clientAbilities are what the client said that it can do.
type clientAbilities struct {
	markdown, symbolTree, watches, shows bool

	documentChanges bool // edits of versions of documents
	movesFiles      bool // as part of an edit
	hints           bool // the person wants inlay hints
}

// state is how far the session is.
type state int

const (
	fresh state = iota
	initialized
	shutDown
)

// New returns a server. It opens nothing yet.
func New(opts Options) *Server {
	return &Server{
		opts: opts, units: utf16Units, room: make(chan struct{}, maxAtOnce),
		docs: map[string]*document{}, running: map[string]context.CancelFunc{},
		wake: make(chan struct{}, 1), look: make(chan struct{}, 1),
	}
}

// Run serves a client over streams until it says exit, the input ends or ctx is done, and
// returns when the work for it has ended.
func (s *Server) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	s.out, s.life = out, ctx
	frames := make(chan frame)
	go func() { // outlives Run while it waits for an input that cannot be closed
		r := bufio.NewReaderSize(in, 64<<10)
		for {
			content, err := readFrame(r)
			select {
			case frames <- frame{content, err}:
			case <-ctx.Done():
				return
			}
			if err != nil && !errors.Is(err, errTooLong) {
				return
			}
		}
	}()
	s.work.Go(func() { s.check(ctx) })
	s.work.Go(func() { s.sync(ctx) })
	err := s.serve(ctx, frames)
	stop()
	s.work.Wait()
	return err
}

// frame is a message that was read, or why there is none.
type frame struct {
	content []byte
	err     error
}

// serve takes messages in order until the session ends.
func (s *Server) serve(ctx context.Context, frames <-chan frame) error {
	for {
		var f frame
		select {
		case <-ctx.Done():
			return ctx.Err()
		case f = <-frames:
		}
		switch {
		case errors.Is(f.err, io.EOF):
			return nil
		case errors.Is(f.err, errTooLong):
			s.answer(nil, nil, &failure{codeInvalidRequest, f.err.Error()})
			continue
		case f.err != nil:
			s.answer(nil, nil, &failure{codeParse, f.err.Error()})
			return kb.Errorf(kb.Invalid, "read a message: %w", f.err)
		}
		if done, err := s.take(ctx, f.content); done {
			return err
		}
		s.writing.Lock()
		err := s.failed
		s.writing.Unlock()
		if err != nil {
			return err
		}
	}
}

// take does what a message asks for, or begins to. Done says that the session is over.
func (s *Server) take(ctx context.Context, content []byte) (done bool, err error) {
	var m message
	if !json.Valid(content) {
		s.answer(nil, nil, &failure{codeParse, "the message is not JSON"})
		return false, nil
	}
	if err := json.Unmarshal(content, &m); err != nil {
		s.answer(nil, nil, &failure{codeInvalidRequest, "this is not a JSON-RPC message; batches are not supported"})
		return false, nil
	}
	id := m.ID
	if bytes.Equal(id, []byte("null")) {
		id = nil
	}
	switch {
	case m.Method == "": // an answer to the server, which waits for none
		return false, nil
	case m.Method == "exit":
		if s.state != shutDown {
			return true, ErrNoShutdown
		}
		return true, nil
	case s.state == fresh && m.Method != "initialize":
		if id != nil {
			s.answer(id, nil, &failure{codeNotInitialized, "the first request is initialize"})
		}
		return false, nil
	case s.state == shutDown:
		if id != nil {
			s.answer(id, nil, &failure{codeInvalidRequest, "the server is shut down"})
		}
		return false, nil
	}
	if id == nil {
		s.notified(m)
		return false, nil
	}
	switch m.Method {
	case "initialize":
		result, err := s.initialize(m.Params)
		s.answer(id, result, err)
	case "shutdown":
		s.state = shutDown
		s.cancelAll()
		s.answer(id, nil, nil)
	default:
		do := requests[m.Method]
		if do == nil {
			s.answer(id, nil, &failure{codeNoMethod, "the server has no method " + m.Method})
			return false, nil
		}
		s.begin(ctx, id, m.Params, do)
	}
	return false, nil
}

// begin works on a request while others are taken.
func (s *Server) begin(ctx context.Context, id, params json.RawMessage, do handler) {
	ctx, cancel := context.WithCancel(ctx)
	key := string(id)
	s.mu.Lock()
	if s.running[key] != nil {
		s.mu.Unlock()
		cancel()
		s.answer(id, nil, &failure{codeInvalidRequest, "a request with this id is under way"})
		return
	}
	s.running[key] = cancel
	docs := s.docs
	s.mu.Unlock()
	s.work.Go(func() {
		defer func() {
			s.mu.Lock()
			delete(s.running, key)
			s.mu.Unlock()
			cancel()
		}()
		select {
		case s.room <- struct{}{}:
			defer func() { <-s.room }()
		case <-ctx.Done():
			s.answer(id, nil, &failure{codeCancelled, "the request was cancelled"})
			return
		}
		result, err := s.run(ctx, docs, params, do)
		if ctx.Err() != nil {
			result, err = nil, &failure{codeCancelled, "the request was cancelled"}
		}
		s.answer(id, result, err)
	})
}

// run does a request. Without a memory its answer is empty.
func (s *Server) run(ctx context.Context, docs map[string]*document, params json.RawMessage, do handler) (any, error) {
	t, end, err := s.turn(ctx, docs)
	if err != nil || t == nil {
		return nil, err
	}
	defer end()
	return do(ctx, t, params)
}

// turn returns what a request works with; nil where there is no memory yet.
func (s *Server) turn(ctx context.Context, docs map[string]*document) (t *turn, end func(), err error) {
	m, err := s.opts.Memory.Session(ctx, false)
	if space.NothingYet(err) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	m = m.For(s.opts.Caller)
	t = &turn{server: s, docs: docs, reader: unsaved.Reader{Session: m, Open: map[string]*unsaved.Text{}, Parts: &s.parts}}
	for _, d := range t.docs {
		text, err := d.in(ctx, t.reader)
		if err != nil {
			return nil, nil, err
		}
		if text != nil {
			t.reader.Open[d.file] = text
		}
	}
	return t, m.Begin(), nil
}

// turn is one request, or one check: the texts that are open, and the memory.
type turn struct {
	server *Server
	docs   map[string]*document // by URI
	reader unsaved.Reader
}

// handler does a request.
type handler func(ctx context.Context, t *turn, params json.RawMessage) (any, error)

// taking is a handler of a function with typed parameters.
func taking[P any](do func(context.Context, *turn, P) (any, error)) handler {
	return func(ctx context.Context, t *turn, params json.RawMessage) (any, error) {
		var p P
		if err := decode(params, &p); err != nil {
			return nil, err
		}
		return do(ctx, t, p)
	}
}

func decode(params json.RawMessage, into any) error {
	if err := json.Unmarshal(params, into); err != nil {
		return &failure{codeInvalidParams, "the parameters do not have the form of the protocol"}
	}
	return nil
}

// cancelAll ends the requests that are worked on.
func (s *Server) cancelAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, cancel := range s.running {
		cancel()
	}
}

// answer sends the answer to a request; without an id it is to a message that had none.
func (s *Server) answer(id json.RawMessage, result any, err error) {
	m := message{ID: id}
	if id == nil {
		m.ID = json.RawMessage("null")
	}
	if err == nil {
		m.Result, err = json.Marshal(result)
	}
	if err != nil {
		m.Result, m.Error = nil, failureOf(err)
	}
	s.send(m)
}

// failureOf is an error as the protocol has it.
func failureOf(err error) *failure {
	var f *failure
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, context.Canceled):
		return &failure{codeCancelled, "the request was cancelled"}
	}
	e := kb.AsError(err)
	text := e.Message
	if e.Hint != "" {
		text += ". " + e.Hint
	}
	code := codeRequestFailed
	if e.Code == kb.Internal {
		code = codeInternal
	}
	return &failure{code, text}
}

// notify sends a notification.
func (s *Server) notify(method string, params any) {
	text, err := json.Marshal(params)
	if err != nil {
		return // all of them are structs of this package
	}
	s.send(message{Method: method, Params: text})
}

func (s *Server) send(m message) {
	m.JSONRPC = "2.0"
	content, err := json.Marshal(m)
	if err != nil {
		return // it is made of valid JSON
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.failed == nil {
		s.failed = writeFrame(s.out, content)
	}
}
