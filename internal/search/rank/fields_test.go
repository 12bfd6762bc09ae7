package rank_test

import (
	"slices"
	"testing"

	"github.com/cairn-kb/cairn/internal/search/rank"
)

func TestByFields(t *testing.T) {
	t.Parallel()
	all := rank.FieldTitle | rank.FieldTag | rank.FieldProject | rank.FieldStatus | rank.FieldSummary | rank.FieldBody
	for _, tt := range []struct {
		fields rank.Fields
		want   int
		names  []string
	}{
		{0, 0, nil},
		{rank.FieldBody, 5, []string{"body"}},
		{rank.FieldBody | rank.FieldSummary, 25, []string{"summary", "body"}},
		{rank.FieldStatus, 50, []string{"status"}},
		{rank.FieldTitle, 100, []string{"title"}},
		{all, 275, []string{"title", "tag", "project", "status", "summary", "body"}},
	} {
		if score, names := rank.ByFields(tt.fields), tt.fields.Names(); score != tt.want || !slices.Equal(names, tt.names) {
			t.Errorf("%d: %d by %v, want %d by %v", tt.fields, score, names, tt.want, tt.names)
		}
	}
}
