package operation_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/surface/operation"
)

func TestFit(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		room, some int
		rest       operation.Room
	}{{100, 3, 85}, {15, 3, 0}, {14, 3, -1}, {13, 2, 0}, {4, 1, 0}, {3, 0, 0}, {0, 0, 0}} {
		r := operation.Room(tc.room)
		some, left := operation.Fit([]string{"aa", "bb", "cc"}, &r)
		if len(some) != tc.some || left != 3-tc.some || r != tc.rest {
			t.Errorf("of %d bytes: %v, %d left out, %d bytes left", tc.room, some, left, r)
		}
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	got := operation.Values([]string{"a", strings.Repeat("é", 200), "c", "d", "e", "f", "g"})
	if want := []string{"a", strings.Repeat("é", 80) + "…", "c", "d", "e", "… 2 more"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := operation.Values(nil); got == nil || len(got) != 0 {
		t.Errorf("none are %#v", got)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	names := slices.Repeat([]string{"n"}, 103)
	if got := operation.Names(names); !strings.HasSuffix(got, ", n, and 3 more") || len(names) != 103 || strings.Count(got, "n,") != 100 {
		t.Error(got)
	}
	if got := operation.Names(names[:2]); got != "n, n" {
		t.Error(got)
	}
	var l operation.LeftOut
	l.Add(0, "pages")
	l.Add(2, "pages")
	l.Add(1, "fields")
	if l.String() != "2 more pages, 1 more fields" {
		t.Error(l)
	}
}
