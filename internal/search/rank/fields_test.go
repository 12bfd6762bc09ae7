package rank_test

import (
	"slices"
	"testing"

	"github.com/cairn-kb/cairn/internal/search/rank"
)

func TestByFields(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fields []string
		want   int
	}{
		{nil, 0},
		{[]string{"body"}, 5},
		{[]string{"summary", "body"}, 25},
		{[]string{"status"}, 50},
		{[]string{"title"}, 100},
		{[]string{"title", "tag", "project", "status", "summary", "body"}, 275},
	} {
		matched := map[string]bool{"nothing": true}
		for _, f := range tt.fields {
			matched[f] = true
		}
		if score, fields := rank.ByFields(matched); score != tt.want || !slices.Equal(fields, tt.fields) {
			t.Errorf("%v: %d by %v, want %d", tt.fields, score, fields, tt.want)
		}
	}
}
