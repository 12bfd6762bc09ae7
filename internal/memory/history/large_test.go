package history_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// Versions of a large document are compared in turn, as such documents are read and written.
func TestLargeDiffsWaitForTheirTurn(t *testing.T) {
	t.Parallel()
	s := newShared(t)
	text := strings.Repeat("a line of text\n", 17<<20/15)
	s.put(s.me, "a", text)
	s.put(s.me, "a", text+"one more\n")
	_, over, err := write.Alone(t.Context(), 17<<20)
	if err != nil {
		t.Fatal(err)
	}
	soon, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := history.Compare(soon, s.me, history.DiffRequest{Ref: "a"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("compared while another document is worked on: %v", err)
	}
	over()
	apptest.OK(history.Compare(t.Context(), s.me, history.DiffRequest{Ref: "a"}))(t)
}
