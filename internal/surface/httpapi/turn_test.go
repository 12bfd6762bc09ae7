package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/memory/turn"
	"github.com/cairn-kb/cairn/internal/surface/httpapi"
)

// crowd counts how many are at work at once, and keeps each until it is let go.
type crowd struct {
	began, release chan struct{}
	now, most      atomic.Int64
}

func newCrowd() *crowd {
	return &crowd{began: make(chan struct{}, 1000), release: make(chan struct{}, 1000)}
}

func (c *crowd) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := c.now.Add(1)
	defer c.now.Add(-1)
	for most := c.most.Load(); n > most && !c.most.CompareAndSwap(most, n); most = c.most.Load() {
	}
	c.began <- struct{}{}
	select {
	case <-c.release:
	case <-r.Context().Done():
	}
	w.WriteHeader(http.StatusOK)
}

func (c *crowd) Close() {}

// post sends a body, of a length that is told or is not, until the answer.
func (s *served) post(size int, told bool) error {
	r, err := http.NewRequestWithContext(s.T.Context(), "POST", s.url+"/mcp", strings.NewReader(strings.Repeat("x", size)))
	if err != nil {
		return err
	}
	if !told {
		r.ContentLength = -1
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	if err == nil {
		err = answer.Body.Close()
	}
	if err == nil && answer.StatusCode != 200 {
		err = fmt.Errorf("the status is %d", answer.StatusCode)
	}
	return err
}

// Of many requests a bounded number is at work, and of large ones as many as
// there are bytes for. All are answered.
func TestManyRequestsWaitForTheirTurn(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	for name, tc := range map[string]struct {
		limits     httpapi.Limits
		size, most int
		told       bool
	}{
		"small":          {httpapi.Limits{AtWork: 3}, 10, 3, true},
		"large":          {httpapi.Limits{Bytes: 5 * mib}, 2 * mib, 2, true},
		"beyond all":     {httpapi.Limits{Bytes: 2 * mib}, 3 * mib, 1, true},
		"of no length":   {httpapi.Limits{Bytes: 5 * mib}, 2 * mib, 1, false},
		"small, of none": {httpapi.Limits{Bytes: 1, AtWork: 4}, 10, 4, false},
	} {
		t.Run(name, func(t *testing.T) {
			work := newCrowd()
			s := serveBed(t, func(o *httpapi.Options) { o.MCP, o.Limits = work, tc.limits })
			const requests = 8
			var all sync.WaitGroup
			for range requests {
				all.Go(func() {
					if err := s.post(tc.size, tc.told); err != nil {
						t.Error(err)
					}
				})
			}
			for range tc.most { // as many as may are at work before one is let go
				<-work.began
			}
			for range requests {
				work.release <- struct{}{}
			}
			all.Wait()
			if most := work.most.Load(); most != int64(tc.most) {
				t.Errorf("%d were at work at once, want %d", most, tc.most)
			}
		})
	}
}

// A request with a large body that waits to be let in keeps nobody from large documents: those who
// were let in may wait for them.
func TestLargeBodiesAreLetInFirst(t *testing.T) {
	t.Parallel()
	work := newCrowd()
	s := serveBed(t, func(o *httpapi.Options) { o.MCP, o.Limits = work, httpapi.Limits{AtWork: 1} })
	first, large := make(chan error, 1), make(chan int, 1)
	go func() { first <- s.post(10, true) }()
	<-work.began
	go func() {
		w := httptest.NewRecorder()
		s.server.ServeHTTP(w, request("PUT", "/api/v1/pages/none", `{"expected_version":7,"text":"`+strings.Repeat("x", 17<<20)+`"}`))
		large <- w.Code
	}()
	for range 200 { // also once the body is read
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		_, over, err := turn.Alone(ctx, nil, 17<<20)
		cancel()
		if err != nil {
			t.Fatal("a request that was not let in has the turn")
		}
		over()
	}
	work.release <- struct{}{}
	if err := <-first; err != nil {
		t.Error(err)
	}
	if got := <-large; got != http.StatusConflict {
		t.Errorf("the large body is answered %d", got)
	}
}

// Who waits for a turn does not hold up the stop, and is told.
func TestStopEndsTheWaitForABody(t *testing.T) {
	t.Parallel()
	work := newCrowd()
	let := make(chan struct{}, 2)
	s := serveBed(t, func(o *httpapi.Options) {
		o.MCP, o.Limits = work, httpapi.Limits{Bytes: 1}
		tokens := o.Tokens
		o.Tokens = func() []httpapi.Token {
			let <- struct{}{}
			return tokens()
		}
	})
	first := make(chan error, 1)
	go func() { first <- s.post(2<<20, true) }()
	<-work.began
	<-let
	waits := s.dial()
	waits.send("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + token + "\r\nContent-Length: 2000000\r\n\r\n")
	<-let
	s.stop()
	if got := waits.answer(); got.StatusCode != 503 {
		t.Errorf("it is answered %d", got.StatusCode)
	}
	work.release <- struct{}{}
	if err := <-first; err != nil {
		t.Error(err)
	}
	if err := <-s.ended; err != nil {
		t.Error(err)
	}
}

// What says that it is too large is refused before it is read.
func TestTooLargeIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	s := serveBed(t)
	c := s.dial()
	c.send("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + token + "\r\nContent-Length: 1000000000\r\n\r\n")
	if got := c.answer(); got.StatusCode != 413 || !got.Close {
		t.Errorf("it is answered %d, closing: %t", got.StatusCode, got.Close)
	}
}
