package retrieve

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/doc/org"
)

// cutPage returns a page that is cut into passages.
func cutPage(path, text string) *found {
	d := doc.ForPath([]doc.Codec{markdown.Codec{}, org.Codec{}}, path).Parse(path, []byte(text))
	h := &found{body: newPageText(d, 0)}
	h.cut()
	return h
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, path, text, want string }{
		{"paragraphs", "a.md", "---\ntype: note\n---\n# A\n\nOne\ntwo.\n\nThree.\n", "6-7 9"},
		{"items with what belongs to them", "a.md", "Intro:\n- a\n  more\n  - nested\n- b\n1. c\n2) d\n", "1 2-4 5 6 7"},
		{"rows of a table", "a.md", "| a | b |\n|---|---|\n| 1 | 2 |\n", "1 2 3"},
		{"code", "a.md", "Text.\n\n```\n- x\n\n# y\n```\n- z\n", "1 3-7 8"},
		{"code in an item", "a.md", "- ```sh\n  make\n\n  # x\n  ```\n- next\n\n## B\n\nText.\n", "1-5 6 10"},
		{"code in a paragraph", "a.md", "```x``` is a word.\n\nText.\n", "1 3"},
		{"code that shows a fence", "a.md", "````\n```\n\n````\n\nText.\n", "1-4 6"},
		{"the timeline", "a.md", "Truth.\n\n---\n\n## Timeline\n\n- **2026-01-02** | a — Rain.\n", "1 7t"},
		{"headings of Org", "a.org", "* A\nOne.\n** B\n- x\n", "2 4"},
		{"relations that cairn wrote", "a.md", "Text.\n\n## Relations\n\n- related [[b]]\n", "1"},
		{"underlines of headings", "a.md", "A\n===\n\nOne.\n\nB\n--\nTwo.\n", "4 8"},
		{"nothing", "a.md", "", ""},
	} {
		var got []string
		for i, p := range cutPage(tc.path, tc.text).blocks {
			text := fmt.Sprint(p.lines[0])
			if p.lines[1] > p.lines[0] {
				text += fmt.Sprintf("-%d", p.lines[1])
			}
			if !p.truth {
				text += "t"
			}
			if got = append(got, text); p.at != i || p.first != (i == 0) {
				t.Errorf("%s: passage %d is %+v", tc.name, i, p)
			}
		}
		if got := strings.Join(got, " "); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}

// A paragraph of megabytes is several passages, of which those near the match count, and a line
// of megabytes is none.
func TestCutLongParagraphs(t *testing.T) {
	t.Parallel()
	const line = "a line of words\n"
	text := strings.Repeat(line, 4*passageText/len(line)) + strings.Repeat("x", 2*passageText) + "\nEnd.\n"
	h := cutPage("a.md", text)
	h.blocks, h.Lines = nil, [2]int{2*passageText/len(line) + 10, 2*passageText/len(line) + 10}
	h.cut()
	near := false
	for _, p := range h.blocks {
		if size := len(h.textOf(p.lines)); size > passageText {
			t.Errorf("a passage of %d bytes", size)
		}
		near = near || p.lines[0] <= h.Lines[0] && h.Lines[0] <= p.lines[1]
	}
	if len(h.blocks) != 2 || !near {
		t.Errorf("%d passages, one with the match: %v", len(h.blocks), near)
	}
}

// A passage keeps the heading above it; the title is known anyway.
func TestHeadingOfAPassage(t *testing.T) {
	t.Parallel()
	h := cutPage("a.md", "# A\n\nOne.\n\n## B\n\nTwo.\n\nThree.\n\n## C\n\nFour.\n")
	x := &selection{hits: []found{*h}, count: tokenCounter{func(text string) int { return len(strings.Fields(text)) }, 100}, left: 100, pages: make([]selected, 1)}
	for _, at := range []int{0, 2, 3} {
		cost, heading := x.cost(h.blocks[at])
		x.take(h.blocks[at], heading, cost)
	}
	text, runs := x.text(0)
	if want := "One.\n\n## B\n…\nThree.\n\n## C\n\nFour."; text != want || fmt.Sprint(runs) != "[[3 5] [9 13]]" {
		t.Errorf("%v %q", runs, text)
	}
	if spent := 100 - x.left; spent < len(strings.Fields(text)) {
		t.Errorf("%d tokens are taken off the budget for %q", spent, text)
	}
}

// Neither a larger share of the question's words nor a longer passage is all: rare words count more.
func TestScoreWords(t *testing.T) {
	t.Parallel()
	all := []passage{
		{found: map[string]int{"kiln": 1}, length: 10},
		{found: map[string]int{"fire": 1}, length: 10},
		{found: map[string]int{"fire": 1}, length: 40},
		{found: map[string]int{"fire": 1}, above: map[string]bool{"kiln": true}, length: 10},
		{found: map[string]int{}, length: 10},
	}
	scoreWords(all)
	for i, order := range [][2]int{{0, 1}, {1, 2}, {3, 1}, {2, 4}} {
		if a, b := all[order[0]], all[order[1]]; a.words <= b.words {
			t.Errorf("%d: %.3f of %v, %.3f of %v", i, a.words, order[0], b.words, order[1])
		}
	}
	if max(all[0].words, all[3].words) != 1 || all[4].words != 0 {
		t.Errorf("%+v", all)
	}
}

// Equal passages have equal scores, however many words they have.
func TestScoreWordsOfEqualPassages(t *testing.T) {
	t.Parallel()
	all := make([]passage, 200)
	for i := range all {
		all[i] = passage{found: map[string]int{}, above: map[string]bool{}, length: 10 + i%2}
		for term := range 12 {
			if all[i].found[fmt.Sprint("found", term)] = 1 + term%3; i%7 > term {
				all[i].found[fmt.Sprint("some", term)] = 2
			}
			all[i].above[fmt.Sprint("above", term)] = true
		}
	}
	scoreWords(all)
	for i := range all[14:] {
		if all[i].words != all[i+14].words {
			t.Fatalf("%v and %v for equal passages", all[i].words, all[i+14].words)
		}
	}
}

// A passage that is longer than the budget is served around its match.
func TestPartOfAPassage(t *testing.T) {
	t.Parallel()
	lines := []string{"# A", ""}
	for i := range 30 {
		lines = append(lines, fmt.Sprintf("line %d here", i+3))
	}
	h := cutPage("a.md", strings.Join(lines, "\n")+"\n")
	h.Lines = [2]int{20, 20}
	count := tokenCounter{func(text string) int { return len(strings.Fields(text)) }, 20}
	x := &selection{hits: []found{*h}, count: count, left: 20, pages: make([]selected, 1)}
	p := h.blocks[0]
	if p.length = 90; p.lines != [2]int{3, 32} {
		t.Fatalf("the passage is %v", p.lines)
	}
	part := x.part(p)
	if cost, _ := x.cost(part); cost > 20 || cost < 17 || part.lines[0] > 20 || part.lines[1] < 20 {
		t.Errorf("lines %v for %d tokens", part.lines, cost)
	}
	if ranked := []passage{p}; (&Search{}).choose(t.Context(), x, ranked, 20, func(int) bool { return true }) != nil || len(x.order) != 1 {
		t.Errorf("served: %v", x.order)
	}
}
