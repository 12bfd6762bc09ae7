package retrieve

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/search/snippet"
	"github.com/cairn-kb/cairn/internal/store"
)

// What many pages have in common, such as a footer or the questions of a template,
// answers nothing: a snippet shows it only where no other line of the page has words
// of the query.
const (
	sharedPages  = 10 // that have a line, from which on it is shared
	sharedWords  = 3  // of a line, from which on it can be: fewer are found anywhere
	sharedPhrase = 12 // words of a line that are looked up
	sharedTries  = 6  // lines of a page that are looked up for its snippet
	sharedHere   = 3  // pages of an answer that have a line, from which on it is looked up
)

// shared reports whether many pages have a line of these words.
func (s *Search) shared(ctx context.Context, line string) (bool, error) {
	words := strings.Fields(line)
	// Signs before a heading or an item are not words.
	words = slices.DeleteFunc(words, func(w string) bool { return !strings.ContainsFunc(w, isWord) })
	if words = words[:min(len(words), sharedPhrase)]; len(words) < sharedWords {
		return false, nil
	}
	return s.inMany(ctx, strings.Join(words, " "))
}

// inMany reports whether many pages have a phrase.
func (s *Search) inMany(ctx context.Context, phrase string) (bool, error) {
	if s.sharedLines == nil {
		kept, err := store.Keep(s.engine.Kept, s.mark, "shared lines", func() (*sharedLines, error) { return &sharedLines{}, nil })
		if err != nil {
			return false, err
		}
		s.sharedLines = kept
	}
	if is, known := s.sharedLines.Get(phrase); known {
		return is, nil
	}
	is, err := s.engine.Index.Text().PhraseIn(ctx, s.tx.Lexical(), phrase, sharedPages)
	if err != nil {
		return false, err
	}
	s.sharedLines.Put(phrase, is, maxSharedLines)
	return is, nil
}

// maxSharedLines is the maximum number of cached lines.
const maxSharedLines = 4096

// sharedLines caches until the next commit whether many pages have a line, by its words: many
// questions find the pages of a template together.
type sharedLines = store.Memo[string, bool]

// hideShared takes lines that several pages of the answer have, and many of the memory, out of
// the served text: those of a template, which may have one word. Lines with words of the question
// stay, and so do headings, tables, code and facts of a page, though others share them.
func (s *Search) hideShared(ctx context.Context, x *selection) error {
	hits := x.hits
	pages := map[string]int{}
	lines := make([]map[string][]int, len(hits)) // of each page, by their words
	for i := range hits {
		h := &hits[i]
		lines[i] = map[string][]int{}
		for _, p := range h.blocks {
			if !p.hidesLines(h) {
				continue
			}
			for line := p.lines[0]; line <= p.lines[1]; line++ {
				if phrase := wordsOfLine(h.lines[line-1]); phrase != "" && !h.heads[line] {
					lines[i][phrase] = append(lines[i][phrase], line)
				}
			}
		}
		for phrase := range lines[i] {
			pages[phrase]++
		}
	}
	for i := range hits { // those of few pages, which are most, are not looked at
		for phrase, at := range lines[i] {
			if pages[phrase] < sharedHere {
				continue
			}
			at = slices.DeleteFunc(at, func(line int) bool { return fact().Match(hits[i].lines[line-1]) })
			if lines[i][phrase] = at; len(at) == 0 {
				pages[phrase]--
			}
		}
	}
	for i := range hits {
		for phrase, at := range lines[i] {
			if pages[phrase] < sharedHere || len(s.matcher.Find(phrase)) > 0 {
				continue
			}
			is, err := s.inMany(ctx, phrase)
			if err != nil {
				return err
			}
			for _, line := range at {
				if is {
					x.pages[i].hidden += x.count.of(string(hits[i].lines[line-1]))
					hits[i].lines[line-1] = nil
				}
			}
		}
	}
	return nil
}

// fact matches lines that say something of their page: a field with its value, a relation, an
// observation and a task.
var fact = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:[-*+] )?(?:[^\s:][^:]{0,40}:+\s+\S|\[[^\]\[]*\] )|^\s*[-*+] [^\[]{0,40}\[\[`)
})

// hidesLines reports whether a passage is still one without some of its lines.
func (p *passage) hidesLines(h *found) bool {
	first := strings.TrimLeft(string(h.lines[p.lines[0]-1]), " ")
	return !strings.HasPrefix(first, "```") && !strings.HasPrefix(first, "~~~") && !strings.HasPrefix(first, "|") && !strings.HasPrefix(first, "#+")
}

// wordsOfLine returns the words of a line, "" if it is too long to be compared, or indented as
// code is.
func wordsOfLine(line []byte) string {
	if len(line) == 0 || line[0] == '\t' || bytes.HasPrefix(line, []byte("    ")) {
		return ""
	}
	words, out := 0, make([]byte, 0, len(line))
	for w := range bytes.FieldsSeq(line) {
		if words++; words > sharedPhrase {
			return ""
		}
		if bytes.ContainsFunc(w, isWord) {
			out = append(append(out, w...), ' ')
		}
	}
	return string(bytes.TrimSuffix(out, []byte(" ")))
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
