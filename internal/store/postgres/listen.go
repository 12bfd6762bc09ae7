package postgres

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"
)

// After a commit is on disk, its number is sent to all processes that listen, in a transaction of
// its own: a NOTIFY holds a lock of the whole database until its commit. It may be lost, so
// the number is also read now and then.

const (
	// missedAfter is how soon a change is noticed of which no notification came.
	missedAfter = 15 * time.Second
	// listenAgain is the pause before a lost connection is opened again.
	listenAgain = 5 * time.Second
)

// listener hears of commits. Its goroutine starts with the first call of Heard.
type listener struct {
	start sync.Once
	stop  context.CancelFunc
	ended chan struct{}

	mu     sync.Mutex
	heard  int64
	looked time.Time // when the number was read last; zero while nothing is heard
}

// notifySQL sends the number of a commit.
func (d *DB) notifySQL(number int64) string {
	return fmt.Sprintf("; BEGIN; SET LOCAL synchronous_commit = off; SELECT pg_notify('%s', '%d'); COMMIT", d.where.schema(), number)
}

// Heard implements store.Listener.
func (d *DB) Heard(ctx context.Context) (int64, error) {
	l := &d.listener
	l.start.Do(func() {
		ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		l.mu.Lock()
		defer l.mu.Unlock()
		l.stop, l.ended = cancel, make(chan struct{})
		go d.listen(ctx)
	})
	l.mu.Lock()
	fresh := !l.looked.IsZero() && time.Since(l.looked) < missedAfter
	number := l.heard
	l.mu.Unlock()
	if fresh {
		return number, nil
	}
	now := time.Now()
	number, err := d.Changed(ctx)
	if err != nil {
		return 0, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heard = max(l.heard, number)
	if !l.looked.IsZero() {
		l.looked = now
	}
	return l.heard, nil
}

// end stops listening.
func (l *listener) end() {
	l.start.Do(func() {})
	l.mu.Lock()
	stop, ended := l.stop, l.ended
	l.mu.Unlock()
	if stop != nil {
		stop()
		<-ended
	}
}

// listen hears of commits until ctx is done.
func (d *DB) listen(ctx context.Context) {
	defer close(d.listener.ended)
	for {
		again := d.hear(ctx)
		d.listener.mu.Lock()
		d.listener.looked = time.Time{}
		d.listener.mu.Unlock()
		if !again {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(listenAgain):
		}
	}
}

// hear hears of commits until its connection is lost. It reports whether another one is worth
// a try: a pooler gives a session to others between transactions, and no standby lets anybody
// listen.
func (d *DB) hear(ctx context.Context) (again bool) {
	c, err := d.connect(unwatched(ctx)) // it waits for as long as nothing is committed
	if err != nil {
		return ctx.Err() == nil
	}
	defer func() { c.end(); d.dropped.add(c) }()
	// Not QueryRow, which links half a megabyte that reads every type there is.
	answer, err := c.simple(ctx, "SELECT pg_backend_pid()")
	if err != nil {
		return ctx.Err() == nil
	}
	if len(answer) != 1 || len(answer[0].Rows) != 1 || string(answer[0].Rows[0][0]) != strconv.FormatUint(uint64(c.pg.PgConn().PID()), 10) {
		return false
	}
	if _, err := c.simple(ctx, "LISTEN "+d.where.schema()); err != nil {
		return state(err) != "25006" && ctx.Err() == nil
	}
	l := &d.listener
	l.mu.Lock()
	l.heard = 0                // after a crash of the server the number may be less
	l.looked = time.Unix(0, 0) // long ago: the next call reads the number of what came before
	l.mu.Unlock()
	for {
		n, err := c.pg.WaitForNotification(ctx)
		if err != nil {
			return ctx.Err() == nil
		}
		number, err := strconv.ParseInt(n.Payload, 10, 64)
		if err != nil {
			continue
		}
		l.mu.Lock()
		l.heard = max(l.heard, number)
		l.mu.Unlock()
	}
}
