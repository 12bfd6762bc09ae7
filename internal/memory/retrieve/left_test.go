package retrieve

import (
	"slices"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/memory"
)

// An answer notes how many pages are left to embed and, by those that the question had
// embedded, how long they take.
func TestPagesLeftToEmbed(t *testing.T) {
	t.Parallel()
	for embedded, want := range map[int]string{
		0: "30 pages not embedded yet: cairn embed",
		4: "30 pages not embedded yet (about 2 min): cairn embed",
	} {
		s := &Search{engine: &memory.Session{}}
		s.Embedded(embedded, 16*time.Second)
		s.left(30)
		if !slices.Equal(s.out.Notes, []string{want}) {
			t.Errorf("after %d pages it notes %q, want %q", embedded, s.out.Notes, want)
		}
	}
}
