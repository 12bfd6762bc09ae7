package torture

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// TestKilledSource kills a process that keeps a source in a guarded space, at random moments.
// What it left undone the next one does, whatever that is: the source is committed once, git's
// index knows of it, so that what a person commits next takes nothing back, and no temporary
// file is left where another source is kept.
func TestKilledSource(t *testing.T) {
	// Serial: it measures time.
	slowtest.Skip(t, "additions of a source are killed")
	g := newGuarded(t, "k", 2)
	took, cut := 400*time.Millisecond, 0
	for round := range 2 * killRounds() {
		text := filepath.Join(g.home, "t.txt")
		writeFile(t, text, fmt.Sprintf("Source %d.\n", round))
		add := []string{"source", "add", "--space", "kb", "--url", fmt.Sprintf("https://example.org/%d", round), "--title", "Same title", "--full", "--file", text}
		if g.killed(took, add...) {
			cut++
		}
		before := time.Now()
		g.must(add...)
		took = time.Since(before)
		g.clean(round)
		if files := strings.Fields(g.git("ls-tree", "-r", "--name-only", "HEAD", "raw/")); len(files) != 2*(round+1) {
			t.Fatalf("round %d: %d files of sources are committed: %q", round, len(files), files)
		}
	}
	if cut == 0 && killRounds() >= 5 {
		t.Error("no process was killed: nothing was shown")
	}
}
