package retrieve

import (
	"context"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc/sentence"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/search/analysis"
	"github.com/cairn-kb/cairn/internal/search/embed"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/search/rank"
)

// Bounds of the comparison with a question, sentence by sentence. A sentence takes about a
// millisecond.
const (
	statementPages    = 3 // in addition to those that the question names
	statementPassages = 5
	statementCount    = 12
	statementBytes    = 400
)

// questionShare is what the nearness of the whole question counts for, relative to that of
// its predicate. Without it the measured AUC is lower by 0.01.
const questionShare = 0.25

// statement finds the sentence that is nearest to what a question asks: of the pages that it
// names, without their names; else of the best pages. A name alone makes its page near to
// any question about it, also to one that the page does not answer.
func (s *Search) statement(ctx context.Context, list []candidate, f *rank.Fit) error {
	if f.Partly || f.Meaning && s.question.vector == nil {
		return nil
	}
	pages, named := map[int64]kb.Page{}, map[int64]bool{}
	var names []string
	for _, c := range list[:min(fitPages, len(list))] {
		if bears := query.Shared(s.query.Root, nameWords(c.page)); len(bears) > 0 {
			pages[c.page.Row], named[c.page.Row] = c.page, true
			names = append(names, bears...)
		}
	}
	asked, vector := "", s.question.vector
	if asked, f.Subject = query.Rest(s.query.Root, names); len(names) == 0 {
		f.Subject = false
	}
	if !f.Meaning {
		return s.restInWords(ctx, asked, names, list[:min(fitPages, len(list))], f)
	}
	if !f.StatementCounts() {
		return nil
	}
	if f.Subject {
		var err error
		if vector, _, err = embedding.Question(ctx, s.question.model, asked); err != nil {
			return err
		}
	}
	for _, c := range list[:min(statementPages, len(list))] {
		pages[c.page.Row] = c.page
	}
	passages, err := s.index.Search(vector, statementPassages, func(row int64) bool { return pages[row].Row == row })
	if err != nil {
		return err
	}
	var sentences []string
	for _, p := range passages {
		o, err := s.pageText(ctx, pages[p.Page])
		if err != nil {
			return err
		}
		lines, _ := linesOf(o.readingLines(), p.Lines)
		for _, text := range statements(lines, pages[p.Page]) {
			// Other pages are about the subject only where they name it.
			if !f.Subject || named[p.Page] || query.Mentioned(text, names) {
				sentences = append(sentences, text)
			}
		}
	}
	f.Read = true
	if len(sentences) == 0 {
		return nil
	}
	vectors, err := s.question.model.Embed(ctx, sentences[:min(len(sentences), statementCount)], embed.Passage)
	if err != nil {
		return err
	}
	for _, v := range vectors {
		f.Statement = max(f.Statement, (dot(vector, v)+questionShare*dot(s.question.vector, v))/(1+questionShare))
	}
	return nil
}

// restInWords finds the share of the words that a question asks, except the names of pages
// that one page has, which is named or names them: evidence of an answer without vectors.
func (s *Search) restInWords(ctx context.Context, asked string, names []string, list []candidate, f *rank.Fit) error {
	if !f.Subject || f.Named {
		return nil
	}
	var words []string
	for _, w := range strings.Fields(asked) {
		if !query.IsStopword(strings.ToLower(w)) {
			words = append(words, queryTerms(w)...)
		}
	}
	if len(words) == 0 {
		f.Subject = false
		return nil
	}
	f.Read = true
	asks, has := map[string]bool{}, map[string]bool{}
	for _, w := range words {
		asks[w] = true
	}
	var a analysis.Analyzer
	for _, c := range list {
		o, err := s.pageText(ctx, c.page)
		if err != nil {
			return err
		}
		text := c.page.Title + "\n" + string(o.readingLines())
		if !query.Mentioned(text, names) {
			continue
		}
		clear(has)
		a.Document(text, func(t analysis.Token) {
			if asks[string(t.Term)] {
				has[string(t.Term)] = true
			}
		})
		n := 0
		for _, w := range words {
			if has[w] {
				n++
			}
		}
		f.Statement = max(f.Statement, float64(n)/float64(len(words)))
	}
	return nil
}

// statements are the sentences of lines that say more than what their page is called.
func statements(lines []byte, p kb.Page) (out []string) {
	names := nameWords(p)
	paragraph := ""
	end := func() {
		for _, text := range sentence.Split(paragraph) {
			if query.Beyond(text, names) {
				out = append(out, embedding.Clip(text, statementBytes))
			}
		}
		paragraph = ""
	}
	for line := range strings.Lines(string(lines)) {
		line = strings.TrimSpace(line)
		if text := strings.TrimLeft(line, "#>*+-|: "); line == "" || text != line {
			end()
			line = text
		}
		paragraph += line + " "
	}
	end()
	return out
}

// maxNameWords is how many words a title has that is a name: a longer one is a statement.
const maxNameWords = 4

// nameWords are the words of what a page is called.
func nameWords(p kb.Page) (words []string) {
	for _, name := range append([]string{p.Title, p.Slug[strings.LastIndexByte(p.Slug, '/')+1:]}, p.Aliases...) {
		parts := strings.FieldsFunc(name, func(r rune) bool { return r == ' ' || r == '-' || r == '_' })
		if len(parts) <= maxNameWords {
			words = append(words, parts...)
		}
	}
	return words
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
