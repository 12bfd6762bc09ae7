package embedding

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/store"
)

func TestShortFirst(t *testing.T) {
	for name, tt := range map[string]struct {
		pages []store.StalePage
		rows  []int64
	}{
		"none":                     {nil, []int64{}},
		"short ones first":         {[]store.StalePage{{Row: 1, Bytes: 90_000}, {Row: 2, Bytes: 4_000}, {Row: 3, Bytes: 80}}, []int64{3, 2, 1}},
		"about one size by row":    {[]store.StalePage{{Row: 1, Bytes: 1_900}, {Row: 2, Bytes: 1_100}, {Row: 3, Bytes: 1_500}}, []int64{1, 2, 3}},
		"empty pages first of all": {[]store.StalePage{{Row: 1, Bytes: 1}, {Row: 2, Bytes: 0}}, []int64{2, 1}},
		"the longest is the last":  {[]store.StalePage{{Row: 7, Bytes: 1 << 40}, {Row: 8, Bytes: 300}, {Row: 9, Bytes: 200}}, []int64{9, 8, 7}},
	} {
		rows, bytes, sum := shortFirst(tt.pages)
		if diff := cmp.Diff(tt.rows, rows); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		for _, p := range tt.pages {
			if sum -= p.Bytes; bytes[p.Row] != p.Bytes {
				t.Errorf("%s: page %d has %d bytes", name, p.Row, bytes[p.Row])
			}
		}
		if sum != 0 {
			t.Errorf("%s: the sum is %d too much", name, sum)
		}
	}
}
