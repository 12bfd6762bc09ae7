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
)

// maxLine bounds one message: a page of the greatest size (64 MiB), escaped.
const maxLine = 100 << 20

// transport carries messages as lines. It differs from the SDK's own in two
// things: a line that is no message is answered with an error instead of
// ending the session, and the end of the input is reported only when every
// request before it was answered, since the SDK drops what is under way.
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
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, io.EOF
		case line := <-c.lines:
			if line.long {
				if err := c.refuse(jsonrpc.CodeInvalidRequest, fmt.Sprintf("this line is longer than the %d MiB that a message may have", maxLine>>20)); err != nil {
					return nil, err
				}
				continue
			}
			msg, err := jsonrpc.DecodeMessage(line.text)
			if err != nil {
				if err := c.refuse(wrong(line.text)); err != nil {
					return nil, err
				}
				continue
			}
			c.received(msg)
			return msg, nil
		case err := <-c.failed:
			return nil, c.drain(ctx, err)
		}
	}
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

// wrong says why a line is no message.
func wrong(line []byte) (code int, text string) {
	if json.Valid(line) {
		return jsonrpc.CodeInvalidRequest, "this is no JSON-RPC message; batches are not supported"
	}
	return jsonrpc.CodeParseError, "this line is no JSON"
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
	if err := c.line(text); err != nil {
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
