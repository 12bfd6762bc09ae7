package torture

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// TestKilledMerge kills a process that merges two pages of a guarded space, at random
// moments: afterwards both pages and the one that links to them are as before, with no
// commit, or all of them are as after it, with one. Nothing of either text is lost.
func TestKilledMerge(t *testing.T) {
	// Serial: it measures time.
	slowtest.Skip(t, "merges of two pages are killed")
	g := newGuarded(t, "human:ada", 3)
	must := func(args ...string) {
		t.Helper()
		g.must(append([]string{"--space", "kb"}, args...)...)
	}
	must("capture", "One says so.", "--title", "One", "--summary", "One.", "--stable")
	must("capture", "Two says so.", "--title", "Two", "--summary", "Two.", "--stable", "--keep")
	must("capture", "A page that links.", "--title", "Hub", "--summary", "Hub.", "--stable", "--keep")
	must("link", "hub", "uses", "one")
	must("timeline-add", "one", "Seen.", "--date", "2026-01-02", "--source", "log")
	must("assert", "one", "made_of", "stone", "--evidence", "One says so.")
	must("assert", "hub", "needs", "one")
	files := []string{"hub.org", "index.org", "one.org", "two.org", ".raw/hub.json", ".raw/one.json", ".raw/two.json"}
	read := func() (out []string) {
		for _, name := range files {
			text, err := os.ReadFile(filepath.Join(g.dir, name))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			out = append(out, string(text))
		}
		return out
	}
	before := read()
	began := time.Now()
	must("curate", "merge", "one", "two")
	took := time.Since(began)
	after := read()
	if !strings.Contains(after[3], "One says so.") || strings.Contains(after[2], "One says so.") || after[0] == before[0] ||
		!strings.Contains(after[3], "Seen.") || strings.Contains(after[2], "Seen.") || after[4] == before[4] || after[5] != "" || !strings.Contains(after[6], "stone") {
		t.Fatalf("the merge left %q", after)
	}
	must("undo")
	if !slices.Equal(read(), before) {
		t.Fatalf("the undo left %q", read())
	}
	cut, done := 0, 0
	for round := range 2 * killRounds() {
		head := g.git("rev-parse", "HEAD")
		if g.killed(took, "--space", "kb", "curate", "merge", "one", "two") {
			cut++
		}
		must("status") // whoever opens the memory next finishes it
		g.clean(round)
		commits, now := g.git("rev-list", "--count", head+"..HEAD"), read()
		switch {
		case slices.Equal(now, before) && commits == "0":
		case slices.Equal(now, after) && commits == "1":
			done++
			must("undo")
			if !slices.Equal(read(), before) {
				t.Fatalf("round %d: the undo left %q", round, read())
			}
		default:
			t.Fatalf("round %d: %s commits, and the files say %q", round, commits, now)
		}
	}
	if (cut == 0 || done == 0) && killRounds() >= 5 {
		t.Errorf("%d processes were killed, and %d merges were made: little was shown", cut, done)
	}
}
