package note_test

import (
	"context"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/note"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// A note that is written but cannot be read back, as where its database stops, is reported as
// written.
func TestWrittenNoteThatCannotBeRead(t *testing.T) {
	t.Parallel()
	ctx, a := context.Background(), apptest.New(t).Open()
	apptest.OK(a.Spaces.Add(ctx, space.AddRequest{Name: "notes", Database: true}))(t)
	a.OnWritten = func(api.Written) { apptest.OK(0, a.DB.Close())(t) }
	w, err := note.Write(ctx, a, note.WriteRequest{Title: "Tide", Content: "High at noon.\n"})
	if kb.AsError(err).Reason != kb.WrittenUnread || w.Write.Write == 0 {
		t.Errorf("answered %v, as write %d", err, w.Write.Write)
	}
}
