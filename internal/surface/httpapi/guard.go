package httpapi

import (
	"bytes"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/operation"
)

// maxBody is room for a page of the greatest size (64 MiB), escaped.
const maxBody = 100 << 20

// guard lets only requests through that a web page elsewhere cannot have made.
//
// A page may have its own name lead to this machine (DNS rebinding); then the
// request carries that name as its host. An address cannot be made to lead
// elsewhere, so addresses are let through. A page that calls the server by its
// real name says in Origin or Sec-Fetch-Site where it comes from.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		switch {
		case !s.knows(r.Host):
			refuse(w, http.StatusForbidden, kb.Errorf(kb.Refused, "%q is not a name of this server", r.Host).
				WithHint("Use its address, or start it with --allow-host."))
		case !sameOrigin(r):
			refuse(w, http.StatusForbidden, kb.Errorf(kb.Refused, "web pages of other origins may not use this server"))
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// knows reports whether a Host header names this server.
func (s *Server) knows(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.Trim(name, "[]"))
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	return name == "localhost" || slices.Contains(s.opts.Hosts, name)
}

// sameOrigin reports whether a request comes from no web page, or from one of
// this server. Behind a proxy the scheme differs, the host does not.
func sameOrigin(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
	default:
		return false
	}
	for _, origin := range r.Header.Values("Origin") {
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) {
			return false
		}
	}
	return true
}

// canonicalPath refuses paths that are written in a roundabout way: http.ServeMux would
// send everybody elsewhere, before asking for the token. Slashes side by side may be
// there where they are escaped, as in a ref that begins with memory://.
func canonicalPath(next http.Handler, nothing http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		written := r.URL.EscapedPath()
		plain := path.Clean(written)
		dots := slices.ContainsFunc(strings.Split(r.URL.Path, "/"), func(s string) bool { return s == "." || s == ".." })
		if dots || written != plain && written != plain+"/" {
			nothing(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// nothing answers for a path at which there is nothing.
func nothing(w http.ResponseWriter, _ *http.Request) {
	refuse(w, http.StatusNotFound, kb.Errorf(kb.NotFound, "there is nothing at this path").
		WithHint("%s/openapi.json describes the API; cairn web opens the web UI.", root))
}

// requireToken lets only requests with a token through, and records the agent
// of the token.
func (s *Server) requireToken(next http.Handler) http.Handler {
	counted := s.counted(refuseAsJSON, next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agent, ok := s.shows(r)
		if !ok {
			w.Header().Set("WWW-Authenticate", `Bearer realm="cairn"`)
			refuse(w, http.StatusUnauthorized, kb.Errorf(kb.Refused, "the token is missing or wrong").
				WithHint("Send Authorization: Bearer TOKEN; cairn serve token prints it."))
			return
		}
		if agent != "" {
			r.Header.Set(operation.AgentHeader, agent)
		}
		counted.ServeHTTP(w, r)
	})
}

// shows reports whether a request has a token as it is now, and which agent
// that is bound to. Where none can be read none is right; cairn serve token
// says why.
func (s *Server) shows(r *http.Request) (agent string, ok bool) {
	scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", false
	}
	shown := []byte(strings.TrimSpace(given))
	for _, t := range s.opts.Tokens() {
		// If a text occurs twice, the narrower token counts.
		if t.Text != "" && subtle.ConstantTimeCompare(shown, []byte(t.Text)) == 1 && (!ok || t.Agent != "") {
			agent, ok = t.Agent, true
		}
	}
	return agent, ok
}

// holds reports whether a request would be let in still, as whom it was.
func (s *Server) holds(r *http.Request) bool {
	agent, ok := s.shows(r)
	return ok && agent == r.Header.Get(operation.AgentHeader)
}

// refusal answers a request that is refused, as its client can read it.
type refusal func(w http.ResponseWriter, r *http.Request, status int, err error)

func refuseAsJSON(w http.ResponseWriter, _ *http.Request, status int, err error) {
	refuse(w, status, err)
}

// bufferBody reads the body before anything is done, so that a client that sends it
// slowly or without end holds up nobody but itself and those with a large one.
func (s *Server) bufferBody(limit int64, no refusal, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, held, err := s.readBody(w, r, limit)
		defer s.bytes.Release(held)
		switch tooLarge := (*http.MaxBytesError)(nil); {
		case errors.As(err, &tooLarge):
			no(w, r, http.StatusRequestEntityTooLarge, kb.Errorf(kb.Usage, "the body is larger than %d MiB", limit>>20))
			return
		case kb.CodeOf(err) == kb.Internal:
			no(w, r, http.StatusServiceUnavailable, err)
			return
		case err != nil:
			no(w, r, http.StatusBadRequest, err)
			return
		}
		w.Header().Del("Connection") // see unread
		body := &buffered{text: text}
		body.Reset(text)
		r.Body, text = body, nil
		next.ServeHTTP(w, r)
	})
}

// largeBody is how large a body is that waits for its turn to be read: a page
// takes some twenty times its size while it is written.
const largeBody = 1 << 20

// readBody reads a body. Of a large one, or one that may be, it holds the bytes
// first, which the caller releases.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request, limit int64) (text []byte, held int64, err error) {
	if r.ContentLength > limit {
		return nil, 0, &http.MaxBytesError{Limit: limit}
	}
	body := http.MaxBytesReader(w, r.Body, limit)
	hold := func(n int64) (err error) {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(s.stopping, cancel)()
		if n = min(n, s.limits.Bytes); s.bytes.Acquire(ctx, n) != nil {
			return gone()
		}
		held = n
		return nil
	}
	var in bytes.Buffer
	switch {
	case r.ContentLength > largeBody:
		if err = hold(r.ContentLength); err == nil {
			in.Grow(int(r.ContentLength) + bytes.MinRead)
			err = s.readFrom(w, &in, body)
		}
	case r.ContentLength >= 0, limit <= largeBody:
		err = s.readFrom(w, &in, body)
	default: // nobody knows yet how large it is
		err = s.readFrom(w, &in, io.LimitReader(body, largeBody))
		if err == nil && in.Len() == largeBody {
			if err = hold(limit); err == nil {
				err = s.readFrom(w, &in, body)
			}
		}
	}
	return in.Bytes(), held, err
}

// readFrom reads a part of a body within its time limit, which is short once
// the server stops.
func (s *Server) readFrom(w http.ResponseWriter, in *bytes.Buffer, part io.Reader) error {
	// Where deadlines cannot be set, as in a test without a socket, there is
	// nobody to be slow.
	set := http.NewResponseController(w).SetReadDeadline
	_ = set(s.opts.Now().Add(s.limits.Body))
	var mu sync.Mutex
	over := false
	defer context.AfterFunc(s.stopping, func() {
		mu.Lock()
		defer mu.Unlock()
		if !over {
			_ = set(s.opts.Now().Add(s.limits.Stop))
		}
	})()
	_, err := in.ReadFrom(part)
	mu.Lock()
	defer mu.Unlock()
	over = true
	_ = set(time.Time{})
	if err != nil && !errors.As(err, new(*http.MaxBytesError)) {
		err = kb.Errorf(kb.Usage, "the body cannot be read: %w", err)
	}
	return err
}

// recoverPanics answers for a handler that panics, which would end the connection
// without a word.
func (s *Server) recoverPanics(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler {
					panic(p)
				}
				err := kb.Errorf(kb.Internal, "internal error handling %s", r.Pattern).WithHint("This is a mistake in cairn; please report it.")
				s.opts.Report(fmt.Errorf("%s: %s", r.Pattern, cause(p)))
				fail(w, err)
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// cause names what a handler panicked with: what the runtime says, and of all
// else the kind, since it may hold what a page says.
func cause(p any) string {
	if err, ok := p.(runtime.Error); ok {
		return err.Error()
	}
	return fmt.Sprintf("a panic with a %T", p)
}
