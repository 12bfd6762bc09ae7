package org

import (
	"slices"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
)

func TestReadHeading(t *testing.T) {
	t.Parallel()
	words := todoWords{map[string]bool{"TODO": true}, map[string]bool{"DONE": true}}
	for _, c := range []struct {
		line  string
		level int
		todo  string
		text  string
		tags  []string
	}{
		{"* Plain", 1, "", "Plain", nil},
		{"***   Deep ", 3, "", "Deep", nil},
		{"* ", 1, "", "", nil},
		{"* TODO Do it", 1, "TODO", "Do it", nil},
		{"* DONE [#A] Did it", 1, "DONE", "Did it", nil},
		{"* TODOS are not", 1, "", "TODOS are not", nil},
		{"* [#B] Priority", 1, "", "Priority", nil},
		{"* COMMENT Hidden", 1, "", "Hidden", nil},
		{"* COMMENTARY", 1, "", "COMMENTARY", nil},
		{"* Tagged   :a:b_c:@d:", 1, "", "Tagged", []string{"a", "b_c", "@d"}},
		{"* :only:", 1, "", "", []string{"only"}},
		{"* Größe :ümlaut:", 1, "", "Größe", []string{"ümlaut"}},
		{"* Not tags :a b:", 1, "", "Not tags :a b:", nil},
		{"* Not tags :a-b:", 1, "", "Not tags :a-b:", nil},
		{"* Not tags ::", 1, "", "Not tags ::", nil},
		{"* Not tags :a::b:", 1, "", "Not tags :a::b:", nil},
		{"* glued:a:", 1, "", "glued:a:", nil},
		{"* Cookie [1/2] and [50%]", 1, "", "Cookie and", nil},
		{"* Empty cookies [/] [%]", 1, "", "Empty cookies", nil},
		{"* Link to [[id:x][a *page*]] [2026]", 1, "", "Link to a *page* [2026]", nil},
		{"* Link [[Target]]", 1, "", "Link Target", nil},
		{"*\tTab", 0, "", "", nil},
		{"*", 0, "", "", nil},
		{" * Item", 0, "", "", nil},
		{"*bold*", 0, "", "", nil},
	} {
		if got := stars([]byte(c.line)); got != c.level {
			t.Errorf("stars(%q) = %d, want %d", c.line, got, c.level)
		}
		if c.level == 0 {
			continue
		}
		h := readHeading([]byte(c.line), doc.Span{Start: 0, End: len(c.line)}, words)
		if h.level != c.level || h.todo != c.todo || h.text != c.text || !slices.Equal(h.tags, c.tags) || h.done != (c.todo == "DONE") {
			t.Errorf("readHeading(%q) = %d %q %q %q", c.line, h.level, h.todo, h.text, h.tags)
		}
	}
}

func TestTodoWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, open, done string }{
		{"", "TODO", "DONE"},
		{"#+TODO: NEXT(n!) WAIT | GONE(g@)\n", "NEXT", "GONE"},
		{"#+SEQ_TODO: A B C\n", "B", "C"},
		{"#+typ_todo: Fred |\n#+TODO: X | Y\n", "Fred", "Y"},
		{"* Heading\n#+TODO: A | B\n", "TODO", "DONE"},
	} {
		words := readTodoWords([]byte(c.text), collectMarks([]byte(c.text)))
		if !words.open[c.open] || !words.done[c.done] || words.open[c.done] || words.done[c.open] {
			t.Errorf("%q: %v", c.text, words)
		}
	}
	d := Codec{}.Parse("a.org", []byte("#+TODO: NEXT | GONE\n* NEXT a\n* GONE b\nCLOSED: [2026-11-22 Sun 10:00] DEADLINE: <2026-11-23 Mon +1w>\n* TODO c\n"))
	want := []doc.Task{{State: "NEXT", Text: "a", Span: doc.Span{Start: 20, End: 29}}, {Done: true, State: "GONE", Text: "b", Span: doc.Span{Start: 29, End: 38}, Completed: "2026-11-22T10:00", Due: "2026-11-23"}}
	if got := d.Nodes[0].Tasks; !slices.Equal(got, want) {
		t.Errorf("tasks %v", got)
	}
}
