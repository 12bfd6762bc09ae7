package postgres

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// A stopped server, or a network that drops packets, neither answers nor closes the
// connection. A server that runs a long statement looks the same. When a connection
// was silent for a while, another one is opened: if that succeeds, the wait
// continues.
const (
	stalledAfter = 7 * time.Second
	probeWithin  = 5 * time.Second // with it, less than 15 seconds
)

// After such a wait the next ones are short for a while, so that a caller who makes several of
// them is answered in time: before each, the server must answer a probe.
const (
	doubtedFor    = 15 * time.Second
	answersWithin = time.Second // each host
)

// health is that of the server of a location, whose connections share it.
type health struct {
	stalled atomic.Int64 // when a wait ended without an answer, in Unix nanoseconds; 0 for never
	config  *pgx.ConnConfig
	dial    pgconn.DialFunc
	hosts   int
}

// fails records that the server answered nobody.
func (h *health) fails() { h.stalled.Store(time.Now().UnixNano()) }

// doubted returns errStalled for a server that did not answer a moment ago, and still does not.
func (h *health) doubted() error {
	at := h.stalled.Load()
	if at == 0 || time.Since(time.Unix(0, at)) > doubtedFor {
		return nil
	}
	if !h.answers("", answersWithin, time.Duration(h.hosts)*answersWithin) {
		return errStalled
	}
	h.stalled.CompareAndSwap(at, 0)
	return nil
}

// errStalled ends a wait for a server that answers nobody.
var errStalled = errors.New("the server does not answer")

// watched is a connection on which nobody waits for a server that has stopped.
type watched struct {
	net.Conn
	health  *health
	address string      // of the server
	dead    atomic.Bool // nobody answered

	mu          sync.Mutex
	read, write time.Time // deadlines that were set; zero for none
}

type unwatchedKey struct{}

// unwatched is the context for a connection that waits for as long as it takes.
func unwatched(ctx context.Context) context.Context {
	return context.WithValue(ctx, unwatchedKey{}, true)
}

// watch has the connections of a configuration be watched.
func watch(config *pgx.ConnConfig, dial pgconn.DialFunc, hosts int) *health {
	h := &health{config: config, dial: dial, hosts: hosts}
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil || ctx.Value(unwatchedKey{}) != nil {
			return c, err
		}
		return &watched{Conn: c, health: h, address: address}, nil
	}
	return h
}

// answers reports whether the server at an address takes a connection, "" for any of them. Hosts
// are tried in turn: each has a part of the time.
func (h *health) answers(address string, each, within time.Duration) bool {
	config := h.config.Copy()
	config.ConnectTimeout = each
	config.ValidateConnect = nil // one that can only be read answers, too
	config.DialFunc = func(ctx context.Context, network, at string) (net.Conn, error) {
		if address != "" && at != address {
			return nil, errOtherHost
		}
		return h.dial(ctx, network, at)
	}
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	c, err := pgx.ConnectConfig(ctx, config)
	if err == nil {
		_ = c.Close(ctx) // it has answered, which is all that is asked
		return true
	}
	return state(err) != "" // it answers, though with a refusal
}

// errOtherHost passes over a host that is not asked.
var errOtherHost = errors.New("another host is asked")

// died reports whether nobody answers, after a wait for this connection.
func (w *watched) died() bool {
	if w.health.answers(w.address, probeWithin, probeWithin) {
		return false
	}
	w.dead.Store(true)
	_ = w.Conn.Close() // now: the driver first asks the server to cancel the statement
	w.health.fails()
	return true
}

// Read implements net.Conn.
func (w *watched) Read(b []byte) (int, error) {
	for {
		w.arm(w.Conn.SetReadDeadline, &w.read)
		n, err := w.Conn.Read(b)
		if n > 0 || !w.stalled(err, &w.read) {
			return n, err
		}
		if w.died() {
			return 0, errStalled
		}
	}
}

// Write implements net.Conn.
func (w *watched) Write(b []byte) (done int, err error) {
	for {
		w.arm(w.Conn.SetWriteDeadline, &w.write)
		n, err := w.Conn.Write(b[done:])
		done += n
		if err == nil || !w.stalled(err, &w.write) {
			return done, err
		}
		if n == 0 && w.died() {
			return done, errStalled
		}
	}
}

// arm bounds the next wait.
func (w *watched) arm(set func(time.Time) error, own *time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	until := time.Now().Add(stalledAfter)
	if !own.IsZero() && own.Before(until) {
		until = *own
	}
	_ = set(until) // an error is that of the read or write
}

// stalled reports whether a wait ended because of its bound, and not of a deadline that was set.
func (w *watched) stalled(err error, own *time.Time) bool {
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return own.IsZero() || time.Now().Before(*own)
}

// SetDeadline implements net.Conn.
func (w *watched) SetDeadline(t time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.read, w.write = t, t
	return w.Conn.SetDeadline(t)
}

// SetReadDeadline implements net.Conn.
func (w *watched) SetReadDeadline(t time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.read = t
	return w.Conn.SetReadDeadline(t)
}

// SetWriteDeadline implements net.Conn.
func (w *watched) SetWriteDeadline(t time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.write = t
	return w.Conn.SetWriteDeadline(t)
}

// again reports whether a statement is worth another connection: it was sent on one that the
// server, or something on the way, had closed while it was idle.
func (c *conn) again(reused bool, err error) bool { return reused && lost(err) && !c.stalled(err) }

// stalled reports whether a connection ended because the server answered nobody. The driver
// drops the error of some reads.
func (c *conn) stalled(err error) bool {
	if errors.Is(err, errStalled) {
		return true
	}
	at := c.pg.PgConn().Conn()
	if t, is := at.(*tls.Conn); is {
		at = t.NetConn()
	}
	w, is := at.(*watched)
	return is && w.dead.Load()
}

// cause returns the error of a connection: errStalled where the server answered nobody.
func (c *conn) cause(err error) error {
	if err != nil && c.stalled(err) {
		return errStalled
	}
	return err
}
