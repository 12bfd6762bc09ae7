package doc_test

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
)

// Section 14.1 of the specification of Markdown graphs.
func TestPermalinks(t *testing.T) {
	t.Parallel()
	own := &doc.Node{Metadata: []doc.Property{{Key: "permalink", Values: []string{" specs/Own "}}}}
	for got, want := range map[string]string{
		doc.Permalink("Notes/Machine Learning Basics!", &doc.Node{}): "notes/machine-learning-basics",
		doc.Permalink("a", own): "specs/Own",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
