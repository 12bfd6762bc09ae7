package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cairn-kb/cairn/internal/operation"
)

// maxLine bounds one message: a page of the greatest size (64 MiB), escaped.
const maxLine = 100 << 20

// transport carries messages as lines. It differs from the SDK's own in three
// things: a line that is no message is answered with an error instead of
// ending the session, of several messages on a line none is dropped, and the
// end of the input is reported only when every request before it was answered,
// since the SDK drops what is under way.
type transport struct {
	in  io.ReadCloser
	out io.Writer
}

// Connect implements mcp.Transport.
func (t *transport) Connect(context.Context) (mcp.Connection, error) {
	c := &connection{
		in: t.in, out: t.out, lines: make(chan line), failed: make(chan error, 1),
		closed: make(chan struct{}), open: map[any]bool{}, idle: make(chan struct{}),
	}
	close(c.idle)
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
	once   sync.Once
	closed chan struct{}

	writing sync.Mutex
	out     io.Writer

	mu   sync.Mutex
	open map[any]bool  // ids of requests without an answer
	idle chan struct{} // closed while open is empty
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
		for len(c.rest) > 0 {
			text := c.rest[0]
			c.rest = c.rest[1:]
			if msg, err := c.message(text); msg != nil || err != nil {
				return msg, err
			}
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, io.EOF
		case line := <-c.lines:
			if err := c.take(line); err != nil {
				return nil, err
			}
		case err := <-c.failed:
			return nil, c.drain(ctx, err)
		}
	}
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
			return c.refuse(jsonrpc.CodeParseError, "this line is no JSON")
		}
		several = append(several, text)
	}
}

// message reads one, or answers that it is none.
func (c *connection) message(text []byte) (jsonrpc.Message, error) {
	if err := operation.CheckText(text); err != nil {
		return nil, c.line(badText(text, err))
	}
	written := text
	text, _ = carryIDs(text)
	msg, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		return nil, c.line(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`,
			idIn(written), jsonrpc.CodeInvalidRequest, "this is no JSON-RPC message; batches are not supported"))
	}
	c.received(msg)
	return msg, nil
}

// drain waits until everything that was asked for is answered.
func (c *connection) drain(ctx context.Context, end error) error {
	for {
		c.mu.Lock()
		idle, n := c.idle, len(c.open)
		c.mu.Unlock()
		if n == 0 {
			return end
		}
		select {
		case <-idle:
		case <-ctx.Done():
			return ctx.Err()
		case <-c.closed:
			return end
		}
	}
}

// refuse answers a line that is no message.
func (c *connection) refuse(code int, text string) error {
	return c.line(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`, code, text))
}

// received notes requests that wait for an answer, and those that do not any
// more because they were cancelled.
func (c *connection) received(msg jsonrpc.Message) {
	req, ok := msg.(*jsonrpc.Request)
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case req.IsCall():
		if len(c.open) == 0 {
			c.idle = make(chan struct{})
		}
		c.open[req.ID.Raw()] = true
	case req.Method == "notifications/cancelled":
		var p struct {
			RequestID any `json:"requestId"`
		}
		if err := json.Unmarshal(req.Params, &p); err != nil {
			return // the SDK refuses it
		}
		if id, err := jsonrpc.MakeID(p.RequestID); err == nil {
			c.done(id)
		}
	}
}

// done forgets a request; c.mu is held.
func (c *connection) done(id jsonrpc.ID) {
	if !c.open[id.Raw()] {
		return
	}
	delete(c.open, id.Raw())
	if len(c.open) == 0 {
		close(c.idle)
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
		c.mu.Lock()
		defer c.mu.Unlock()
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
