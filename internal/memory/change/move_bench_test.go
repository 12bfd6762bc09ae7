package change_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/write"
)

// BenchmarkMove moves a page with many backlinks, and undoes that, in a directory and in
// the database.
func BenchmarkMove(b *testing.B) {
	const backlinks = 1000
	for _, kind := range []string{"directory", "database"} {
		b.Run(kind, func(b *testing.B) {
			home, ctx := b.TempDir(), b.Context()
			sess, err := memory.Open(ctx, memory.Options{
				Place: space.Place{Env: func(string) string { return "" }, Dir: home, Home: home},
				Now:   time.Now, Actor: kb.Actor{Kind: kb.Human},
			}, true)
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() {
				if err := sess.Close(); err != nil {
					b.Error(err)
				}
			})
			req := space.AddRequest{Name: "notes", Database: kind == "database"}
			if !req.Database {
				req.Root = b.TempDir()
			}
			if _, err := sess.Spaces.Add(ctx, req); err != nil {
				b.Fatal(err)
			}
			in, err := sess.Spaces.OpenNamed(ctx, "notes")
			if err != nil {
				b.Fatal(err)
			}
			changes := []write.Change{{Space: in, Path: "target.md", Action: write.Put{Bytes: []byte("# Target\n")}}}
			for i := range backlinks {
				text := fmt.Sprintf("# Note %d\n\nIt links to [[target]].\n\n%s\n", i, strings.Repeat("Some more words. ", 20))
				changes = append(changes, write.Change{Space: in, Path: fmt.Sprintf("%d/n%d.md", i%20, i), Action: write.Put{Bytes: []byte(text)}})
			}
			if _, err := change.Apply(ctx, sess, "put", api.WriteOptions{}, changes); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				moved, err := change.Move(ctx, sess, change.MoveRequest{Ref: "notes:target", To: "moved"})
				if err != nil || len(moved.Pages) != backlinks+1 {
					b.Fatalf("%d pages: %v", len(moved.Pages), err)
				}
				if _, err := change.Undo(ctx, sess, history.UndoRequest{Write: moved.Write}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
