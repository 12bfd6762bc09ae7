package doc_test

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
)

// Sections 14.1 and 14.2 of the specification of Markdown graphs.
func TestPermalinks(t *testing.T) {
	t.Parallel()
	own := &doc.Node{Metadata: []doc.Property{{Key: "permalink", Values: []string{" specs/Own "}}}}
	for got, want := range map[string]string{
		doc.Permalink("Notes/Machine Learning Basics!", &doc.Node{}): "notes/machine-learning-basics",
		doc.Permalink("a", own): "specs/Own",
		doc.ObservationPermalink("ml-basics", "definition", "Machine learning is a subset of AI"): "ml-basics/observations/definition/machine-learning-is-a-subset-of-ai",
		doc.ObservationPermalink("p", "Key Fact", strings.Repeat("é", 201)):                       "p/observations/key-fact/" + strings.Repeat("é", 200),
		doc.RelationPermalink("a", "works_at", doc.PathSlug("People/Ada L.")):                     "a/works-at/people/ada-l",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
