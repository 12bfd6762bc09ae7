//go:build !race

package app_test

import (
	"fmt"
	"testing"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// The digits that tell a page's id are asked for once, for all pages that a list
// shows.
func TestAListAsksOnceForItsPages(t *testing.T) {
	b := apptest.New(t)
	a := b.Open()
	apptest.OK(a.Spaces().Add(t.Context(), app.SpaceAdd{Name: "notes", Database: true}))(t)
	const n = 200
	for i := range n {
		apptest.OK(a.Put(t.Context(), app.PutRequest{Ref: fmt.Sprintf("notes:p%d", i), Text: []byte("text\n")}))(t)
	}
	list := func(limit int) float64 {
		return testing.AllocsPerRun(5, func() {
			if got := apptest.OK(a.Pages(t.Context(), app.ListRequest{Limit: limit}))(t); len(got.Items) != limit {
				t.Fatalf("%d pages", len(got.Items))
			}
		})
	}
	few, many := list(20), list(n)
	if each := (many - few) / (n - 20); each > 60 {
		t.Errorf("%.0f allocations for a page of a list", each)
	}
}
