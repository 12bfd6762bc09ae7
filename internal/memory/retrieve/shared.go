package retrieve

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/search/snippet"
)

// What many pages have in common, such as a footer or the questions of a template,
// answers nothing: a snippet shows it only where no other line of the page has words
// of the query.
const (
	sharedPages  = 10 // that have a line, from which on it is shared
	sharedWords  = 3  // of a line, from which on it can be: fewer are found anywhere
	sharedPhrase = 12 // words of a line that are looked up
	sharedTries  = 6  // lines of a page that are looked up for its snippet
)

// shared reports whether many pages have a line of these words.
func (s *Search) shared(ctx context.Context, line string) (bool, error) {
	words := strings.Fields(line)
	// Signs before a heading or an item are not words.
	words = slices.DeleteFunc(words, func(w string) bool { return !strings.ContainsFunc(w, isWord) })
	if words = words[:min(len(words), sharedPhrase)]; len(words) < sharedWords {
		return false, nil
	}
	phrase := strings.Join(words, " ")
	if is, known := s.sharedLines[phrase]; known {
		return is, nil
	}
	is, err := s.engine.Index.Text().PhraseIn(ctx, s.tx.Lexical(), phrase, sharedPages)
	if err != nil {
		return false, err
	}
	if s.sharedLines == nil {
		s.sharedLines = map[string]bool{}
	}
	s.sharedLines[phrase] = is
	return is, nil
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// snippet returns the passage of a text that shows most of what m matches, other
// than in lines that many pages share where there is one.
func (s *Search) snippet(ctx context.Context, text []byte, m *snippet.Matcher) (snippet.Snippet, error) {
	first := snippet.Make(text, m, s.req.SnippetLen)
	best := first
	for range sharedTries {
		if len(best.Matches) == 0 {
			return first, nil
		}
		line := doc.CutLines(text, doc.Span{End: len(text)}, best.Line, best.Line, true)
		is, err := s.shared(ctx, string(text[line.Start:line.End]))
		if err != nil || !is {
			return best, err
		}
		text = bytes.Clone(text)
		for i := line.Start; i < line.End; i++ {
			if text[i] != '\n' {
				text[i] = ' '
			}
		}
		best = snippet.Make(text, m, s.req.SnippetLen)
	}
	return first, nil
}
