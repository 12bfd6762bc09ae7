package retrieve

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/lexical"
	"github.com/cairn-kb/cairn/internal/search/query"
)

// Only an answer is judged, which takes sentences of pages through the model: a capture that looks
// for similar pages shows no match.
func TestSimilarPagesAreNotJudged(t *testing.T) {
	t.Parallel()
	s := &Search{req: SearchRequest{only: &kb.Space{}}}
	s.query.Root = &query.Word{Text: "kiln"}
	if err := s.judge(t.Context(), []candidate{{words: &lexical.Hit{Coverage: 1}}}); err != nil || s.out.Match != "" {
		t.Errorf("the match is %q, %v", s.out.Match, err)
	}
}
