package ref_test

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/memory/ref"
)

// Section 14.2 of the specification of Markdown graphs.
func TestPermalinksBelowAPage(t *testing.T) {
	t.Parallel()
	for got, want := range map[string]string{
		ref.ObservationPermalink("ml-basics", "definition", "Machine learning is a subset of AI"): "ml-basics/observations/definition/machine-learning-is-a-subset-of-ai",
		ref.ObservationPermalink("p", "Key Fact", strings.Repeat("é", 201)):                       "p/observations/key-fact/" + strings.Repeat("é", 200),
		ref.RelationPermalink("a", "works_at", ref.Permalink("People/Ada L.")):                    "a/works-at/people/ada-l",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
