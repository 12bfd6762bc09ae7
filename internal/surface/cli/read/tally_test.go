package read

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
)

func TestTally(t *testing.T) {
	t.Parallel()
	list := func(n, total int) (r api.SearchResult) {
		r.Items, r.Total = make([]api.Hit, n), total
		return r
	}
	more := list(10, 1000)
	more.AtLeast, more.Next = true, "10"
	for want, r := range map[string]api.SearchResult{
		"1 page":       list(1, 1),
		"2 of 3 pages": list(2, 3),
		"10 of 1000+ pages; more with --offset 10": more,
	} {
		if got := tally(r); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
