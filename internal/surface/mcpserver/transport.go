package mcpserver

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cairn-kb/cairn/internal/kb"
)

// maxLine bounds one message: a page of the greatest size (64 MiB), escaped.
const maxLine = 100 << 20

// What one client may have under way: more waits. A call of a tool takes some
// 300 KB while it works, and a page some twenty times its size.
const (
	maxOpen      = 64       // requests
	maxOpenBytes = 64 << 20 // of their texts; one request may have more, alone
	// maxWaiting is how many bytes of requests wait here for their turn; beyond
	// that the client waits.
	maxWaiting = 16 << 20
)

// transport carries messages as lines. It differs from the SDK's own in four
// things: an invalid line is answered with an error instead of ending the
// session, several messages on a line are all read, requests queue when there
// are many, and the end of the input is reported only when every request before
// it was answered, since the SDK drops running requests.
type transport struct {
	in  io.ReadCloser
	out io.Writer
}

// Connect implements mcp.Transport.
func (t *transport) Connect(context.Context) (mcp.Connection, error) {
	c := &connection{
		in: t.in, out: t.out, lines: make(chan line), failed: make(chan error, 1),
		closed: make(chan struct{}), open: map[any]int{}, freed: make(chan struct{}, 1),
	}
	go c.read()
	return c, nil
}

// line is one of the input.
type line struct {
	text []byte
	long bool // more than maxLine, and text is its start
}

type connection struct {
	in     io.ReadCloser
	lines  chan line
	failed chan error // why there are no more lines
	rest   [][]byte   // messages of the last line that are still to be read
	end    error      // why the input ended, nil while it goes on
	once   sync.Once
	closed chan struct{}

	writing sync.Mutex
	out     io.Writer

	// Requests that wait for their turn; only Read touches them.
	waiting      []request
	waitingBytes int

	mu        sync.Mutex
	open      map[any]int // sizes of requests without an answer, by their ids
	openBytes int
	freed     chan struct{} // holds something after a request was answered
}

// request is one that waits for its turn.
type request struct {
	msg  *jsonrpc.Request
	size int
}

// read hands on lines until the input ends or the connection is closed. It may
// outlive the connection, since a read of standard input cannot be stopped.
func (c *connection) read() {
	r := bufio.NewReaderSize(c.in, 64<<10)
	for {
		text, err := readLine(r)
		if len(bytes.TrimSpace(text)) > 0 {
			select {
			case c.lines <- line{text, errors.Is(err, bufio.ErrTooLong)}:
			case <-c.closed:
				return
			}
		}
		if err != nil && !errors.Is(err, bufio.ErrTooLong) {
			c.failed <- err
			return
		}
	}
}

// readLine returns the next line. Of one that is too long it returns the
// start and bufio.ErrTooLong.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	var long error
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			long = bufio.ErrTooLong
		} else if long == nil {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, errors.Join(err, long)
		}
	}
}

// Read implements mcp.Connection.
func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		if msg := c.next(); msg != nil {
			return msg, nil
		}
		for len(c.rest) > 0 {
			text := c.rest[0]
			c.rest[0] = nil // the backing array would keep it in memory
			c.rest = c.rest[1:]
			if msg, err := c.message(text); msg != nil || err != nil {
				return msg, err
			}
		}
		lines, failed := c.lines, c.failed
		switch {
		case c.end != nil && len(c.waiting) == 0 && c.idle():
			return nil, c.end
		case c.end != nil:
			lines, failed = nil, nil
		case c.waitingBytes > maxWaiting:
			lines = nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, cmp.Or(c.end, io.EOF)
		case <-c.freed:
		case line := <-lines:
			if err := c.take(line); err != nil {
				return nil, err
			}
		case c.end = <-failed:
		}
	}
}

// next returns the next request in line, nil for none.
func (c *connection) next() jsonrpc.Message {
	if len(c.waiting) == 0 {
		return nil
	}
	r := c.waiting[0]
	if !c.begin(r) {
		return nil
	}
	c.waiting[0] = request{}
	c.waiting, c.waitingBytes = c.waiting[1:], c.waitingBytes-r.size
	return r.msg
}

// begin notes a request as one that waits for its answer, if there is room.
func (c *connection) begin(r request) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.open); n >= maxOpen || n > 0 && c.openBytes+r.size > maxOpenBytes {
		return false
	}
	id := r.msg.ID.Raw()
	c.openBytes += r.size - c.open[id]
	c.open[id] = r.size
	return true
}

// idle reports whether all that was begun is answered.
func (c *connection) idle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open) == 0
}

// take keeps the messages of a line, or answers that there is none in it. Where
// a part of it cannot be read, nothing of it is done.
func (c *connection) take(line line) error {
	if line.long {
		return c.refuse(jsonrpc.CodeInvalidRequest, fmt.Sprintf("this line is longer than the %d MiB that a message may have", maxLine>>20))
	}
	if json.Valid(line.text) {
		c.rest = append(c.rest, line.text)
		return nil
	}
	var several [][]byte
	for d := json.NewDecoder(bytes.NewReader(line.text)); ; {
		var text json.RawMessage
		switch err := d.Decode(&text); {
		case errors.Is(err, io.EOF):
			c.rest = append(c.rest, several...)
			return nil
		case err != nil:
			return c.refuse(jsonrpc.CodeParseError, "this line is not JSON")
		}
		several = append(several, text)
	}
}

// message reads one, or answers that it is none.
func (c *connection) message(text []byte) (jsonrpc.Message, error) {
	if err := kb.CheckJSON(text); err != nil {
		return nil, c.line(badText(text, err))
	}
	written := text
	text, _ = carryIDs(text)
	msg, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		return nil, c.line(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`,
			idIn(written), jsonrpc.CodeInvalidRequest, "this is not a JSON-RPC message; batches are not supported"))
	}
	req, ok := msg.(*jsonrpc.Request)
	switch {
	case !ok:
	case req.IsCall():
		r := request{req, len(written)}
		if len(c.waiting) > 0 || !c.begin(r) {
			c.waiting, c.waitingBytes = append(c.waiting, r), c.waitingBytes+r.size
			return nil, nil
		}
	case req.Method == "notifications/cancelled":
		c.cancelled(req)
	}
	return msg, nil
}

// refuse answers an invalid line.
func (c *connection) refuse(code int, text string) error {
	return c.line(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`, code, text))
}

// cancelled drops a request that its client cancelled: it is not answered, and
// not started if it is still waiting.
func (c *connection) cancelled(req *jsonrpc.Request) {
	var p struct {
		RequestID any `json:"requestId"`
	}
	if err := json.Unmarshal(req.Params, &p); err != nil {
		return // the SDK refuses it
	}
	id, err := jsonrpc.MakeID(p.RequestID)
	if err != nil {
		return
	}
	if i := slices.IndexFunc(c.waiting, func(r request) bool { return r.msg.ID == id }); i >= 0 {
		c.waitingBytes -= c.waiting[i].size
		c.waiting = slices.Delete(c.waiting, i, i+1)
		return
	}
	c.done(id)
}

// done forgets a request that was begun.
func (c *connection) done(id jsonrpc.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	size, open := c.open[id.Raw()]
	if !open {
		return
	}
	delete(c.open, id.Raw())
	c.openBytes -= size
	select {
	case c.freed <- struct{}{}:
	default: // it is known already
	}
}

// Write implements mcp.Connection.
func (c *connection) Write(_ context.Context, msg jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	if err := c.line(restoreIDs(text)); err != nil {
		return err
	}
	if resp, ok := msg.(*jsonrpc.Response); ok {
		c.done(resp.ID)
	}
	return nil
}

func (c *connection) line(text []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.out.Write(append(text, '\n'))
	return err
}

// Close implements mcp.Connection.
func (c *connection) Close() error {
	var err error
	c.once.Do(func() {
		close(c.closed)
		err = c.in.Close()
	})
	return err
}

// SessionID implements mcp.Connection; a stream has one session without a name.
func (c *connection) SessionID() string { return "" }
