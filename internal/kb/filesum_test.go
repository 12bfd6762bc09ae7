package kb_test

import (
	"math"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Sums are stored: these may not change without a migration.
func TestFileSumIsForEver(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		path          string
		size, modTime int64
		want          int64
	}{
		{"", 0, 0, -8560559465370315250},
		{"a.md", 1, 1, 4830019102011677937},
		{"notes/Ä ö.md", 45_000, 1_767_323_045_000_000_006, -2666976659339543384},
		{"a.md", math.MaxInt64, math.MinInt64, -8749143346875090095},
	} {
		if got := kb.NewPathSum().Add(test.path).File(test.size, test.modTime); got != test.want {
			t.Errorf("%q, %d, %d: %d, want %d", test.path, test.size, test.modTime, got, test.want)
		}
	}
}

func TestSumWithSidecarIsForEver(t *testing.T) {
	t.Parallel()
	for _, test := range [][4]int64{ // sum, size, time, want
		{0, 0, 0, 8841707400507832957},
		{-1, 0, 0, 0},
		{4830019102011677937, 2, 1_767_323_045_000_000_006, 288359611007205657},
		{math.MinInt64, math.MaxInt64, math.MinInt64, -843551884319140651},
	} {
		if got := kb.WithSidecar(test[0], test[1], test[2]); got != test[3] {
			t.Errorf("%v: %d", test, got)
		}
	}
}

func TestFileSumTellsStatesApart(t *testing.T) {
	t.Parallel()
	seen := map[int64]bool{}
	n := 0
	for _, path := range []string{"a", "b", "ab", "ba", "a/b", "a/", "b/a", "a\x00", "\x00a"} {
		for size := range int64(64) {
			for modTime := range int64(64) {
				for _, far := range []int64{0, 1_767_323_045_000_000_000} {
					seen[kb.NewPathSum().Add(path).File(size, far+modTime)] = true
					n++
				}
			}
		}
	}
	if len(seen) != n {
		t.Errorf("%d states have %d sums", n, len(seen))
	}
	if a, b := kb.NewPathSum().Add("dir/").Add("x.md"), kb.NewPathSum().Add("dir/x.md"); a != b {
		t.Error("a path in two parts has another sum")
	}
}

// What files come to does not hang on their order, and shows any one that is
// another.
func TestFileSums(t *testing.T) {
	t.Parallel()
	sums := []int64{-1, 0, 1, math.MinInt64, math.MaxInt64, 1 << 32, 1<<32 - 1, -1 << 32}
	var a, b kb.FileSums
	for i := range sums {
		a.Add(sums[i])
		b.Add(sums[len(sums)-1-i])
	}
	if a != b || a.Files != len(sums) {
		t.Errorf("%+v and %+v", a, b)
	}
	for i := range sums {
		var c kb.FileSums
		for j, s := range sums {
			if i == j {
				s ^= 1 << (i * 9 % 64)
			}
			c.Add(s)
		}
		if a == c {
			t.Errorf("another sum in the place of %d is not seen", sums[i])
		}
	}
}

func TestRacy(t *testing.T) {
	t.Parallel()
	indexed := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for ago, want := range map[time.Duration]bool{-time.Hour: true, 0: true, kb.RacyWindow - 1: true, kb.RacyWindow: false, time.Hour: false} {
		if kb.Racy(indexed.Add(-ago), indexed) != want {
			t.Errorf("%v before: %v", ago, !want)
		}
	}
}
