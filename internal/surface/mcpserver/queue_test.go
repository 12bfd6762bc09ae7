package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
)

// busyMemory keeps its callers until it is released, and counts them.
type busyMemory struct {
	began, release chan struct{}
	now, most      atomic.Int64
}

func (m *busyMemory) Session(context.Context, bool) (*memory.Session, error) {
	n := m.now.Add(1)
	defer m.now.Add(-1)
	for most := m.most.Load(); n > most && !m.most.CompareAndSwap(most, n); most = m.most.Load() {
	}
	m.began <- struct{}{}
	<-m.release
	return nil, kb.Errorf(kb.Internal, "busy")
}

// Of many requests a bounded number is at work. The others wait for their turn
// and are answered, and one that is cancelled meanwhile never begins.
func TestManyRequestsWaitForTheirTurn(t *testing.T) {
	t.Parallel()
	const requests = 10000
	m := &busyMemory{began: make(chan struct{}, requests), release: make(chan struct{})}
	s := New(Options{Memory: m, ReadOnly: true}) // whose first answer does not ask the memory
	in, client := io.Pipe()
	answers, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- s.Run(t.Context(), in, out)
		_ = out.Close() // always nil
	}()
	go func() {
		w := bufio.NewWriter(client)
		fmt.Fprintln(w, `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
		fmt.Fprintln(w, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		for i := range requests {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"status","arguments":{}}}`+"\n", i)
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`+"\n", requests-1)
		fmt.Fprintln(w, "this is answered when all above is read")
		_, _ = w.Flush(), client.Close() // Run says what failed
	}()
	answered, released := map[string]int{}, false
	for lines := bufio.NewScanner(answers); lines.Scan(); {
		id, _, _ := strings.Cut(strings.TrimPrefix(lines.Text(), `{"jsonrpc":"2.0","id":`), ",")
		answered[id]++
		if id == "null" {
			for range maxOpen {
				<-m.began
			}
			released = true
			close(m.release)
		}
	}
	if err := <-ended; err != nil || !released {
		t.Errorf("it ends with %v", err)
	}
	if most := m.most.Load(); most != maxOpen {
		t.Errorf("%d were at work at once", most)
	}
	if len(answered) != requests+1 || answered[fmt.Sprint(requests-1)] != 0 || len(m.began) != requests-1-maxOpen {
		t.Errorf("%d were answered, and %d began", len(answered), len(m.began)+maxOpen)
	}
}

// Where too much waits the client does, too.
func TestClientWaitsWhereTooMuchWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		in, client := io.Pipe()
		conn, err := (&transport{in: in, out: new(bytes.Buffer)}).Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		const each = 2 << 20
		var sent atomic.Int64
		go func() {
			for i := 1; ; i++ {
				text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"x","params":"%s"}`+"\n", i, strings.Repeat("x", each))
				if _, err := io.WriteString(client, text); err != nil {
					return
				}
				sent.Add(1)
			}
		}()
		var read []jsonrpc.Message
		go func() {
			for {
				msg, err := conn.Read(t.Context())
				if err != nil {
					return
				}
				read = append(read, msg)
			}
		}()
		synctest.Wait()
		if n := len(read); n == 0 || n > maxOpenBytes/each {
			t.Errorf("%d requests of 2 MiB are at work", n)
		}
		// What is read and waits, one line before that, and one in the pipe.
		if n := int(sent.Load()) - len(read); n == 0 || n > maxWaiting/each+3 {
			t.Errorf("%d of 2 MiB wait here", n)
		}
		before := len(read)
		response := &jsonrpc.Response{ID: read[0].(*jsonrpc.Request).ID, Result: []byte("{}")}
		if err := conn.Write(t.Context(), response); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if len(read) != before+1 {
			t.Errorf("after an answer %d more begin", len(read)-before)
		}
		if err := errors.Join(conn.Close(), client.Close()); err != nil {
			t.Error(err)
		}
	})
}

// A request that is larger than all may be together is served alone.
func TestLargeRequestIsServedAlone(t *testing.T) {
	t.Parallel()
	c := &connection{open: map[any]int{}, freed: make(chan struct{}, 1)}
	of := func(id float64, size int) request {
		i, err := jsonrpc.MakeID(id)
		if err != nil {
			t.Fatal(err)
		}
		return request{&jsonrpc.Request{ID: i}, size}
	}
	large := of(1, maxLine)
	if !c.begin(large) || c.begin(of(2, 1)) {
		t.Error("a large request is not served, or not alone")
	}
	c.done(large.msg.ID)
	if !c.begin(of(3, maxOpenBytes-10)) || !c.begin(of(4, 10)) || c.begin(of(5, 1)) || c.begin(large) {
		t.Error("what is served is not what there is room for")
	}
}

// What was read of a large message is not kept until the next one comes, neither
// by the reader nor, where it had to wait for its turn, by the queue.
func TestLargeMessagesAreNotKept(t *testing.T) {
	// Serial: it measures memory.
	const size = 16 << 20
	in, client := io.Pipe()
	conn, err := (&transport{in: in, out: io.Discard}).Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := conn.(*connection)
	heap := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	read := func(id int) *jsonrpc.Request {
		go fmt.Fprintf(client, `{"jsonrpc":"2.0","id":%d,"method":"ping","params":{"x":"%s"}}`+"\n", id, strings.Repeat("x", size))
		msg, err := c.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return msg.(*jsonrpc.Request)
	}
	before := heap()
	read(1)
	if kept := heap() - before; kept > size/2 {
		t.Errorf("the reader keeps %d MiB", kept>>20)
	}
	c.waiting = []request{{msg: read(2), size: size}}
	if c.next() == nil {
		t.Fatal("it waits still")
	}
	if kept := heap() - before; kept > size/2 {
		t.Errorf("the queue keeps %d MiB", kept>>20)
	}
	runtime.KeepAlive(c)
	_ = client.Close() // always nil
}
