package rank

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tens takes chunk 23 to page 2.
func tens(id int64) int64 { return id / 10 }

func TestDedupe(t *testing.T) {
	fused := []Fused{{ID: 23, Score: 9, Votes: []Vote{{Rank: 1}}}, {ID: 11, Score: 8}, {ID: 21, Score: 7}, {ID: 24, Score: 6}}
	want := []Page{{fused[0], 2, 3}, {fused[1], 1, 1}}
	if diff := cmp.Diff(want, Dedupe(fused, tens)); diff != "" {
		t.Error(diff)
	}
	if got := Dedupe(nil, tens); len(got) != 0 {
		t.Error(got)
	}
}

func TestBestOf(t *testing.T) {
	in := List{Name: "meaning", Items: scored(23, 9, 11, 8, 21, 7), Weight: 0.3, Loose: true}
	want := List{Name: "meaning", Items: scored(2, 9, 1, 8), Weight: 0.3, Loose: true}
	if diff := cmp.Diff(want, BestOf(in, tens)); diff != "" {
		t.Error(diff)
	}
	if len(in.Items) != 3 {
		t.Error("the list given was changed")
	}
}
