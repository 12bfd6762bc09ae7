package temporal

import (
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/doc/markdown"
)

// A paragraph of many lines is read in parts, each with what the others have.
func TestLongParagraphsAreReadInParts(t *testing.T) {
	t.Parallel()
	line := "Words of a page without an end.\n"
	text := "# Page\n\nAs of 2026-01-02 this holds.\n" + strings.Repeat(line, 3*maxBlock/len(line)) + "As of 2026-02-03 this holds.\n"
	d := markdown.Codec{}.Parse("page.md", []byte(text))
	if said, _ := Find(d, 0).AsOf(time.Time{}); said != "2026-02-03" {
		t.Errorf("said %q", said)
	}
	n := 0
	for b := range Find(d, 0).blocks() {
		if size := b.spans[len(b.spans)-1].End - b.spans[0].Start; size > 2*maxBlock {
			t.Errorf("a block of %d bytes", size)
		}
		n++
	}
	if n < 3 {
		t.Errorf("%d blocks", n)
	}
	for b := range Find(d, 0).blocks() {
		if len(b.spans) > 0 {
			break // the iterator stops
		}
	}
}
