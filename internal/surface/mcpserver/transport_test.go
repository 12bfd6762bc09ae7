package mcpserver

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

// Who sends too long a line learns that it was too long.
func TestLineThatIsTooLong(t *testing.T) {
	t.Parallel()
	in, end := io.Pipe()
	var out bytes.Buffer
	conn, err := (&transport{in: in, out: &out}).Connect(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		conn.(*connection).lines <- line{[]byte("{"), true}
		_ = end.Close() // always nil
	}()
	if _, err := conn.Read(context.Background()); !errors.Is(err, io.EOF) {
		t.Errorf("after the line comes %v", err)
	}
	if !strings.Contains(out.String(), `"code":-32600,"message":"this line is longer than the 100 MiB`) {
		t.Errorf("it is answered %s", out.String())
	}
}
