package main

import (
	"context"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test binary stand in for this program where a measurement
// starts it as a bare walk.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == walkCommand {
		exit(walkMain(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// BenchmarkShort runs everything once in small sizes: what CI does to keep the
// measurements working. To get numbers, run the program.
func BenchmarkShort(b *testing.B) {
	for b.Loop() {
		if err := run(b.Context(), []string{"-short"}); err != nil {
			b.Fatal(err)
		}
	}
}

func TestPercentile(t *testing.T) {
	t.Parallel()
	values := []time.Duration{5, 1, 4, 2, 3}
	for _, tt := range []struct {
		p    int
		want time.Duration
	}{{0, 1}, {20, 1}, {21, 2}, {50, 3}, {95, 5}, {100, 5}} {
		if got := percentile(values, tt.p); got != tt.want {
			t.Errorf("percentile %d is %d, want %d", tt.p, got, tt.want)
		}
	}
	if got := percentile([]time.Duration(nil), 50); got != 0 {
		t.Errorf("percentile of nothing is %d", got)
	}
	if !slices.Equal(values, []time.Duration{5, 1, 4, 2, 3}) {
		t.Errorf("percentile changed the order to %v", values)
	}
}

func TestRatioIsOfPairs(t *testing.T) {
	t.Parallel()
	// The medians alone would give 20/10; the pairs say 1, 1 and 40.
	got := ratio([]time.Duration{10, 20, 400}, []time.Duration{10, 20, 10})
	if got != 1 {
		t.Errorf("ratio is %v, want 1", got)
	}
	if got := ratio([]time.Duration{10, 30}, []time.Duration{0, 10}); got != 3 {
		t.Errorf("ratio with a zero is %v, want 3", got)
	}
}

func TestTakeTurnsInterleaves(t *testing.T) {
	t.Parallel()
	var order []string
	one := func(name string) kase {
		return kase{name: name, run: func(context.Context) (sample, error) {
			order = append(order, name)
			return sample{wall: time.Duration(len(order)), cpu: 1}, nil
		}}
	}
	got, err := takeTurns(t.Context(), 2, []kase{one("a"), one("b")})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"a", "a", "b", "a", "b"}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
	if got[0].wallRatio != 1 || got[1].cpuRatio != 1 || got[1].wall != 3 {
		t.Errorf("results %+v", got)
	}
}

func TestGenerateIsDeterministic(t *testing.T) {
	t.Parallel()
	a, b := t.TempDir(), t.TempDir()
	const n = 30
	for _, dir := range []string{a, b} {
		if err := generate(t.Context(), dir, n); err != nil {
			t.Fatal(err)
		}
	}
	notes, bytes, err := walk(a, true)
	if err != nil || notes != n || bytes < n*wordsPerNote*3 {
		t.Fatalf("walk found %d notes of %d bytes, %v", notes, bytes, err)
	}
	for i := range n {
		name := filepath.Join(directoryOf(i), nameOf(i)+".md")
		x, err := os.ReadFile(filepath.Join(a, name))
		if err != nil {
			t.Fatal(err)
		}
		y, err := os.ReadFile(filepath.Join(b, name))
		if err != nil {
			t.Fatal(err)
		}
		if string(x) != string(y) {
			t.Fatalf("%s differs between two runs", name)
		}
		if got := strings.Count(string(x), "[["); got != linksPerNote {
			t.Errorf("%s has %d links, want %d", name, got, linksPerNote)
		}
	}
	if ref, word, err := sampleNote(a); err != nil || ref == "" || word == "" {
		t.Errorf("sampleNote gives %q, %q, %v", ref, word, err)
	}
}

func TestWordsFollowZipf(t *testing.T) {
	t.Parallel()
	l := newLexicon(rand.New(rand.NewSource(seed)))
	count := map[string]int{}
	const n = 100_000
	for range n {
		count[l.word()]++
	}
	// The most frequent word of English is 5 to 7 % of a text, the tenth 1 %.
	first, tenth := float64(count[l.words[0]])/n, float64(count[l.words[9]])/n
	if first < .02 || first > .1 || tenth < .005 || tenth > first/2 {
		t.Errorf("the first word is %.3f of the text, the tenth %.3f", first, tenth)
	}
}

func TestWalkLeavesOutWhatIsNoNote(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"a.md": "one", "b.ORG": "two", "c.txt": "no", ".d.md": "no", ".git/e.md": "no", "f/g.markdown": "three"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if n, bytes, err := walk(dir, true); n != 3 || bytes != 11 || err != nil {
		t.Errorf("walk found %d notes of %d bytes, %v", n, bytes, err)
	}
}
