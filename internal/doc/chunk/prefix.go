package chunk

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/doc"
)

// The bounds of the context in bytes, so that a long title does not displace the text, and
// does not cost its length times the number of chunks.
const (
	maxTitle   = 200
	maxPath    = 300
	maxTags    = 200
	maxSummary = 400
)

// prefix returns the context of a chunk: a line each for title with heading path, date, tags
// and summary.
func (s *splitter) prefix(at place) string {
	var lines []string
	add := func(line string) {
		if line != "" {
			lines = append(lines, line)
		}
	}
	var names []string
	if s.o.Prefix&Title != 0 && s.title != "" {
		names = append(names, s.title)
	}
	if path := clipLeft(at.path, maxPath); s.o.Prefix&Path != 0 {
		if s.o.Prefix&Title != 0 {
			path = withoutTitle(path, s.title)
		}
		if path != "" {
			names = append(names, path)
		}
	}
	add(strings.Join(names, separator))
	if s.o.Prefix&Date != 0 {
		add(at.date)
	}
	if s.o.Prefix&DateWords != 0 {
		add(dateWords(at.date))
	}
	if s.o.Prefix&Tags != 0 {
		add(clip(strings.Join(s.n.Tags, ", "), maxTags))
	}
	if s.o.Prefix&Summary != 0 {
		add(clip(s.n.Summary, maxSummary))
	}
	if len(lines) == 0 {
		return ""
	}
	// At most half of a chunk, regardless of the limit.
	text := strings.Join(lines, "\n")
	for s.o.Count(text) > s.o.MaxTokens/2 && utf8.RuneCountInString(text) > wordPart/2 {
		text = clip(text, len(text)*3/4)
	}
	return text
}

// budget returns the number of tokens that a chunk may have in addition to its context.
func (s *splitter) budget(at place) int {
	return max(s.o.MaxTokens-s.o.Count(s.prefix(at)), minTokens/2)
}

// withoutTitle removes a first heading that repeats the title from a path.
func withoutTitle(path, title string) string {
	rest, ok := strings.CutPrefix(path, title)
	if !ok || rest != "" && !strings.HasPrefix(rest, separator) {
		return path
	}
	return strings.TrimPrefix(rest, separator)
}

// clip cuts text to n bytes, at the end of a character.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// clipLeft keeps the last n bytes: the nearest headings are the most specific.
func clipLeft(text string, n int) string {
	if len(text) <= n {
		return text
	}
	at := len(text) - n
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return text[at:]
}

// pageDate returns the date that the page's metadata gives to all of its text: "date", but
// not the creation date.
func pageDate(n *doc.Node) string {
	for _, p := range n.Metadata {
		if !strings.EqualFold(p.Key, "date") || len(p.Values) == 0 {
			continue
		}
		if date, _, ok := doc.CutDate(p.Values[0]); ok {
			return date
		}
		if t, ok := doc.ParseDate(p.Values[0]); ok {
			return t.Format(time.DateOnly)
		}
	}
	return ""
}

// headingDate returns the date at the start of a heading, as in a journal.
func headingDate(h doc.Heading) (string, bool) {
	e, ok := doc.ParseEntry(h.Text)
	return e.Date, ok
}

// dateWords writes a date of any precision in words.
func dateWords(date string) string {
	for _, form := range []struct{ layout, words string }{
		{"2006-01-02", "2 January 2006"}, {"2006-01", "January 2006"}, {"2006", "2006"},
	} {
		if len(date) < len(form.layout) {
			continue
		}
		if t, err := time.Parse(form.layout, date[:len(form.layout)]); err == nil {
			return t.Format(form.words)
		}
	}
	return date
}
