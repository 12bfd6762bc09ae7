package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

func embedEnv(t *testing.T, in io.Reader, out io.Writer) command.Env {
	t.Helper()
	if !bge.Available() {
		t.Skip("this build has no embedding model (tag slim)")
	}
	return command.Env{
		Args: []string{"embed", "--stdin"}, Stdin: in, Stdout: out, Stderr: io.Discard,
		Getenv: func(string) string { return "" }, Dir: t.TempDir(), Home: t.TempDir(),
	}
}

// One text that is too long costs its neighbours nothing, and the order stays.
func TestEmbedLinesTooLong(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	in := "first\n" + strings.Repeat("word ", 600) + "\nlast one\n" + strings.Repeat("stone ", 700) + "\n"
	if code := Main(context.Background(), embedEnv(t, strings.NewReader(in), &out)); code != 5 {
		t.Errorf("exit %d", code)
	}
	var got []api.TextVector
	for line := range strings.Lines(out.String()) {
		var v api.TextVector
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		got = append(got, v)
	}
	if len(got) != 4 {
		t.Fatalf("%d answers", len(got))
	}
	for i, tokens := range []int{1, 600, 2, 700} {
		v := got[i]
		if v.Tokens != tokens {
			t.Errorf("%d has %d tokens, want %d", i, v.Tokens, tokens)
		}
		if long := tokens > 510; long != (v.Error != "") || long != (v.MaxTokens == 510) || long != (v.Vector == nil) {
			t.Errorf("%d: %q, %d, %d numbers", i, v.Error, v.MaxTokens, len(v.Vector))
		}
		sum := 0.0
		for _, x := range v.Vector {
			sum += float64(x) * float64(x)
		}
		if v.Vector != nil && math.Abs(sum-1) > 1e-3 {
			t.Errorf("%d has length %v", i, sum)
		}
	}
}

// Who writes a line and waits for its answer before the next gets it.
func TestEmbedLinesStream(t *testing.T) {
	t.Parallel()
	in, toCairn := io.Pipe()
	fromCairn, out := io.Pipe()
	done := make(chan int, 1)
	env := embedEnv(t, in, out)
	go func() {
		code := Main(context.Background(), env)
		_ = out.Close() // of a pipe in memory, which does not fail
		done <- code
	}()
	answers := bufio.NewReader(fromCairn)
	for _, text := range []string{"one", "two three", "four"} {
		if _, err := io.WriteString(toCairn, text+"\n"); err != nil {
			t.Fatal(err)
		}
		if line, err := answers.ReadString('\n'); err != nil || !strings.Contains(line, `"vector"`) {
			t.Fatalf("%.60q: %v", line, err)
		}
	}
	if err := toCairn.Close(); err != nil {
		t.Fatal(err)
	}
	if code := <-done; code != 0 {
		t.Errorf("exit %d", code)
	}
}
