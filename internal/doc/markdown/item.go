package markdown

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/doc"
)

// endParagraph reads the open paragraph, if any: link definitions, facts and
// links.
func (s *scanner) endParagraph() {
	if s.leaf != paragraph {
		return
	}
	s.leaf = none
	s.summary()
	start := s.links.definitions(s.para)
	before := len(s.n.Links)
	s.links.scan(s.n, start, s.para.End)
	s.fields(doc.Span{Start: start, End: s.para.End})
	s.words(doc.Span{Start: start, End: s.para.End}, before)
	if s.paraItem && start == s.para.Start {
		s.item(before)
	}
}

// summary makes the first quotation of the truth the page's summary. Callouts ("> [!NOTE]")
// are not summaries.
func (s *scanner) summary() {
	if !s.quoteFresh || len(s.open) != 1 {
		return
	}
	s.quoteFresh = false
	text := s.text[s.para.Start:s.para.End]
	if s.n.Summary != "" || s.lineFound || bytes.HasPrefix(text, []byte("[!")) {
		return
	}
	var words []string
	for line := range strings.Lines(string(text)) {
		words = append(words, strings.Fields(strings.TrimLeft(line, " \t>"))...)
	}
	s.n.Summary = plain(strings.Join(words, " "), s.links.syntax.LabelFirst)
}

// item reads the first line of a list item as a task, a timeline entry, an observation or a
// relation; in a quotation or callout only as a task. Its links start at index links.
func (s *scanner) item(links int) {
	first := doc.Span{Start: s.para.Start, End: min(s.para.End, s.paraLine.End)}
	text := trimEOL(s.text[first.Start:first.End])
	first.End = first.Start + len(text)
	if s.task(text, first.End) {
		return
	}
	if s.lastQuote >= 0 { // quoted text is not a statement of the page
		return
	}
	// Before observations: "[2024-03-01] text" has the form of both.
	if s.lineFound && s.entry.item(s, text) {
		return
	}
	if len(text) > 0 && text[0] == '[' {
		if o, ok := doc.ParseObservation(string(text)); ok {
			o.Span = s.paraLine
			s.n.Observations = append(s.n.Observations, o)
			return
		}
	}
	if links < len(s.n.Links) {
		s.relation(first, links)
	}
}

// task reads the first line of a list item as a task, and the following lines of the
// paragraph for its planning dates.
func (s *scanner) task(text []byte, end int) bool {
	line := ""
	state, done, rest, ok := checkbox(text)
	switch {
	case ok:
		line = string(rest)
	case !mayBeTaskWord(text): // avoids copying the item
		return false
	default:
		if state, line, done, ok = doc.CutTaskWord(string(text)); !ok {
			return false
		}
	}
	t := doc.Task{Span: s.paraLine, State: state, Done: done}
	t.Describe(line)
	if below := s.text[end:s.para.End]; bytes.Contains(below, []byte(":")) {
		for l := range bytes.Lines(below) {
			t.Plan(string(l))
		}
	}
	s.n.Tasks = append(s.n.Tasks, t)
	return true
}

// mayBeTaskWord reports whether a text starts with two capital letters, as all task keywords
// do.
func mayBeTaskWord(text []byte) bool {
	return len(text) > 1 && 'A' <= text[0] && text[0] <= 'Z' && 'A' <= text[1] && text[1] <= 'Z'
}

// checkbox reads "[ ] text" and "[x] text", and other marks of tasks.
func checkbox(text []byte) (state string, done bool, rest []byte, ok bool) {
	if len(text) < 3 || text[0] != '[' || text[2] != ']' || len(text) > 3 && text[3] != ' ' && text[3] != '\t' {
		return "", false, nil, false
	}
	state, done, ok = doc.CheckboxState(text[1])
	return state, done, text[3:], ok
}

// relation makes the item's first link a relation if the line has that form.
func (s *scanner) relation(first doc.Span, links int) {
	l := s.n.Links[links]
	if l.Kind != doc.WikiLink && (l.Kind != doc.MarkLink || !s.links.syntax.MarkLinks) || l.Span.End > first.End {
		return
	}
	phrase := string(s.text[first.Start:l.Span.Start])
	kind, ok := doc.RelationType(phrase)
	if !ok || taskWord(phrase) || s.links.syntax.Blocks && !plainType(phrase) && !s.amongRelations() {
		return
	}
	r, ok := doc.ParseRelationTail(string(s.text[l.Span.End:first.End]))
	if !ok {
		return
	}
	r.Type, r.Target, r.Span = kind, l.Target, s.paraLine
	s.n.Relations = append(s.n.Relations, r)
	s.n.Links = slices.Delete(s.n.Links, links, links+1)
}

// plainType reports whether a phrase is one word that starts in lower case, as in deliberate
// relations: in an outline all prose is list items.
func plainType(phrase string) bool {
	words := strings.Fields(phrase)
	if len(words) != 1 {
		return false
	}
	first, _ := utf8.DecodeRuneInString(words[0])
	return unicode.IsLower(first)
}

// amongRelations reports whether the text is in the section of relations.
func (s *scanner) amongRelations() bool {
	n := len(s.n.Headings)
	return n > 0 && strings.EqualFold(s.n.Headings[n-1].Text, "relations")
}

// taskWord reports whether an item starts with a task keyword of Logseq: "TODO Write to
// [[Ada]]" is not a relation.
func taskWord(phrase string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(phrase), " ")
	switch word {
	case "TODO", "DOING", "DONE", "NOW", "LATER", "WAITING", "WAIT", "IN-PROGRESS", "CANCELED", "CANCELLED":
		return true
	}
	return false
}
