package httpapi

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

// maxHeaders bounds the headers of a request, in bytes.
const maxHeaders = 64 << 10

// CheckAddress refuses an address that Listen can never open. An address of an
// interface other than loopback, which other machines can reach, needs remote.
func CheckAddress(address string, remote bool) error {
	host, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return kb.Errorf(kb.Usage, "%q is not an address", address).WithHint("Addresses look like 127.0.0.1:8080, with a port up to 65535; port 0 takes a free one.")
	}
	if !remote && !loopback(host) {
		return kb.Errorf(kb.Refused, "at %s other machines could reach the memory", address).
			WithHint("Listen at 127.0.0.1, or give --allow-remote to allow it.")
	}
	return nil
}

// Listen opens the socket at an address that CheckAddress lets pass.
func Listen(ctx context.Context, address string, remote bool) (net.Listener, error) {
	if err := CheckAddress(address, remote); err != nil {
		return nil, err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, kb.Errorf(kb.Conflict, "cannot listen: %w", err).
			WithHint("Another server may be at that address; port 0 takes a free one.")
	}
	return l, nil
}

// loopback reports whether a host leads to this machine only.
func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// Serve answers requests until ctx is done. Then it takes no new ones, ends the
// streams, and finishes running requests; those that run longer than grace are
// cancelled, which rolls them back unless they were committed. Idle clients do
// not delay it. It returns when no request is running.
func (s *Server) Serve(ctx context.Context, l net.Listener, grace time.Duration) error {
	work, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	gate := s.gate(l)
	server := &http.Server{
		Handler: s, BaseContext: func(net.Listener) context.Context { return work }, ConnState: gate.state,
		ReadHeaderTimeout: s.limits.Header, IdleTimeout: s.limits.Idle, MaxHeaderBytes: maxHeaders,
		// What clients do wrong on the wire is theirs; panics are reported above.
		ErrorLog: log.New(io.Discard, "", 0),
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(gate) }()
	select {
	case err := <-ended: // the socket failed
		s.halt()
		giveUp()
		err = errors.Join(err, server.Close())
		s.opts.MCP.Close()
		s.requests.Wait()
		return kb.Errorf(kb.Internal, "serve: %w", err)
	case <-ctx.Done():
	}
	idle := s.halt()
	inTime, err := s.shutdown(server, gate, idle, grace)
	if !inTime {
		giveUp()
	}
	s.opts.MCP.Close()
	<-ended
	s.requests.Wait()
	if err != nil {
		return kb.Errorf(kb.Internal, "shutdown: %w", err)
	}
	return nil
}

// shutdown ends the connections: each after its request, and all of them when
// grace is over, or a moment after the last request that was let in. It reports
// whether all of those ended in time.
func (s *Server) shutdown(server *http.Server, gate *gate, idle <-chan struct{}, grace time.Duration) (inTime bool, _ error) {
	limit, stop := context.WithCancel(context.Background())
	defer stop()
	over := s.opts.After(grace)
	var timer sync.WaitGroup
	timer.Go(func() {
		defer stop()
		select {
		case <-over:
			return
		case <-limit.Done():
			return
		case <-idle:
			inTime = true
		}
		gate.clear()
		select {
		case <-s.opts.After(s.limits.Stop): // for the last answers to leave
		case <-limit.Done():
		}
	})
	err := server.Shutdown(limit)
	stop()
	timer.Wait()
	if errors.Is(err, context.Canceled) {
		return inTime, server.Close() // ends those that wait for a client, too
	}
	return true, err
}
