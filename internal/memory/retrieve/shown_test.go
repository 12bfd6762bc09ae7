//go:build !race

package retrieve_test

import (
	"fmt"
	"testing"

	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// The digits that tell a page's id are asked for once, for all pages that a list
// shows.
func TestAListAsksOnceForItsPages(t *testing.T) {
	// Serial: it counts allocations.
	b := apptest.New(t)
	a := b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Name: "notes", Database: true}))(t)
	const n = 200
	for i := range n {
		apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: fmt.Sprintf("notes:p%d", i), Text: []byte("text\n")}))(t)
	}
	list := func(limit int) float64 {
		return testing.AllocsPerRun(5, func() {
			if got := apptest.OK(retrieve.Pages(t.Context(), a, retrieve.ListRequest{Limit: limit}))(t); len(got.Items) != limit {
				t.Fatalf("%d pages", len(got.Items))
			}
		})
	}
	few, many := list(20), list(n)
	if each := (many - few) / (n - 20); each > 60 {
		t.Errorf("%.0f allocations for a page of a list", each)
	}
}
